// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::store {

/// A number for each of many combinations. A walk asks it of every row, a million times for one list, so it is one flat array:
/// a chain of nodes would cost as much as reading the row.
class CodeTable {
public:
    static constexpr int kNone = -1;

    CodeTable()
        : CodeTable(0)
    {
    }
    /// Room for @p codes combinations, which must be enough.
    explicit CodeTable(std::size_t codes)
        : m_entries(std::bit_ceil(2 * codes + 1))
        , m_shift(64 - std::countr_zero(m_entries.size()))
    {
    }

    /// @param value  not negative; a combination that is already there keeps what it has
    void add(std::int64_t code, int value)
    {
        Entry& entry = m_entries[find(code)];
        if (entry.value == kNone)
            entry = {code, value};
    }

    /// kNone where @p code was not added.
    int operator[](std::int64_t code) const { return m_entries[find(code)].value; }

private:
    struct Entry {
        std::int64_t code = 0;
        int value = kNone;
    };

    /// Where @p code is or would be. At least half of the entries are empty, so the search ends.
    std::size_t find(std::int64_t code) const
    {
        constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
        std::size_t at
            = m_shift == 64 ? 0 : static_cast<std::size_t>((static_cast<std::uint64_t>(code) * kGoldenRatio) >> m_shift);
        while (m_entries[at].value != kNone && m_entries[at].code != code)
            at = (at + 1) & (m_entries.size() - 1);
        return at;
    }

    std::vector<Entry> m_entries; ///< a power of two of them
    int m_shift;
};

} // namespace assay::store
