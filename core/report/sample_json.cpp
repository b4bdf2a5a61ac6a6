// SPDX-License-Identifier: Apache-2.0
#include "core/report/sample_report.h"
#include "core/text/object_text.h"

namespace assay::report {

namespace {

using json::ObjectText;

void range(ObjectText& object, std::string_view name, const sampling::Interval& interval)
{
    json::Writer& writer = object.key(name);
    writer.StartArray();
    json::writeNumber(writer, interval.low);
    json::writeNumber(writer, interval.high);
    writer.EndArray();
}

void rangeOrNull(ObjectText& object, std::string_view name, bool isKnown, const sampling::Interval& interval)
{
    if (isKnown)
        range(object, name, interval);
    else
        object.null(name);
}

void counts(ObjectText& object, const LabelCounts& labels)
{
    object.integer("labelled", labels.labelled());
    object.integer("confirmed", labels.confirmed);
    object.integer("false_positive", labels.falsePositive);
    object.integer("ambiguous", labels.ambiguous);
    object.integer("inconclusive", labels.inconclusive);
    object.integer("disputed", labels.disputed);
    for (const store::DefectSeverity severity : store::kDefectSeverities)
        object.integer(store::name(severity), labels.bySeverity[static_cast<std::size_t>(severity)]);
}

void estimateOrNull(ObjectText& object, std::string_view name, const std::optional<sampling::StratifiedEstimate>& estimate)
{
    if (!estimate) {
        object.null(name);
        return;
    }
    object.object(name, [&] {
        object.number("share", estimate->share);
        object.number("standard_error", estimate->standardError);
        object.number("effective_trials", estimate->effectiveTrials);
        range(object, "wilson95", estimate->wilson);
        rangeOrNull(object, "logit95", estimate->logit.has_value(), estimate->logit.value_or(sampling::Interval{}));
        object.number("total", estimate->successTotal);
        object.integer("covered", estimate->coveredItems);
        object.integer("frame", estimate->frameItems);
        object.flag("uniform_stratum", estimate->isUniform);
    });
}

void planMembers(ObjectText& object, const store::SamplePlan& plan)
{
    object.text("name", plan.name);
    object.text("origin", plan.origin == store::PlanOrigin::Published ? "published" : "drawn");
    object.text("corpus", plan.corpus);
    object.text("audit", plan.audit);
    object.text("filter", plan.filter);
    std::vector<std::string_view> by;
    for (const store::StratifyBy one : plan.by)
        by.push_back(store::name(one));
    object.texts("by", by);
    object.text("allocation", plan.origin == store::PlanOrigin::Published ? "" : sampling::name(plan.rule));
    object.integer("size", plan.size);
    object.text("seed", plan.origin == store::PlanOrigin::Published ? "" : std::to_string(plan.seed));
    object.text("prior", plan.prior);
    object.text("source", plan.source);
    object.integer("frame", plan.frame);
    object.text("frame_sql", plan.frameSql);
    object.text("frame_hash", plan.frameHash);
    object.integer("allocated", plan.allocated());
    object.integer("drawn", plan.drawn());
    object.text("created_at", plan.createdAt);
}

} // namespace

std::string toJson(const store::SamplePlan& plan)
{
    ObjectText object("assay.sample-plan/1");
    planMembers(object, plan);
    object.objects("strata", plan.strata, [&](const store::PlanStratum& stratum) {
        object.text("name", stratum.name);
        object.integer("population", stratum.population);
        object.integer("allocated", stratum.allocated);
        object.integer("drawn", stratum.drawn);
    });
    return object.finish();
}

std::string toJson(const SampleEstimate& estimate)
{
    ObjectText object("assay.sample/1");
    object.object("plan", [&] { planMembers(object, estimate.plan); });
    counts(object, estimate.labels);
    const bool isDecided = estimate.labels.decided() > 0;
    object.object("pooled", [&] {
        rangeOrNull(object, "clopper_pearson95", isDecided, estimate.pooledClopperPearson);
        rangeOrNull(object, "wilson95", isDecided, estimate.pooledWilson);
    });
    estimateOrNull(object, "precision", estimate.precision);
    estimateOrNull(object, "confirmed_of_labelled", estimate.confirmed);
    object.objects("strata", estimate.strata, [&](const StratumEstimate& one) {
        object.text("name", one.stratum.name);
        object.integer("population", one.stratum.population);
        object.integer("drawn", one.stratum.drawn);
        counts(object, one.labels);
        const bool known = one.labels.decided() > 0;
        rangeOrNull(object, "clopper_pearson95", known, one.clopperPearson);
        rangeOrNull(object, "wilson95", known, one.wilson);
        if (!one.finite) {
            object.null("hypergeometric95");
            return;
        }
        json::Writer& writer = object.key("hypergeometric95");
        writer.StartArray();
        writer.Int64(one.finite->low);
        writer.Int64(one.finite->high);
        writer.EndArray();
    });
    object.objects("gates", estimate.gates, [&](const GateEstimate& one) {
        object.text("id", contract::id(one.gate));
        counts(object, one.labels);
        estimateOrNull(object, "precision", one.precision);
        rangeOrNull(object, "clopper_pearson95", one.labels.decided() > 0, one.clopperPearson);
    });
    if (estimate.adjusted) {
        object.object("adjusted_rate", [&] {
            object.integer("audited", estimate.adjusted->audited);
            object.number("flagged", estimate.adjusted->flagged);
            object.number("adjusted", estimate.adjusted->adjusted);
            range(object, "interval95", estimate.adjusted->interval);
        });
    } else {
        object.null("adjusted_rate");
    }
    object.texts("reviewers", estimate.reviewers);
    object.integer("labelled_twice", estimate.labelledTwice);
    object.integer("labels", estimate.holdingLabels);
    object.integer("blind_labels", estimate.blindLabels);
    object.objects("agreement", estimate.pairs, [&](const ReviewerPair& pair) {
        object.text("first", pair.first);
        object.text("second", pair.second);
        object.integer("items", pair.agreement.items);
        object.integer("agreed", pair.agreement.agreed);
        object.optional("kappa", pair.agreement.kappa);
        object.number("pabak", pair.agreement.pabak);
        rangeOrNull(object, "kappa_bootstrap95", pair.bootstrap.interval.has_value(),
                    pair.bootstrap.interval.value_or(sampling::Interval{}));
        object.integer("resamples", pair.bootstrap.resamples);
        object.integer("resamples_undefined", pair.bootstrap.undefined);
    });
    return object.finish();
}

} // namespace assay::report
