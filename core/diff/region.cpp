// SPDX-License-Identifier: Apache-2.0
#include "core/diff/region.h"

#include "core/diff/parallel.h"

#include <atomic>
#include <bit>

namespace assay::diff {

namespace {

constexpr std::int64_t kWordBits = 64;
constexpr std::int64_t kRowsAtOnce = 256;

/// A region as one row of bits and a question about each row, which is how masks are walked.
class RegionRows {
public:
    RegionRows(const FailureMask& mask, const Region& region)
        : m_mask(mask)
        , m_region(region)
        , m_columns(static_cast<std::size_t>(mask.rowWords()))
    {
        for (std::int64_t column = 0; column < mask.rowLength(); ++column) {
            if (!region.back() || region.back()->contains(column))
                m_columns[static_cast<std::size_t>(column / kWordBits)] |= std::uint64_t{1} << (column % kWordBits);
        }
    }

    /// Bits of the columns inside; of a row that is not inside none count.
    const std::vector<std::uint64_t>& columns() const { return m_columns; }

    bool contains(std::int64_t row) const
    {
        for (std::size_t axis = m_region.size() - 1; axis-- > 0;) {
            const std::int64_t size = m_mask.shape()[axis];
            if (m_region[axis] && !m_region[axis]->contains(row % size))
                return false;
            row /= size;
        }
        return true;
    }

private:
    const FailureMask& m_mask;
    const Region& m_region;
    std::vector<std::uint64_t> m_columns;
};

/// Calls @p each with every row, a band of rows on one thread.
template <typename Each> void forEachRow(const FailureMask& mask, int threads, Each each)
{
    inParallel((mask.rows() + kRowsAtOnce - 1) / kRowsAtOnce, threads, [&] {
        return [&](std::int64_t part) {
            for (std::int64_t row = part * kRowsAtOnce; row < std::min(mask.rows(), (part + 1) * kRowsAtOnce); ++row)
                each(row);
        };
    });
}

} // namespace

std::int64_t sizeOfRegion(const std::vector<std::int64_t>& shape, const Region& region)
{
    std::int64_t size = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        size *= region[axis] ? region[axis]->countIndices() : shape[axis];
    return size;
}

std::int64_t markedInside(const FailureMask& mask, const Region& region, int threads)
{
    const RegionRows inside(mask, region);
    std::atomic<std::int64_t> marked{0};
    forEachRow(mask, threads, [&](std::int64_t row) {
        if (!inside.contains(row))
            return;
        const auto words = mask.row(row);
        std::int64_t found = 0;
        for (std::size_t i = 0; i < words.size(); ++i)
            found += std::popcount(words[i] & inside.columns()[i]);
        marked += found;
    });
    return marked;
}

FailureMask keepSide(const FailureMask& mask, const Region& region, Side side, int threads)
{
    const RegionRows inside(mask, region);
    FailureMask kept(mask.shape());
    forEachRow(mask, threads, [&](std::int64_t row) {
        const auto words = mask.row(row);
        const auto target = kept.row(row);
        const bool isRowInside = inside.contains(row);
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t held = isRowInside ? words[i] & inside.columns()[i] : 0;
            target[i] = side == Side::Inside ? held : words[i] & ~held;
        }
    });
    return kept;
}

} // namespace assay::diff
