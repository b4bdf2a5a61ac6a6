// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/extremes.h"
#include "core/report/report.h"
#include "core/report/rule_set.h"
#include "core/report/sample_estimate.h"
#include "core/store/triage.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace assay::views {

/// What the overview shows first: the audit under the chosen rules, and under its own for the difference.
struct OverviewData {
    store::Scope scope;
    report::RuleSet rules;
    report::AuditReport report;
    report::AuditReport published;
};

/// What may arrive later without holding up the headline.
struct OverviewExtras {
    std::array<std::int64_t, contract::kGateCount> hardFailures{}; ///< audited rows that fail the gate without any tolerance
    std::vector<report::LargestError> largestErrors;
    std::vector<report::PublishedNumber> published;
    std::optional<report::PlanRate> adjusted; ///< after what reviewers labelled by hand
};

using OverviewDataPtr = std::shared_ptr<const OverviewData>;
using OverviewExtrasPtr = std::shared_ptr<const OverviewExtras>;

} // namespace assay::views
