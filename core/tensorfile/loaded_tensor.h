// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_view.h"

#include <memory>
#include <string>

namespace assay::tensorfile {

/// A tensor together with whatever keeps its bytes alive; copies share them.
struct LoadedTensor {
    std::string name; ///< in its file; "" where the file has one tensor without a name
    tensor::TensorView view;
    std::shared_ptr<const void> owner;
};

} // namespace assay::tensorfile
