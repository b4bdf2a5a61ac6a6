// SPDX-License-Identifier: Apache-2.0
#include "core/diff/mask_profile.h"

#include "core/diff/parallel.h"

#include <bit>
#include <memory>
#include <mutex>

namespace assay::diff {

namespace {

constexpr std::int64_t kWordBits = 64;
constexpr std::int64_t kPartWords = 1 << 14;
constexpr std::uint64_t kAllBits = ~std::uint64_t{0};

template <typename Each> void forEachBit(std::uint64_t word, Each each)
{
    for (; word != 0; word &= word - 1)
        each(std::countr_zero(word));
}

/// What one thread adds up.
class Gatherer {
public:
    explicit Gatherer(const FailureMask& mask)
        : m_mask(mask)
        , m_crowdedWords(static_cast<std::size_t>(mask.rowWords()))
    {
        std::int64_t rowStride = mask.rows();
        for (std::size_t axis = 0; axis < mask.shape().size(); ++axis) {
            AxisProfile profile;
            profile.size = mask.shape()[axis];
            if (profile.size <= kLongestProfile) {
                profile.marked.resize(static_cast<std::size_t>(profile.size));
                profile.starts.resize(static_cast<std::size_t>(profile.size));
                profile.ends.resize(static_cast<std::size_t>(profile.size) + 1);
            }
            m_found.axes.push_back(std::move(profile));
            rowStride /= axis + 1 < mask.shape().size() ? mask.shape()[axis] : 1;
            m_rowStrides.push_back(rowStride);
        }
    }

    void add(std::int64_t row)
    {
        const auto words = m_mask.row(row);
        std::int64_t marked = 0;
        for (const std::uint64_t word : words)
            marked += std::popcount(word);
        if (marked == 0)
            return;
        m_found.marked += marked;
        addOuterAxes(row, words, marked);
        if (!m_found.axes.empty() && !m_found.axes.back().marked.empty())
            addLastAxis(words);
        if (m_found.axes.size() >= 2)
            addDiagonal(row % m_mask.shape()[m_mask.shape().size() - 2], words, marked);
    }

    MaskProfile finish()
    {
        // Crowded words counted as full; their gaps were taken off one by one.
        if (!m_found.axes.empty() && !m_found.axes.back().marked.empty()) {
            auto& columns = m_found.axes.back().marked;
            for (std::size_t column = 0; column < columns.size(); ++column)
                columns[column] += m_crowdedWords[column / kWordBits];
        }
        return std::move(m_found);
    }

private:
    void addOuterAxes(std::int64_t row, std::span<const std::uint64_t> words, std::int64_t marked)
    {
        for (std::size_t axis = 0; axis + 1 < m_found.axes.size(); ++axis) {
            AxisProfile& profile = m_found.axes[axis];
            if (profile.marked.empty())
                continue;
            const std::int64_t stride = m_rowStrides[axis];
            const std::int64_t at = row / stride % profile.size;
            profile.marked[static_cast<std::size_t>(at)] += marked;
            profile.starts[static_cast<std::size_t>(at)] += at > 0 ? missingIn(words, row - stride) : marked;
            profile.ends[static_cast<std::size_t>(at) + 1] += at + 1 < profile.size ? missingIn(words, row + stride) : marked;
        }
    }

    /// Marked elements of a row whose neighbour in the other row is not.
    std::int64_t missingIn(std::span<const std::uint64_t> words, std::int64_t otherRow) const
    {
        const auto other = m_mask.row(otherRow);
        std::int64_t missing = 0;
        for (std::size_t i = 0; i < words.size(); ++i)
            missing += std::popcount(words[i] & ~other[i]);
        return missing;
    }

