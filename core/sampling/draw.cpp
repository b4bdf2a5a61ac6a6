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
    // A heap of the first so far, the last of them on top: a million items are looked at for a sample of tens.
    using Place = std::pair<ItemDigest, std::size_t>;
    std::vector<Place> first;
    count = std::min(count, items.size());
    first.reserve(count + 1);
    for (std::size_t i = 0; i < items.size() && count > 0; ++i) {
        const Place place(drawPlace(seed, items[i]), i);
        if (first.size() == count && !(place < first.front()))
            continue;
        first.push_back(place);
        std::push_heap(first.begin(), first.end());
        if (first.size() > count) {
            std::pop_heap(first.begin(), first.end());
            first.pop_back();
        }
    }
    std::sort_heap(first.begin(), first.end());
    std::vector<std::size_t> drawn;
    drawn.reserve(count);
    for (const auto& [place, index] : first)
        drawn.push_back(index);
    return drawn;
}

} // namespace assay::sampling
