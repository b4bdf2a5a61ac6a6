// SPDX-License-Identifier: Apache-2.0
#include "core/report/sample_words.h"

#include "core/report/numbers_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay::report {

namespace {

/// An effective size below this part of the real one is worth a sentence.
constexpr double kCostly = 0.75;

/// Three digits, which is what a sample of tens can tell; exact ends are written as such.
std::string share(double value)
{
    if (value == 0 || value == 1)
        return value == 0 ? "0" : "1";
    return fixed(value, 3);
}

std::string ratio(std::int64_t part, std::int64_t whole)
{
    return fmt::format("{} of {}", grouped(part), grouped(whole));
}

/// Shares have an interval only where something was decided.
std::string rangeOf(std::int64_t decided, const sampling::Interval& interval)
{
    return decided > 0 ? shareRange(interval) : std::string("-");
}

std::string strataWords(const store::SamplePlan& plan)
{
    std::vector<std::string_view> by;
    for (const store::StratifyBy one : plan.by)
        by.push_back(one == store::StratifyBy::Channel ? "primary channel of failure" : store::name(one));
    return by.empty() ? "It was not stratified" : fmt::format("Strata are the {}", fmt::join(by, " crossed with the "));
}

std::string allocationWords(const store::SamplePlan& plan)
{
    switch (plan.rule) {
    case sampling::AllocationRule::Proportional:
        return "in proportion to their sizes";
    case sampling::AllocationRule::Equal:
        return "in equal parts";
    case sampling::AllocationRule::Neyman:
        return plan.prior.empty()
            ? std::string("by Neyman's rule with no earlier labels, which is in proportion to their sizes")
            : fmt::format("by Neyman's rule, their spread taken from the labels of plan \"{}\" (Jeffreys' prior)", plan.prior);
    }
    return {};
}

std::string frameWords(const store::SamplePlan& plan)
{
    const std::string audit = plan.audit.empty() ? plan.corpus : fmt::format("audit \"{}\" of {}", plan.audit, plan.corpus);
    if (plan.origin == store::PlanOrigin::Published)
        return fmt::format(
            "The sample was drawn and published by the authors of {} ({}). They state a frame of {} kernels, which "
            "is not published row by row, so the draw can neither be repeated nor extended here.",
            audit, plan.source, grouped(plan.frame));
    return fmt::format("The frame is the {} kernels of {} that match \"{}\" (SHA-256 of the frame {}).", grouped(plan.frame),
                       audit, plan.filter.empty() ? "everything" : plan.filter, plan.frameHash);
}

std::string drawWords(const store::SamplePlan& plan)
{
    if (plan.origin == store::PlanOrigin::Published)
        return fmt::format("Strata are the primary channel of failure; {} kernels were picked.", grouped(plan.drawn()));
    return fmt::format(
        "{}. {} kernels were allocated to them {}, with at least {} a stratum and strata of up to {} taken whole. Within a "
        "stratum "
        "kernels are drawn in the order of Philox4x32-10 under seed {} over their identity (the SHA-256 of candidate and "
        "reference, else corpus and id), so the draw repeats on any machine and an extension keeps what was drawn. {} are drawn.",
        strataWords(plan), grouped(plan.allocated()), allocationWords(plan), sampling::kFewestItems, sampling::kCensusSize,
        plan.seed, grouped(plan.drawn()));
}

std::string labelWords(const SampleEstimate& estimate)
{
    if (estimate.holdingLabels == 0)
        return "Nothing is labelled yet.";
    return fmt::format("Each kernel gets one of four labels: confirmed defect, harness false positive, contract-ambiguous, "
                       "inconclusive. {} label{} of {} ({}) hold{}; {} of them {} given before the reviewer saw the verdict. "
                       "{} of {} labelled kernels have two reviewers or more. Labels are only ever added: one is taken back "
                       "by a record that names it.",
                       grouped(estimate.holdingLabels), estimate.holdingLabels == 1 ? "" : "s",
                       estimate.reviewers.size() == 1 ? "one reviewer" : fmt::format("{} reviewers", estimate.reviewers.size()),
                       fmt::join(estimate.reviewers, ", "), estimate.holdingLabels == 1 ? "s" : "", grouped(estimate.blindLabels),
                       estimate.blindLabels == 1 ? "was" : "were", grouped(estimate.labelledTwice),
                       grouped(estimate.labels.labelled()));
}

} // namespace

