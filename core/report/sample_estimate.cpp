// SPDX-License-Identifier: Apache-2.0
#include "core/report/sample_estimate.h"

#include "core/report/sql.h"
#include "core/sampling/clopper_pearson.h"
#include "core/store/triage.h"

#include <algorithm>
#include <map>
#include <set>

namespace assay::report {

namespace {

using store::AuditLabel;

/// From this share on, that the population is finite narrows the interval to speak of. Source: gates.md section 8.
constexpr double kFiniteShare = 0.2;

/// A labelled kernel: where it stands and what it fails.
struct Judged {
    std::size_t stratum = 0;
    store::FinalLabel label;
    int failMask = 0;
};

std::optional<store::Scope> scopeOf(store::Database& database, const store::SamplePlan& plan)
{
    for (store::Scope& scope : store::scopes(database)) {
        if (scope.corpusName == plan.corpus && scope.auditName == plan.audit)
            return std::move(scope);
    }
    return std::nullopt;
}

std::map<std::int64_t, int> failMasks(store::Database& database, const std::optional<store::Scope>& scope,
                                      const std::vector<store::SampleItem>& items)
{
    std::map<std::int64_t, int> masks;
    if (!scope)
        return masks;
    std::vector<std::int64_t> ids;
    for (const store::SampleItem& item : items)
        ids.push_back(item.kernelId);
    for (const store::TriageRow& row : store::triageRows(database, scope->id, ids))
        masks[row.kernelId] = row.strip.failMask();
    return masks;
}

std::vector<Judged> judgedItems(store::Database& database, const store::SamplePlan& plan,
                                const std::vector<store::LabelRow>& history, const std::optional<store::Scope>& scope)
{
    const std::vector<store::SampleItem> items = store::sampleItems(database, plan.id);
    const auto masks = failMasks(database, scope, items);
    const auto finals = store::finalLabels(history);
    std::vector<Judged> judged;
    for (const store::SampleItem& item : items) {
        const auto final = finals.find(item.id);
        const auto stratum = std::ranges::find(plan.strata, item.stratum, &store::PlanStratum::name);
        if (final == finals.end() || stratum == plan.strata.end())
            continue;
        const auto mask = masks.find(item.kernelId);
        judged.push_back(
            {static_cast<std::size_t>(stratum - plan.strata.begin()), final->second, mask == masks.end() ? 0 : mask->second});
    }
    return judged;
}

std::vector<StratumEstimate> strataOf(const store::SamplePlan& plan, const std::vector<Judged>& judged)
{
    std::vector<StratumEstimate> strata;
    for (const store::PlanStratum& stratum : plan.strata)
        strata.push_back({stratum, {}, {}, {}, {}});
    for (const Judged& one : judged)
        strata[one.stratum].labels.add(one.label);
    for (StratumEstimate& one : strata) {
        const LabelCounts& labels = one.labels;
        one.clopperPearson = sampling::clopperPearson(labels.confirmed, labels.decided());
        one.wilson = sampling::wilson(labels.confirmed, labels.decided());
        const auto population = static_cast<double>(one.stratum.population);
        if (labels.labelled() > 0 && static_cast<double>(labels.labelled()) > kFiniteShare * population)
            one.finite = sampling::hypergeometricInterval(labels.confirmed, labels.labelled(), one.stratum.population);
    }
    return strata;
}

/// Tallies over the strata of those labelled kernels that @p belongs takes.
template <typename Belongs>
std::vector<sampling::StratumTally> tallies(const store::SamplePlan& plan, const std::vector<Judged>& judged, Belongs belongs)
{
    std::vector<sampling::StratumTally> tallies;
    for (const store::PlanStratum& stratum : plan.strata)
        tallies.push_back({stratum.population, 0, 0, 0});
    for (const Judged& one : judged) {
        sampling::StratumTally& tally = tallies[one.stratum];
        ++tally.labelled;
        if (!belongs(one))
            continue;
        ++tally.domain;
        tally.successes += one.label.label == AuditLabel::Confirmed ? 1 : 0;
    }
    return tallies;
}

bool isDecided(const Judged& one)
{
    return one.label.label && store::isDecided(*one.label.label);
}

std::vector<GateEstimate> gatesOf(const store::SamplePlan& plan, const std::vector<Judged>& judged)
{
    std::vector<GateEstimate> gates;
    for (const contract::Gate gate : contract::kAllGates) {
        const auto fails = [&](const Judged& one) { return ((one.failMask >> contract::indexOf(gate)) & 1) != 0; };
        GateEstimate estimate;
        estimate.gate = gate;
        for (const Judged& one : judged) {
            if (fails(one))
                estimate.labels.add(one.label);
        }
        if (estimate.labels.labelled() == 0)
            continue;
        estimate.precision = sampling::stratifiedEstimate(
            tallies(plan, judged, [&](const Judged& one) { return fails(one) && isDecided(one); }));
        estimate.clopperPearson = sampling::clopperPearson(estimate.labels.confirmed, estimate.labels.decided());
        gates.push_back(estimate);
    }
    return gates;
}

/// Lists the audited kernels of a plan's frame.
std::string auditedFrame(const store::SamplePlan& plan)
{
    return plan.filter.empty() ? "is:audited" : plan.filter + " is:audited";
}

std::optional<AdjustedRate> adjustedRate(store::Database& database, const store::SamplePlan& plan,
                                         const std::optional<sampling::StratifiedEstimate>& precision,
                                         const std::optional<store::Scope>& scope)
{
    if (!scope || !scope->auditId || !precision)
        return std::nullopt;
    AdjustedRate rate;
    rate.audited = store::triageCount(database, scope->id, store::parseFilter("is:audited"));
    if (rate.audited == 0 || plan.frame > rate.audited)
        return std::nullopt;
    if (plan.origin == store::PlanOrigin::Drawn
        && store::triageCount(database, scope->id, store::parseFilter(auditedFrame(plan))) != plan.frame)
        return std::nullopt;
    rate.flagged = static_cast<double>(plan.frame) / static_cast<double>(rate.audited);
    rate.adjusted = rate.flagged * precision->share;
    rate.interval = {rate.flagged * precision->wilson.low, rate.flagged * precision->wilson.high};
    return rate;
}

void addReviewers(SampleEstimate& estimate, const std::vector<store::LabelRow>& history)
{
    std::map<std::string, std::map<std::int64_t, AuditLabel>> byReviewer;
    std::map<std::int64_t, int> reviewersOf;
    for (const store::LabelRow& row : store::holdingLabels(history)) {
        if (row.kind != "label")
            continue;
        byReviewer[row.reviewer][row.itemId] = *row.label;
        ++reviewersOf[row.itemId];
        ++estimate.holdingLabels;
        estimate.blindLabels += row.blinded ? 1 : 0;
    }
    estimate.labelledTwice = std::ranges::count_if(reviewersOf, [](const auto& entry) { return entry.second >= 2; });
    for (auto first = byReviewer.begin(); first != byReviewer.end(); ++first) {
        estimate.reviewers.push_back(first->first);
        for (auto second = std::next(first); second != byReviewer.end(); ++second) {
            std::vector<sampling::LabelPair> pairs;
            for (const auto& [item, label] : first->second) {
                const auto other = second->second.find(item);
                if (other != second->second.end())
                    pairs.push_back({static_cast<int>(label), static_cast<int>(other->second)});
            }
            constexpr int kCategories = static_cast<int>(store::kAuditLabels.size());
            if (const auto agreement = sampling::labelAgreement(pairs, kCategories))
                estimate.pairs.push_back(
                    {first->first, second->first, *agreement, sampling::bootstrapKappa(pairs, kCategories, estimate.plan.seed)});
        }
    }
}

} // namespace

void LabelCounts::add(const store::FinalLabel& label)
{
    if (!label.label) {
        ++disputed;
        return;
    }
    switch (*label.label) {
    case AuditLabel::Confirmed:
        ++confirmed;
        if (label.severity)
            ++bySeverity[static_cast<std::size_t>(*label.severity)];
        break;
    case AuditLabel::FalsePositive:
        ++falsePositive;
        break;
    case AuditLabel::Ambiguous:
        ++ambiguous;
        break;
    case AuditLabel::Inconclusive:
        ++inconclusive;
        break;
    }
}

std::optional<PlanRate> adjustedRateOf(store::Database& database, const store::Scope& scope)
{
    std::optional<PlanRate> found;
    for (const store::SamplePlan& plan : store::samplePlans(database)) {
        if (plan.corpus != scope.corpusName || plan.audit != scope.auditName)
            continue;
        const std::vector<Judged> judged = judgedItems(database, plan, store::labelHistory(database, plan.id), scope);
        const auto decided = std::int64_t{std::ranges::count_if(judged, isDecided)};
        if (decided == 0 || (found && found->decided >= decided))
            continue;
        const auto precision = sampling::stratifiedEstimate(tallies(plan, judged, isDecided));
        if (const auto rate = adjustedRate(database, plan, precision, scope))
            found = PlanRate{plan.name,
                             plan.origin == store::PlanOrigin::Drawn ? auditedFrame(plan) : std::string(),
                             plan.frame,
                             decided,
                             precision->coveredItems < precision->frameItems,
                             *rate};
    }
    return found;
}

SampleEstimate estimateSample(store::Database& database, const std::string& planName)
{
    SampleEstimate estimate;
    estimate.plan = store::findPlan(database, planName);
    const std::vector<store::LabelRow> history = store::labelHistory(database, estimate.plan.id);
    const auto scope = scopeOf(database, estimate.plan);
    const std::vector<Judged> judged = judgedItems(database, estimate.plan, history, scope);
    estimate.strata = strataOf(estimate.plan, judged);
    for (const Judged& one : judged)
        estimate.labels.add(one.label);
    estimate.pooledClopperPearson = sampling::clopperPearson(estimate.labels.confirmed, estimate.labels.decided());
    estimate.pooledWilson = sampling::wilson(estimate.labels.confirmed, estimate.labels.decided());
    estimate.precision = sampling::stratifiedEstimate(tallies(estimate.plan, judged, isDecided));
    estimate.confirmed = sampling::stratifiedEstimate(tallies(estimate.plan, judged, [](const Judged&) { return true; }));
    estimate.gates = gatesOf(estimate.plan, judged);
    estimate.adjusted = adjustedRate(database, estimate.plan, estimate.precision, scope);
    addReviewers(estimate, history);
    return estimate;
}

} // namespace assay::report
