// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/dtype.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::tensor {

/// A tensor somebody else owns. Strides count elements, as in DLPack and torch; they may be zero (expanded) or negative.
struct TensorView {
    const std::byte* data = nullptr; ///< element [0, 0, ...]
    DType dtype = DType::Float32;
    std::vector<std::int64_t> shape;   ///< empty: a scalar
    std::vector<std::int64_t> strides; ///< as many as shape has

    /// A row-major tensor without gaps.
    static TensorView contiguous(const void* data, DType dtype, std::vector<std::int64_t> shape);

    /// Elements; 1 for a scalar, 0 where any size is 0.
    std::int64_t count() const;

    /// True when the elements lie in row-major order without gaps.
    bool isContiguous() const;
};

/// Index of the element at row-major position @p position of @p shape.
std::vector<std::int64_t> unravel(std::int64_t position, const std::vector<std::int64_t>& shape);

} // namespace assay::tensor
