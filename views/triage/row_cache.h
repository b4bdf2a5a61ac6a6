// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay::views {

/// Rows of a long list, kept in whole pages; the pages used longest ago make room for new ones.
///
/// A page may be stale: its rows are still shown, and a caller that wants the newest asks for it again.
template <typename Row> class RowCache {
public:
    /// @param pageSize  rows a page
    /// @param maxPages  pages kept at most, at least 1
    RowCache(std::size_t pageSize, std::size_t maxPages)
        : m_pageSize(pageSize)
        , m_maxPages(std::max<std::size_t>(maxPages, 1))
    {
    }

    std::size_t pageSize() const { return m_pageSize; }
    std::size_t pageOf(std::size_t row) const { return row / m_pageSize; }
    std::size_t pageCount() const { return m_pages.size(); }

    bool contains(std::size_t page) const { return m_pages.contains(page); }

    /// True where @p page must be fetched: it is missing or stale.
    bool isWanted(std::size_t page) const
    {
        const auto found = m_pages.find(page);
        return found == m_pages.end() || found->second.stale;
    }

    /// The row, or nullptr where its page is missing or the row has no content. Valid until the next insert or clear.
    const Row* find(std::size_t row) const
    {
        const auto found = m_pages.find(pageOf(row));
        if (found == m_pages.end())
            return nullptr;
        found->second.lastUse = ++m_clock;
        const std::size_t offset = row % m_pageSize;
        if (offset >= found->second.rows.size() || !found->second.rows[offset])
            return nullptr;
        return &*found->second.rows[offset];
    }

    /// Replaces @p page. An empty optional is a row that no longer exists.
    void insert(std::size_t page, std::vector<std::optional<Row>> rows)
    {
        m_pages[page] = Page{std::move(rows), ++m_clock, false};
        while (m_pages.size() > m_maxPages)
            dropOldest();
    }

    void markStale()
    {
        for (auto& [number, page] : m_pages)
            page.stale = true;
    }

    void clear() { m_pages.clear(); }

    /// At most @p count page numbers, the one used last first.
    std::vector<std::size_t> recentPages(std::size_t count) const
    {
        std::vector<std::pair<std::uint64_t, std::size_t>> byUse;
        for (const auto& [number, page] : m_pages)
            byUse.emplace_back(page.lastUse, number);
        std::sort(byUse.rbegin(), byUse.rend());
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < std::min(count, byUse.size()); ++i)
            numbers.push_back(byUse[i].second);
        return numbers;
    }

private:
    struct Page {
        std::vector<std::optional<Row>> rows;
        mutable std::uint64_t lastUse = 0;
        bool stale = false;
    };

    void dropOldest()
    {
        const auto oldest = std::min_element(m_pages.begin(), m_pages.end(),
                                             [](const auto& a, const auto& b) { return a.second.lastUse < b.second.lastUse; });
        m_pages.erase(oldest);
    }

    std::size_t m_pageSize;
    std::size_t m_maxPages;
    std::unordered_map<std::size_t, Page> m_pages;
    mutable std::uint64_t m_clock = 0;
};

} // namespace assay::views
