// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/steps.h"

namespace assay::gdn::cuda {

/// The kernel of a step for the call's elements, keys and values: its address, as cudaLaunchKernel takes it.
/// @param element  ASSAY_GDN_BFLOAT16 or ASSAY_GDN_FLOAT16
const void* kernelOf(const Launch& launch, int element, int keys, int values);

} // namespace assay::gdn::cuda
