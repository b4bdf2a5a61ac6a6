// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/overview/overview_data.h"

#include <QString>

#include <stop_token>

namespace assay::views {

/// Counts scope @p scope under the rule set called @p ruleSet. Runs on a reader thread. @throws Error, Cancelled
OverviewDataPtr loadOverview(store::Database& database, const store::Scope& scope, const QString& ruleSet, std::stop_token stop);

/// Hard failures a gate, largest errors and published figures of @p scope. @throws Error, Cancelled
OverviewExtrasPtr loadOverviewExtras(store::Database& database, const store::Scope& scope, std::stop_token stop);

} // namespace assay::views