std::string shareRange(const sampling::Interval& interval)
{
    return share(interval.low) + " to " + share(interval.high);
}

std::string sentence(const std::optional<sampling::StratifiedEstimate>& estimate)
{
    if (!estimate)
        return "not known: nothing is decided yet";
    if (!std::isfinite(estimate->effectiveTrials))
        return share(estimate->share) + " (every kernel was labelled: no sampling error)";
    return fmt::format("{} (95 % interval {}, as much as {:.1f} kernels drawn at random)", share(estimate->share),
                       shareRange(estimate->wilson), estimate->effectiveTrials);
}

std::string sentence(const ReviewerPair& pair)
{
    std::string text
        = fmt::format("{} against {}: {} alike", pair.first, pair.second, ratio(pair.agreement.agreed, pair.agreement.items));
    if (!pair.agreement.kappa)
        return text + ", all of them under one label, where kappa has no value";
    text += fmt::format(", Cohen's kappa {:.3f}", *pair.agreement.kappa);
    if (pair.bootstrap.interval)
        text += fmt::format(" (95 % bootstrap interval {:.3f} to {:.3f} over {} resamples{})", pair.bootstrap.interval->low,
                            pair.bootstrap.interval->high, grouped(pair.bootstrap.resamples - pair.bootstrap.undefined),
                            pair.bootstrap.undefined > 0 ? fmt::format(", {} without a value left out", pair.bootstrap.undefined)
                                                         : std::string());
    return text + fmt::format(", PABAK {:.3f}", pair.agreement.pabak);
}

std::vector<std::string> methodParagraphs(const SampleEstimate& estimate)
{
    return {
        frameWords(estimate.plan) + " " + drawWords(estimate.plan), labelWords(estimate),
        "Precision is confirmed / (confirmed + false positive), estimated as a combined ratio over the strata with weights N_h / "
        "N "
        "and finite-population correction (Cochran 1977, section 6.11). Its 95 % interval is Wilson's at the effective sample "
        "size p (1 - p) / Var; where a stratum answered all alike, its spread is that of Jeffreys' prior. Strata show the "
        "exact Clopper-Pearson and the Wilson interval, and the exact hypergeometric one where more than a fifth of them is "
        "labelled."};
}

/// "Of the confirmed, 3 are critical, 2 major, 1 minor; 4 were not weighed.", "" where nobody weighed any.
std::string severityWords(const LabelCounts& labels)
{
    std::int64_t weighed = 0;
    std::string parts;
    for (const store::DefectSeverity severity : store::kDefectSeverities) {
        const std::int64_t count = labels.bySeverity[static_cast<std::size_t>(severity)];
        weighed += count;
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, store::name(severity));
    }
    if (weighed == 0)
        return {};
    return fmt::format("Of the confirmed, {}; {} not weighed.", parts, labels.confirmed - weighed);
}

std::vector<std::string> resultSentences(const SampleEstimate& estimate)
{
    std::vector<std::string> sentences;
    const LabelCounts& labels = estimate.labels;
    sentences.push_back(fmt::format("Labelled: {}. {} confirmed, {} false positive, {} ambiguous, {} inconclusive, {} disputed.",
                                    ratio(labels.labelled(), estimate.plan.drawn()), labels.confirmed, labels.falsePositive,
                                    labels.ambiguous, labels.inconclusive, labels.disputed));
    if (labels.labelled() == 0)
        return sentences;
    if (const std::string weighed = severityWords(labels); !weighed.empty())
        sentences.push_back(weighed);
    sentences.push_back("Precision over the frame: " + sentence(estimate.precision) + ".");
    if (estimate.confirmed && labels.decided() < labels.labelled())
        sentences.push_back("With every open label counted as no defect: " + sentence(estimate.confirmed) + ".");
    if (labels.decided() > 0)
        sentences.push_back(
            fmt::format("Of the decided kernels alone, whatever their stratum, {} are confirmed: Clopper-Pearson {}, "
                        "Wilson {}.",
                        ratio(labels.confirmed, labels.decided()), shareRange(estimate.pooledClopperPearson),
                        shareRange(estimate.pooledWilson)));
    if (estimate.adjusted)
        sentences.push_back(fmt::format(
            "The frame is {} of {} audited kernels; adjusted by the labels, {} of them are defects (95 % "
            "interval {} to {}).",
            percent(estimate.adjusted->flagged), grouped(estimate.adjusted->audited), percent(estimate.adjusted->adjusted),
            percent(estimate.adjusted->interval.low), percent(estimate.adjusted->interval.high)));
    return sentences;
}

