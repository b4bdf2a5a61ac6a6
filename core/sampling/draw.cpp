// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/draw.h"

#include "kernels/random/philox.h"

#include <algorithm>
#include <utility>

namespace assay::sampling {

namespace {

constexpr std::uint32_t lowHalf(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t highHalf(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value >> 32);
}

} // namespace

ItemDigest drawPlace(std::uint64_t seed, const ItemDigest& item)
{
    const random::Block block = random::philox({lowHalf(item.low), highHalf(item.low), lowHalf(item.high), highHalf(item.high)},
                                               {lowHalf(seed), highHalf(seed)});
    return {(std::uint64_t{block[3]} << 32) | block[2], (std::uint64_t{block[1]} << 32) | block[0]};
}

std::vector<std::size_t> firstDrawn(std::span<const ItemDigest> items, std::uint64_t seed, std::size_t count)
{
    std::vector<std::pair<ItemDigest, std::size_t>> places;
    places.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
        places.emplace_back(drawPlace(seed, items[i]), i);
    count = std::min(count, places.size());
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(places.begin(), end, places.end());
    std::vector<std::size_t> drawn;
    drawn.reserve(count);
    for (auto place = places.begin(); place != end; ++place)
        drawn.push_back(place->second);
    return drawn;
}

} // namespace assay::sampling
