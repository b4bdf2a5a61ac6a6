// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/parallel.h"

namespace assay::diff {

using tensor::inParallel;
using tensor::threadsOf;

} // namespace assay::diff
