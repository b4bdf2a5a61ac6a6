// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/audit_queue.h"

#include <algorithm>
#include <utility>

namespace assay::views {

void AuditQueue::setData(std::vector<store::SampleItem> items, std::vector<store::LabelRow> history)
{
    m_items = std::move(items);
    m_history = std::move(history);
    m_holding = store::holdingLabels(m_history);
    m_onTheWay.clear();
    m_revealing.clear();
    choose();
}

void AuditQueue::setReviewer(const std::string& reviewer)
{
    m_reviewer = reviewer;
}

void AuditQueue::setAdjudicating(bool on)
{
    m_isAdjudicating = on;
    choose();
}

void AuditQueue::choose()
{
    const std::int64_t before = current() != nullptr ? current()->id : 0;
    m_shown.clear();
    for (std::size_t i = 0; i < m_items.size(); ++i) {
        if (!m_isAdjudicating || isDisputed(m_items[i].id))
            m_shown.push_back(i);
    }
    m_at = 0;
    const auto kept = std::ranges::find(m_shown, before, [&](std::size_t i) { return m_items[i].id; });
    if (kept != m_shown.end())
        m_at = static_cast<std::size_t>(kept - m_shown.begin());
    else if (!m_shown.empty() && isDone(current()->id))
        toNextOpen();
}

const store::SampleItem* AuditQueue::current() const
{
    return m_at < m_shown.size() && m_shown[m_at] < m_items.size() ? &m_items[m_shown[m_at]] : nullptr;
}

void AuditQueue::goTo(std::int64_t itemId)
{
    const auto found = std::ranges::find(m_shown, itemId, [&](std::size_t i) { return m_items[i].id; });
    if (found != m_shown.end())
        m_at = static_cast<std::size_t>(found - m_shown.begin());
}

void AuditQueue::step(int by)
{
    if (by < 0 && m_at > 0)
        --m_at;
    else if (by > 0 && m_at + 1 < m_shown.size())
        ++m_at;
}

void AuditQueue::toNextOpen()
{
    for (std::size_t i = 1; i <= m_shown.size(); ++i) {
        const std::size_t at = (m_at + i) % m_shown.size();
        if (!isDone(m_items[m_shown[at]].id)) {
            m_at = at;
            return;
        }
    }
}

std::size_t AuditQueue::done() const
{
    return static_cast<std::size_t>(std::ranges::count_if(m_shown, [&](std::size_t i) { return isDone(m_items[i].id); }));
}

std::size_t AuditQueue::place() const
{
    return current() == nullptr ? 0 : m_at + 1;
}

bool AuditQueue::isDone(std::int64_t itemId) const
{
    return m_onTheWay.contains(itemId) || ownLabel(itemId).has_value();
}

std::optional<store::LabelRow> AuditQueue::ownLabel(std::int64_t itemId) const
{
    const std::string_view kind = m_isAdjudicating ? "adjudication" : "label";
    const auto found = std::find_if(m_holding.rbegin(), m_holding.rend(), [&](const store::LabelRow& row) {
        return row.itemId == itemId && row.kind == kind && (m_isAdjudicating || row.reviewer == m_reviewer);
    });
    return found == m_holding.rend() ? std::nullopt : std::optional(*found);
}

std::vector<store::LabelRow> AuditQueue::labelsOf(std::int64_t itemId) const
{
    std::vector<store::LabelRow> rows;
    std::ranges::copy_if(m_holding, std::back_inserter(rows),
                         [&](const store::LabelRow& row) { return row.itemId == itemId && row.kind == "label"; });
    return rows;
}

bool AuditQueue::isRevealed(std::int64_t itemId) const
{
    return m_revealing.contains(itemId) || std::ranges::any_of(m_history, [&](const store::LabelRow& row) {
               return row.itemId == itemId && row.kind == "reveal" && row.reviewer == m_reviewer;
           });
}

bool AuditQueue::isDisputed(std::int64_t itemId) const
{
    const std::vector<store::LabelRow> rows = labelsOf(itemId);
    return std::ranges::any_of(rows, [&](const store::LabelRow& row) { return row.label != rows.front().label; });
}

std::size_t AuditQueue::disputed() const
{
    return static_cast<std::size_t>(
        std::ranges::count_if(m_items, [&](const store::SampleItem& item) { return isDisputed(item.id); }));
}

} // namespace assay::views
