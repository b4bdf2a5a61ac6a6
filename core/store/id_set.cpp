// SPDX-License-Identifier: Apache-2.0
#include "core/store/id_set.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace assay::store {

namespace {

constexpr std::uint64_t kWordBits = 64;
constexpr std::uint64_t kIdsPerBitWord = 4; ///< bits take at most as much room as this many times the ids

} // namespace

IdSet::IdSet(std::vector<std::int64_t> ids)
    : m_ids(std::move(ids))
{
    if (m_ids.empty())
        return;
    const auto [least, most] = std::ranges::minmax(m_ids);
    const std::uint64_t span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least);
    if (span / kWordBits > kIdsPerBitWord * m_ids.size()) {
        std::ranges::sort(m_ids);
        m_ids.erase(std::unique(m_ids.begin(), m_ids.end()), m_ids.end());
        return;
    }
    m_bits.resize(span / kWordBits + 1);
    for (const std::int64_t id : m_ids) {
        const std::uint64_t at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(least);
        m_bits[at / kWordBits] |= std::uint64_t{1} << (at % kWordBits);
    }
    // Read back in order, which spares sorting.
    m_ids.clear();
    for (std::size_t word = 0; word < m_bits.size(); ++word) {
        for (std::uint64_t rest = m_bits[word]; rest != 0; rest &= rest - 1)
            m_ids.push_back(least + static_cast<std::int64_t>(word * kWordBits) + std::countr_zero(rest));
    }
}

bool IdSet::contains(std::int64_t id) const
{
    if (m_bits.empty())
        return std::ranges::binary_search(m_ids, id);
    const std::uint64_t at = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(m_ids.front());
    return at / kWordBits < m_bits.size() && (m_bits[at / kWordBits] >> (at % kWordBits) & 1) != 0;
}

IdSet unionOf(const IdSet& a, const IdSet& b)
{
    std::vector<std::int64_t> ids;
    ids.reserve(a.size() + b.size());
    std::ranges::set_union(a.ids(), b.ids(), std::back_inserter(ids));
    return IdSet(std::move(ids));
}

IdSet intersectionOf(const IdSet& a, const IdSet& b)
{
    std::vector<std::int64_t> ids;
    std::ranges::set_intersection(a.ids(), b.ids(), std::back_inserter(ids));
    return IdSet(std::move(ids));
}

} // namespace assay::store
