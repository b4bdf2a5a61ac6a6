// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"
#include "kernels/tensor/tensor_view.h"

#include <optional>

struct DLManagedTensor;

/// Tensors of other frameworks, in and out, by the structure that they all agree on (DLPack, https://dmlc.github.io/dlpack).
namespace assay::tensor {

/// The tensor that @p managed describes, in host memory; whoever holds @p managed keeps it alive.
///
/// @param meant  what 8-bit elements stand for: DLPack 0.6 has neither bool nor 8-bit floats, which cross as uint8. Codes that
///               later versions gave these types are understood, too
/// @throws std::invalid_argument  on another device, for a dtype that is not in dtype.h, and where @p meant has another size
TensorView viewOf(const DLManagedTensor& managed, std::optional<DType> meant = std::nullopt);

/// Hands @p tensor out: bytes, shape and strides live until the taker calls the deleter of what is returned. Bool and 8-bit
/// floats go as uint8.
DLManagedTensor* handOut(HostTensor tensor);

} // namespace assay::tensor
