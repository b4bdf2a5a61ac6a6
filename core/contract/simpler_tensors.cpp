// SPDX-License-Identifier: Apache-2.0
#include "core/contract/simpler_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace assay::contract {

namespace {

using Index = std::vector<std::int64_t>;

/// True where no element of @p rows changes along @p dimension.
bool isConstantAlong(const HostTensor& rows, std::size_t dimension)
{
    const Index& shape = rows.shape();
    const std::int64_t step = rows.strides()[dimension];
    const auto size = static_cast<std::size_t>(tensor::sizeOf(rows.dtype()));
    const std::byte* const data = rows.bytes().data();
    for (std::int64_t position = 0; position < rows.count(); ++position) {
        const std::int64_t along = position / step % shape[dimension];
        if (std::memcmp(data + static_cast<std::size_t>(position) * size,
                        data + static_cast<std::size_t>(position - along * step) * size, size)
            != 0)
            return false;
    }
    return true;
}

/// Strides for @p rows in the order of dimensions and with the padding that @p pattern has.
Index stridesLike(const HostTensor& rows, const HostTensor& pattern)
{
    const Index& shape = rows.shape();
    const Index& old = pattern.strides();
    Index inner(shape.size());
    std::iota(inner.begin(), inner.end(), 0);
    std::ranges::stable_sort(inner, [&](std::int64_t a, std::int64_t b) {
        const auto i = static_cast<std::size_t>(a);
        const auto j = static_cast<std::size_t>(b);
        return old[i] != old[j] ? old[i] < old[j] : a > b; // of equal strides the later one is the inner
    });
    Index strides(shape.size(), 0);
    std::int64_t next = 1;    // of the new layout, beyond what is laid out so far
    std::int64_t oldNext = 1; // of the old one
    for (const std::int64_t dimension : inner) {
        const auto d = static_cast<std::size_t>(dimension);
        if (old[d] == 0 && pattern.shape()[d] > 1 && isConstantAlong(rows, d))
            continue;
        const std::int64_t padding = pattern.shape()[d] > 1 ? std::max<std::int64_t>(old[d] - oldNext, 0) : 0;
        strides[d] = next + padding;
        next = strides[d] * std::max<std::int64_t>(shape[d], 1);
        oldNext = std::max(oldNext, old[d] * std::max<std::int64_t>(pattern.shape()[d], 1));
    }
    return strides;
}

template <typename Change> HostTensor changed(const HostTensor& value, const Change& change)
{
    std::vector<double> values = value.toDoubles();
    change(values);
    return laidOutAs(HostTensor::fromDoubles(value.dtype(), value.shape(), values), value);
}

} // namespace

HostTensor laidOutAs(const HostTensor& value, const HostTensor& pattern)
{
    if (value.shape().size() != pattern.shape().size())
        throw std::invalid_argument("laidOutAs: another number of dimensions");
    const HostTensor rows = value.contiguous();
    if ((pattern.isContiguous() && pattern.offsetBytes() == 0) || rows.count() == 0)
        return rows;
    const Index strides = stridesLike(rows, pattern);
    const auto size = static_cast<std::size_t>(tensor::sizeOf(rows.dtype()));
    std::int64_t highest = 0;
    for (std::size_t d = 0; d < strides.size(); ++d)
        highest += (rows.shape()[d] - 1) * strides[d];
    const auto lead = static_cast<std::size_t>(pattern.offsetBytes());
    auto storage = std::make_shared<std::vector<std::byte>>(lead + static_cast<std::size_t>(highest + 1) * size);
    const auto from = rows.bytes();
    for (std::int64_t position = 0; position < rows.count(); ++position) {
        const Index index = tensor::unravel(position, rows.shape());
        const std::int64_t at = std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
        std::memcpy(storage->data() + lead + static_cast<std::size_t>(at) * size,
                    from.data() + static_cast<std::size_t>(position) * size, size);
    }
    return {std::move(storage), rows.dtype(), rows.shape(), strides, pattern.offsetBytes()};
}

HostTensor blockOf(const HostTensor& value, const Index& from, const Index& shape)
{
    const HostTensor rows = value.contiguous();
    if (from.size() != rows.shape().size() || shape.size() != from.size())
        throw std::invalid_argument("blockOf: another number of dimensions");
    for (std::size_t d = 0; d < from.size(); ++d) {
        if (from[d] < 0 || shape[d] < 0 || from[d] + shape[d] > rows.shape()[d])
            throw std::invalid_argument("blockOf: a block that leaves the tensor");
    }
    HostTensor block(rows.dtype(), shape);
    const auto size = static_cast<std::size_t>(tensor::sizeOf(rows.dtype()));
    const std::span<std::byte> to = block.bytes();
    for (std::int64_t position = 0; position < block.count(); ++position) {
        const Index index = tensor::unravel(position, shape);
        std::int64_t at = 0;
        for (std::size_t d = 0; d < index.size(); ++d)
            at += (from[d] + index[d]) * rows.strides()[d];
        std::memcpy(to.data() + static_cast<std::size_t>(position) * size,
                    std::as_const(rows).bytes().data() + static_cast<std::size_t>(at) * size, size);
    }
    return laidOutAs(block, value);
}

HostTensor simplified(const HostTensor& value, Simple how)
{
    return changed(value, [how](std::vector<double>& values) {
        for (double& element : values) {
            if (!std::isfinite(element))
                continue;
            element = how == Simple::Zeros ? 0 : how == Simple::Ones ? 1 : std::nearbyint(element);
        }
    });
}

std::vector<std::int64_t> nonZero(const HostTensor& value)
{
    const std::vector<double> values = value.toDoubles();
    std::vector<std::int64_t> positions;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] != 0 && std::isfinite(values[i]))
            positions.push_back(static_cast<std::int64_t>(i));
    }
    return positions;
}

HostTensor withZeros(const HostTensor& value, const std::vector<std::int64_t>& positions)
{
    return changed(value, [&positions](std::vector<double>& values) {
        for (const std::int64_t position : positions)
            values[static_cast<std::size_t>(position)] = 0;
    });
}

std::int64_t firstNonFinite(const HostTensor& value)
{
    if (!tensor::isFloating(value.dtype()))
        return -1;
    const std::vector<double> values = value.toDoubles();
    const auto it = std::ranges::find_if(values, [](double element) { return !std::isfinite(element); });
    return it == values.end() ? -1 : it - values.begin();
}

} // namespace assay::contract
