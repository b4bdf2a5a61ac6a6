// SPDX-License-Identifier: Apache-2.0
#include "core/diff/exact_value.h"

#include "kernels/tensor/element_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace assay::diff {

namespace {

using tensor::DType;
using tensor::TensorView;

/// The element as a tensor of its own, without axes.
TensorView elementOf(const TensorView& view, const std::vector<std::int64_t>& index)
{
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        offset += index[axis] * view.strides[axis];
    return TensorView::contiguous(view.data + offset * tensor::sizeOf(view.dtype), view.dtype, {});
}

double widened(const TensorView& element)
{
    double value = 0;
    tensor::toDoubles(element.dtype, element.data, 1, &value);
    return value;
}

std::uint64_t bitsOf(const TensorView& element)
{
    std::uint64_t bits = 0; // little-endian, as every tensor here
    std::memcpy(&bits, element.data, static_cast<std::size_t>(tensor::sizeOf(element.dtype)));
    return bits;
}

std::string decimal(const TensorView& element)
{
    if (element.dtype == DType::Bool)
        return bitsOf(element) != 0 ? "true" : "false";
    if (!tensor::isFloating(element.dtype)) {
        std::int64_t value = 0;
        tensor::toOrdered(element.dtype, element.data, 1, &value);
        return fmt::format("{}", value);
    }
    const double value = widened(element);
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    // What is narrower than fp32 is exact as a double's shortest decimal; fp32 has a shorter one of its own.
    return element.dtype == DType::Float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

ExactValue exactOf(const TensorView& element)
{
    return {decimal(element), fmt::format("0x{:0{}x}", bitsOf(element), 2 * tensor::sizeOf(element.dtype))};
}

} // namespace

ExactValue exactValue(const TensorView& view, const std::vector<std::int64_t>& index)
{
    return exactOf(elementOf(view, index));
}

ExactPair exactPair(const TensorView& reference, const TensorView& candidate, const std::vector<std::int64_t>& index,
                    bool ulpOfCandidate)
{
    const TensorView left = elementOf(reference, index);
    const TensorView right = elementOf(candidate, index);
    tensor::CompareOptions one;
    one.threads = 1;
    const tensor::Comparison found = tensor::compare(left, right, one);
    ExactPair pair;
    pair.index = index;
    pair.reference = exactOf(left);
    pair.candidate = exactOf(right);
    pair.isFinite = found.finitePairs == 1;
    pair.isSameBits = left.dtype == right.dtype && found.bitDifferent == 0;
    if (!pair.isFinite)
        return pair;
    pair.absolute = found.maxAbsolute;
    if (widened(left) != 0)
        pair.relative = found.maxRelative;
    pair.ulp = ulpOfCandidate ? tensor::compare(right, left, one).maxUlp : found.maxUlp;
    return pair;
}

} // namespace assay::diff