std::vector<std::string> limits(const SampleEstimate& estimate)
{
    std::vector<std::string> found;
    const LabelCounts& labels = estimate.labels;
    const std::int64_t open = labels.labelled() - labels.decided();
    if (labels.labelled() < estimate.plan.drawn())
        found.push_back(fmt::format("{} drawn kernels are not labelled yet; the estimates speak of those that are.",
                                    grouped(estimate.plan.drawn() - labels.labelled())));
    if (estimate.precision && estimate.precision->coveredItems < estimate.precision->frameItems)
        found.push_back(fmt::format("Strata with {} of the frame's {} kernels have no label and are outside the estimate.",
                                    grouped(estimate.precision->frameItems - estimate.precision->coveredItems),
                                    grouped(estimate.precision->frameItems)));
    if (estimate.precision && estimate.precision->isUniform)
        found.push_back("A stratum answered all alike; its spread is assumed, not seen.");
    if (estimate.precision && std::isfinite(estimate.precision->effectiveTrials)
        && estimate.precision->effectiveTrials < kCostly * static_cast<double>(labels.decided()))
        found.push_back(
            fmt::format("The allocation costs precision: {} decided kernels tell as much about the frame as {:.1f} drawn "
                        "at random, because large strata were sampled thinly.",
                        grouped(labels.decided()), estimate.precision->effectiveTrials));
    if (open > 0)
        found.push_back(fmt::format(
            "{} kernels are open (ambiguous, inconclusive or disputed) and count neither way in the precision.", grouped(open)));
    if (labels.labelled() > 0 && estimate.reviewers.size() < 2)
        found.push_back("One reviewer labelled everything: how far another would agree is not known.");
    else if (labels.labelled() > 0 && 10 * estimate.labelledTwice < 3 * labels.labelled())
        found.push_back("Fewer than three in ten labelled kernels were seen by a second reviewer.");
    if (estimate.blindLabels < estimate.holdingLabels)
        found.push_back(fmt::format("{} labels were given after the verdict was shown.",
                                    grouped(estimate.holdingLabels - estimate.blindLabels)));
    return found;
}

TextTable stratumTable(const SampleEstimate& estimate)
{
    TextTable table;
    table.heads = {"stratum",     "frame",
                   "drawn",       "labelled",
                   "confirmed",   "false positive",
                   "open",        "Clopper-Pearson 95 %",
                   "Wilson 95 %", "confirmed in the stratum"};
    table.isNumber = {false, true, true, true, true, true, true, true, true, true};
    for (const StratumEstimate& one : estimate.strata) {
        const LabelCounts& labels = one.labels;
        const bool isCensus = labels.decided() > 0 && labels.decided() == one.stratum.population;
        table.rows.push_back({one.stratum.name, grouped(one.stratum.population), grouped(one.stratum.drawn),
                              grouped(labels.labelled()), grouped(labels.confirmed), grouped(labels.falsePositive),
                              grouped(labels.labelled() - labels.decided()),
                              isCensus ? "all seen" : rangeOf(labels.decided(), one.clopperPearson),
                              isCensus ? "all seen" : rangeOf(labels.decided(), one.wilson),
                              one.finite ? fmt::format("{} to {}", grouped(one.finite->low), grouped(one.finite->high)) : "-"});
    }
    return table;
}

TextTable gateTable(const SampleEstimate& estimate)
{
    TextTable table;
    table.heads = {"gate", "labelled failures", "confirmed",     "false positive",
                   "open", "precision",         "95 % interval", "Clopper-Pearson, unweighted"};
    table.isNumber = {false, true, true, true, true, true, true, true};
    for (const GateEstimate& one : estimate.gates) {
        const LabelCounts& labels = one.labels;
        table.rows.push_back({std::string(contract::id(one.gate)), grouped(labels.labelled()), grouped(labels.confirmed),
                              grouped(labels.falsePositive), grouped(labels.labelled() - labels.decided()),
                              one.precision ? share(one.precision->share) : "-",
                              one.precision ? shareRange(one.precision->wilson) : "-",
                              rangeOf(labels.decided(), one.clopperPearson)});
    }
    return table;
}

std::string finalWord(const ReportItem& item)
{
    if (!item.final)
        return "not labelled";
    return item.final->label ? std::string(store::title(*item.final->label)) : "disputed";
}

} // namespace assay::report
