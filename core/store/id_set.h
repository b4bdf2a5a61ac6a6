// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::store {

/// Rows of one table. A walk asks it of every row that it reads, so where the ids stand close enough they are bits as well.
class IdSet {
public:
    IdSet() = default;
    /// @param ids  in any order, any number of times
    explicit IdSet(std::vector<std::int64_t> ids);

    bool contains(std::int64_t id) const;
    const std::vector<std::int64_t>& ids() const { return m_ids; } ///< sorted, each once
    std::size_t size() const { return m_ids.size(); }
    bool isEmpty() const { return m_ids.empty(); }

private:
    std::vector<std::int64_t> m_ids;
    std::vector<std::uint64_t> m_bits; ///< from the first id on; empty where the ids stand far apart
};

IdSet unionOf(const IdSet& a, const IdSet& b);
IdSet intersectionOf(const IdSet& a, const IdSet& b);

} // namespace assay::store