    void addLastAxis(std::span<const std::uint64_t> words)
    {
        AxisProfile& profile = m_found.axes.back();
        std::uint64_t before = 0; // the last bit of the word before
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::uint64_t word = words[i];
            const std::size_t first = i * kWordBits;
            if (word != 0) {
                const std::uint64_t after = i + 1 < words.size() ? words[i + 1] << (kWordBits - 1) : 0;
                forEachBit(word & ~((word << 1) | before),
                           [&](int bit) { ++profile.starts[first + static_cast<unsigned>(bit)]; });
                forEachBit(word & ~((word >> 1) | after),
                           [&](int bit) { ++profile.ends[first + static_cast<unsigned>(bit) + 1]; });
                addColumns(word, i);
            }
            before = word >> (kWordBits - 1);
        }
    }

    /// Masks are often nearly empty or nearly full, so whatever is rarer is counted bit by bit.
    void addColumns(std::uint64_t word, std::size_t wordIndex)
    {
        auto& columns = m_found.axes.back().marked;
        const std::size_t first = wordIndex * kWordBits;
        if (std::popcount(word) <= kWordBits / 2) {
            forEachBit(word, [&](int bit) { ++columns[first + static_cast<unsigned>(bit)]; });
            return;
        }
        ++m_crowdedWords[wordIndex];
        const std::int64_t inside = std::min(kWordBits, m_mask.rowLength() - static_cast<std::int64_t>(first));
        const std::uint64_t used = inside == kWordBits ? kAllBits : (std::uint64_t{1} << inside) - 1;
        forEachBit(~word & used, [&](int bit) { --columns[first + static_cast<unsigned>(bit)]; });
    }

    void addDiagonal(std::int64_t row, std::span<const std::uint64_t> words, std::int64_t marked)
    {
        std::int64_t below = 0;
        const auto word = static_cast<std::size_t>(row / kWordBits);
        for (std::size_t i = 0; i < std::min(word, words.size()); ++i)
            below += std::popcount(words[i]);
        std::int64_t on = 0;
        if (word < words.size()) {
            const std::uint64_t bit = std::uint64_t{1} << (row % kWordBits);
            below += std::popcount(words[word] & (bit - 1));
            on = (words[word] & bit) != 0;
        }
        m_found.belowDiagonal += below;
        m_found.aboveDiagonal += marked - below - on;
    }

    const FailureMask& m_mask;
    MaskProfile m_found;
    std::vector<std::int64_t> m_rowStrides; ///< rows of the mask from one index of an outer axis to the next
    std::vector<std::int64_t> m_crowdedWords;
};

void addTo(std::vector<std::int64_t>& total, const std::vector<std::int64_t>& part)
{
    for (std::size_t i = 0; i < total.size(); ++i)
        total[i] += part[i];
}

void join(MaskProfile& total, const MaskProfile& part)
{
    total.marked += part.marked;
    total.aboveDiagonal += part.aboveDiagonal;
    total.belowDiagonal += part.belowDiagonal;
    for (std::size_t axis = 0; axis < total.axes.size(); ++axis) {
        addTo(total.axes[axis].marked, part.axes[axis].marked);
        addTo(total.axes[axis].starts, part.axes[axis].starts);
        addTo(total.axes[axis].ends, part.axes[axis].ends);
    }
}

} // namespace

MaskProfile profileOf(const FailureMask& mask, int threads)
{
    MaskProfile total = Gatherer(mask).finish();
    total.count = mask.rows() * mask.rowLength();
    if (total.count == 0)
        return total;
    const std::int64_t rowsAtOnce = std::max<std::int64_t>(1, kPartWords / mask.rowWords());
    std::mutex lock;
    std::vector<std::shared_ptr<Gatherer>> gatherers;
    inParallel((mask.rows() + rowsAtOnce - 1) / rowsAtOnce, threads, [&] {
        auto gatherer = std::make_shared<Gatherer>(mask);
        const std::lock_guard guard(lock);
        gatherers.push_back(gatherer);
        return [&mask, gatherer, rowsAtOnce](std::int64_t part) {
            for (std::int64_t row = part * rowsAtOnce; row < std::min(mask.rows(), (part + 1) * rowsAtOnce); ++row)
                gatherer->add(row);
        };
    });
    for (const auto& gatherer : gatherers)
        join(total, gatherer->finish());
    return total;
}

} // namespace assay::diff
