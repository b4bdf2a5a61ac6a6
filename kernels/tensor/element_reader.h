// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::tensor {

/// Reads runs of elements in row-major order, whatever the strides: a pointer into the tensor where it is contiguous, else a
/// copy. One reader per thread.
class ElementReader {
public:
    /// @param view  must outlive the reader
    /// @param longestRun  largest `count` that read() will be asked for
    ElementReader(const TensorView& view, std::int64_t longestRun);

    /// @p count elements from row-major position @p first on, in the tensor's own dtype. Valid until the next call.
    const std::byte* read(std::int64_t first, std::int64_t count);

private:
    const TensorView& m_view;
    bool m_contiguous;
    std::vector<std::byte> m_buffer;
};

/// @p count elements of @p dtype as doubles. Exact but for int64 beyond 2^53, which rounds to nearest.
void toDoubles(DType dtype, const std::byte* elements, std::int64_t count, double* out);

/// Order-preserving integers of elements of @p dtype: neighbours differ by one, -0 and +0 are both 0, NaN is meaningless.
void toOrdered(DType dtype, const std::byte* elements, std::int64_t count, std::int64_t* out);

/// Order-preserving integers of @p values rounded to @p dtype (to nearest even; infinite where that overflows).
void roundToOrdered(DType dtype, const double* values, std::int64_t count, std::int64_t* out);

} // namespace assay::tensor
