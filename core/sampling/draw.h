// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::sampling {

/// 128 bits that stand for one item on every machine: made from what the item is, never from where a database keeps it.
struct ItemDigest {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const ItemDigest&) const = default;
};

/// The item's place in the draw of @p seed: items are drawn in ascending order of it. Two items share a place only where their
/// digests are equal, and the order does not change when other items come or go.
/// Source: Philox4x32-10 with the seed as key and the digest as counter (kernels/random/philox.h), a bijection per seed.
ItemDigest drawPlace(std::uint64_t seed, const ItemDigest& item);

/// Which of @p items are the first @p count in the draw of @p seed, as indices, in the order of the draw. A longer draw begins
/// with a shorter one. @param count  more than there are: all of them
std::vector<std::size_t> firstDrawn(std::span<const ItemDigest> items, std::uint64_t seed, std::size_t count);

} // namespace assay::sampling
