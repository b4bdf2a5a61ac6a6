// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

/// Small dense matrices, row-major, added up in the order of the inner index whatever the tiling: the same bits on every machine.
namespace assay::gdn {

/// A left factor: element (i, k) is at data[i * rowStride + k * innerStride], so a transposed matrix is the same bytes.
template <typename Real> struct LeftFactor {
    const Real* data = nullptr;
    std::int64_t rowStride = 0;
    std::int64_t innerStride = 0;
};

/// A matrix with @p stride elements from row to row.
template <typename Real> struct Rows {
    Real* data = nullptr;
    std::int64_t stride = 0;
};

struct ProductSize {
    std::int64_t rows = 0, columns = 0, inner = 0;
};

/// c += sign a b. @p sign is 1 or -1.
void addProduct(const ProductSize& size, LeftFactor<float> a, Rows<const float> b, Rows<float> c, float sign = 1);
void addProduct(const ProductSize& size, LeftFactor<double> a, Rows<const double> b, Rows<double> c, double sign = 1);

/// x := (I + A)^{-1} x for the strictly lower triangle A of @p a, whose other elements are not read.
void solveUnitLower(std::int64_t rows, std::int64_t columns, Rows<const float> a, Rows<float> x);
void solveUnitLower(std::int64_t rows, std::int64_t columns, Rows<const double> a, Rows<double> x);

/// x := (I + A)^{-T} x.
void solveUnitLowerTransposed(std::int64_t rows, std::int64_t columns, Rows<const float> a, Rows<float> x);
void solveUnitLowerTransposed(std::int64_t rows, std::int64_t columns, Rows<const double> a, Rows<double> x);

/// out := (I + A)^{-1}, lower triangular.
void invertUnitLower(std::int64_t rows, Rows<const float> a, Rows<float> out);
void invertUnitLower(std::int64_t rows, Rows<const double> a, Rows<double> out);

/// out (columns x rows) := in^T, in squares that stay in the cache's lines.
template <typename Real> void transpose(std::int64_t rows, std::int64_t columns, Rows<const Real> in, Rows<Real> out)
{
    constexpr std::int64_t kSquare = 16;
    for (std::int64_t top = 0; top < rows; top += kSquare) {
        const std::int64_t bottom = std::min(top + kSquare, rows);
        for (std::int64_t left = 0; left < columns; left += kSquare) {
            const std::int64_t right = std::min(left + kSquare, columns);
            for (std::int64_t column = left; column < right; ++column) {
                for (std::int64_t row = top; row < bottom; ++row)
                    out.data[column * out.stride + row] = in.data[row * in.stride + column];
            }
        }
    }
}

} // namespace assay::gdn
