// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/overview_query.h"

#include "core/store/triage_filter.h"
#include "views/overview/link_filters.h"

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kAsPublished = "as-published";

void stopHere(const std::stop_token& stop)
{
    if (stop.stop_requested())
        throw Cancelled();
}

} // namespace

OverviewDataPtr loadOverview(store::Database& database, const store::Scope& scope, const QString& ruleSet, std::stop_token stop)
{
    const store::InterruptOnStop interrupt(database, stop);
    auto data = std::make_shared<OverviewData>();
    data->scope = scope;
    data->rules = report::ruleSetByName(database, scope.isJudged() ? kAsPublished : ruleSet.toStdString());
    data->report = report::buildReport(database, scope.id, data->rules);
    stopHere(stop);
    data->published = data->rules.name == kAsPublished
        ? data->report
        : report::buildReport(database, scope.id, report::ruleSetByName(database, kAsPublished));
    return data;
}

OverviewExtrasPtr loadOverviewExtras(store::Database& database, const store::Scope& scope, std::stop_token stop)
{
    const store::InterruptOnStop interrupt(database, stop);
    auto extras = std::make_shared<OverviewExtras>();
    extras->published = report::publishedNumbers(database, scope.corpusId);
    extras->adjusted = report::adjustedRateOf(database, scope);
    for (const contract::Gate gate : contract::kAllGates) {
        stopHere(stop);
        const QString filter = LinkFilters().gate(gate, u"hard"_s);
        extras->hardFailures[std::size_t(contract::indexOf(gate))]
            = store::triageCount(database, scope.id, store::parseFilter(filter.toStdString()));
    }
    stopHere(stop);
    extras->largestErrors = report::largestErrors(database, scope.id);
    return extras;
}

} // namespace assay::views
