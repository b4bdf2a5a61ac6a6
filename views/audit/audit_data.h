// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/sample_estimate.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::views {

/// What the audit place shows of the database, read at one go.
struct AuditData {
    std::vector<store::SamplePlan> plans;           ///< newest first
    std::optional<report::SampleEstimate> estimate; ///< of the chosen plan; nothing while there is no plan
    std::vector<store::SampleItem> items;
    std::vector<store::LabelRow> history;
    std::vector<std::string> reasons;
    std::vector<std::string> published; ///< corpora whose published sample is no plan yet
};

/// @param plan  name of the chosen plan; "" or one that is gone: the newest
AuditData loadAuditData(store::Database& database, const std::string& plan);

} // namespace assay::views
