// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace assay::views {

/// The kernels of a sample one after the other, as one reviewer walks through them. Knows what was asked to be written but is not
/// on disk yet, so that a quick hand is never a kernel behind.
class AuditQueue {
public:
    void setData(std::vector<store::SampleItem> items, std::vector<store::LabelRow> history);
    void setReviewer(const std::string& reviewer);
    /// Walks through the kernels on which reviewers differ instead, and labels are adjudications.
    void setAdjudicating(bool on);
    bool isAdjudicating() const { return m_isAdjudicating; }
    const std::string& reviewer() const { return m_reviewer; }

    /// The kernel to judge; nullptr while there is none.
    const store::SampleItem* current() const;
    void goTo(std::int64_t itemId);
    void step(int by); ///< +1 the next kernel, -1 the one before; stays at the ends
    /// To the first kernel behind the current one that has no label yet, from the start after the end; stays where all have one.
    void toNextOpen();

    std::size_t total() const { return m_shown.size(); }
    std::size_t done() const;
    std::size_t place() const; ///< of current(), from 1; 0 while there is none
    bool isDone(std::int64_t itemId) const;

    /// The label of this reviewer (of the adjudication, while adjudicating) that holds for an item.
    std::optional<store::LabelRow> ownLabel(std::int64_t itemId) const;
    /// What every reviewer said of an item; for adjudicators alone.
    std::vector<store::LabelRow> labelsOf(std::int64_t itemId) const;
    bool isRevealed(std::int64_t itemId) const;
    /// Kernels on which reviewers differ.
    std::size_t disputed() const;

    /// A label, or a reveal, is on its way to the disk.
    void markWritten(std::int64_t itemId) { m_onTheWay.insert(itemId); }
    void markRevealed(std::int64_t itemId) { m_revealing.insert(itemId); }

private:
    void choose();
    bool isDisputed(std::int64_t itemId) const;

    std::vector<store::SampleItem> m_items;
    std::vector<store::LabelRow> m_history;
    std::vector<store::LabelRow> m_holding;
    std::vector<std::size_t> m_shown; ///< indices into m_items
    std::size_t m_at = 0;             ///< index into m_shown
    std::string m_reviewer;
    bool m_isAdjudicating = false;
    std::set<std::int64_t> m_onTheWay;
    std::set<std::int64_t> m_revealing;
};

} // namespace assay::views
