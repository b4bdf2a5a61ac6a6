// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace assay::tensor {

/// A tensor in host memory that owns its bytes; copies share them. The layout may leave gaps and repeat elements (strides of
/// zero).
class HostTensor {
public:
    HostTensor() = default;

    /// A row-major tensor of zero bytes.
    HostTensor(DType dtype, std::vector<std::int64_t> shape);

    /// A view of bytes that others may share: element [0, 0, ...] lies @p offsetBytes into @p storage.
    /// @throws std::invalid_argument  where an element would lie outside the storage
    HostTensor(std::shared_ptr<std::vector<std::byte>> storage, DType dtype, std::vector<std::int64_t> shape,
               std::vector<std::int64_t> strides, std::int64_t offsetBytes = 0);

    DType dtype() const { return m_dtype; }
    const std::vector<std::int64_t>& shape() const { return m_shape; }
    const std::vector<std::int64_t>& strides() const { return m_strides; }
    /// Bytes of the storage before element [0, 0, ...].
    std::int64_t offsetBytes() const { return m_offsetBytes; }
    std::int64_t count() const;
    bool isContiguous() const;

    /// What readers take; valid while this tensor or a copy of it lives.
    TensorView view() const;

    /// The bytes of a contiguous tensor, to be filled by its maker before anybody else holds a copy.
    /// @throws std::logic_error  where the tensor is not contiguous
    std::span<std::byte> bytes();
    std::span<const std::byte> bytes() const;

    /// All elements in row-major order as doubles (int64 beyond 2^53 rounds to nearest).
    std::vector<double> toDoubles() const;

    /// Row-major tensor of @p values rounded to @p dtype (to nearest even; integers truncate and must be in range).
    static HostTensor fromDoubles(DType dtype, std::vector<std::int64_t> shape, std::span<const double> values);

    /// The same logical elements in row-major order.
    HostTensor contiguous() const;

private:
    std::shared_ptr<std::vector<std::byte>> m_storage;
    DType m_dtype = DType::Float32;
    std::vector<std::int64_t> m_shape{0};
    std::vector<std::int64_t> m_strides{1};
    std::int64_t m_offsetBytes = 0;
};

/// Row-major strides of @p shape.
std::vector<std::int64_t> contiguousStrides(const std::vector<std::int64_t>& shape);

} // namespace assay::tensor
