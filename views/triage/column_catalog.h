// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"

#include <QLatin1String>
#include <QString>

#include <array>
#include <optional>

namespace assay::views {

/// What the table knows of a column before any row is there.
struct ColumnInfo {
    store::TriageColumn column;
    QLatin1String key;    ///< spelling in the session, in saved views and in JSON exports
    QLatin1String header; ///< short, in the header and in exports
    QLatin1String title;  ///< whole words, in the chooser and the header's tool tip
    int width;            ///< logical pixels at first start
    bool visible;         ///< at first start
    bool number;          ///< right-aligned, mono
    bool largestFirst;    ///< the direction of the first click on its header
};

inline constexpr int kColumnCount = 18;

/// Every column in model order; position i is TriageColumn i.
const std::array<ColumnInfo, kColumnCount>& columnCatalog();

/// From left to right at first start: what tells one kernel from the next stands where a narrow table still shows it.
const std::array<store::TriageColumn, kColumnCount>& defaultColumnOrder();

const ColumnInfo& columnInfo(store::TriageColumn column);
std::optional<store::TriageColumn> columnFromKey(const QString& key);

} // namespace assay::views
