// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/column_catalog.h"

namespace assay::views {

using store::TriageColumn;

const std::array<ColumnInfo, kColumnCount>& columnCatalog()
{
    static const std::array<ColumnInfo, kColumnCount> catalog = {{
        {TriageColumn::Id, QLatin1String("id"), QLatin1String("id"), QLatin1String("Id in the corpus"), 54, true, true, false},
        {TriageColumn::Title, QLatin1String("title"), QLatin1String("title"), QLatin1String("Title"), 152, true, false, false},
        {TriageColumn::Family, QLatin1String("family"), QLatin1String("family"), QLatin1String("Operation family"), 88, false,
         false, false},
        {TriageColumn::Language, QLatin1String("language"), QLatin1String("language"), QLatin1String("Language"), 76, false,
         false, false},
        {TriageColumn::Outcome, QLatin1String("outcome"), QLatin1String("outcome"), QLatin1String("Outcome under the contract"),
         100, true, false, false},
        {TriageColumn::Status, QLatin1String("status"), QLatin1String("status"), QLatin1String("Status as the audit wrote it"),
         110, false, false, false},
        {TriageColumn::Claim, QLatin1String("claim"), QLatin1String("claim"), QLatin1String("What the corpus claims"), 84, false,
         false, false},
        {TriageColumn::Baseline, QLatin1String("baseline"), QLatin1String("baseline"),
         QLatin1String("Verdict of the baseline harness"), 80, false, false, false},
        {TriageColumn::Gates, QLatin1String("gates"), QLatin1String("gates"), QLatin1String("The twelve gates"), 264, true, false,
         true},
        {TriageColumn::Reason, QLatin1String("reason"), QLatin1String("leading reason"),
         QLatin1String("Gate and reason of the leading finding"), 168, true, false, false},
        {TriageColumn::HardFailures, QLatin1String("hard"), QLatin1String("hard"),
         QLatin1String("Gates failed without any tolerance"), 52, false, true, true},
        {TriageColumn::SoftFailures, QLatin1String("soft"), QLatin1String("soft"),
         QLatin1String("Gates failed beyond a tolerance"), 52, false, true, true},
        {TriageColumn::Exercised, QLatin1String("exercised"), QLatin1String("exercised"),
         QLatin1String("Checks that ran, of all checks"), 78, false, true, false},
        {TriageColumn::Error, QLatin1String("error"), QLatin1String("error"), QLatin1String("Largest measured error"), 82, true,
         true, true},
        {TriageColumn::Relative, QLatin1String("relative"), QLatin1String("relative"),
         QLatin1String("Largest error over the output's scale"), 82, true, true, true},
        {TriageColumn::Speedup, QLatin1String("speedup"), QLatin1String("speedup"),
         QLatin1String("Claimed speed-up over the reference"), 80, false, true, true},
        {TriageColumn::Elapsed, QLatin1String("elapsed"), QLatin1String("elapsed"),
         QLatin1String("Seconds the audit spent on the kernel"), 72, false, true, true},
        {TriageColumn::Flags, QLatin1String("flags"), QLatin1String("marks"),
         QLatin1String("Bookmark, note, waiver, source at hand"), 80, true, false, true},
    }};
    return catalog;
}

const std::array<TriageColumn, kColumnCount>& defaultColumnOrder()
{
    static const std::array<TriageColumn, kColumnCount> order
        = {TriageColumn::Id,      TriageColumn::Title,        TriageColumn::Family,       TriageColumn::Language,
           TriageColumn::Outcome, TriageColumn::Gates,        TriageColumn::Error,        TriageColumn::Relative,
           TriageColumn::Reason,  TriageColumn::Baseline,     TriageColumn::Speedup,      TriageColumn::Status,
           TriageColumn::Claim,   TriageColumn::HardFailures, TriageColumn::SoftFailures, TriageColumn::Exercised,
           TriageColumn::Elapsed, TriageColumn::Flags};
    return order;
}

const ColumnInfo& columnInfo(TriageColumn column)
{
    return columnCatalog()[static_cast<std::size_t>(column)];
}

std::optional<TriageColumn> columnFromKey(const QString& key)
{
    for (const ColumnInfo& info : columnCatalog()) {
        if (info.key == key)
            return info.column;
    }
    return std::nullopt;
}

} // namespace assay::views
