// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/audit/audit_data.h"

#include <algorithm>

namespace assay::views {

AuditData loadAuditData(store::Database& database, const std::string& plan)
{
    AuditData data;
    data.plans = store::samplePlans(database);
    data.reasons = store::reasonCodes(database);
    data.published = store::publishedSamples(database);
    if (data.plans.empty())
        return data;
    const bool isThere = std::ranges::find(data.plans, plan, &store::SamplePlan::name) != data.plans.end();
    data.estimate = report::estimateSample(database, isThere ? plan : data.plans.front().name);
    data.items = store::sampleItems(database, data.estimate->plan.id);
    data.history = store::labelHistory(database, data.estimate->plan.id);
    return data;
}

} // namespace assay::views
