// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_view.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tensorfile {

struct TensorToWrite {
    std::string name;
    tensor::TensorView view; ///< any strides
};

/// Writes a .safetensors file piece by piece into @p write. Tensors stand in the file with the widest elements first, then by
/// name, so that every element is aligned. Source: https://github.com/huggingface/safetensors, "Format".
void writeSafetensors(std::vector<TensorToWrite> tensors, const std::function<void(std::string_view)>& write);

} // namespace assay::tensorfile
