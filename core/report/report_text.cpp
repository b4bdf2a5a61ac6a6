// SPDX-License-Identifier: Apache-2.0
#include "core/report/numbers_text.h"
#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

/// The report for a terminal and as Markdown.
namespace assay::report {

namespace {

using Out = std::back_insert_iterator<std::string>;

std::string heading(const AuditReport& report)
{
    std::string text = report.audit.empty() ? report.corpus + ", not audited" : report.corpus + ", audit " + report.audit;
    if (report.corpusOrigin == "illustrative")
        text += " (illustrative: written for demonstration, results not measured)";
    return text;
}

std::string exercised(const GateCounts& counts)
{
    return counts.totalChecks > 0 ? fmt::format("{}/{}", grouped(counts.exercisedChecks), grouped(counts.totalChecks)) : "-";
}

std::int64_t couldNotRun(const GateCounts& counts)
{
    return counts.error + counts.unsupported + counts.notExercised + counts.unknown + counts.crash + counts.timeout;
}

bool isPresent(const GateCounts& counts)
{
    return counts.pass + counts.fail + counts.inapplicable + couldNotRun(counts) > 0;
}

std::size_t familyWidth(const AuditReport& report)
{
    std::size_t width = 6;
    for (const FamilyCounts& family : report.perFamily)
        width = std::max(width, family.family.size());
    return width;
}

void textGates(Out out, const AuditReport& report)
{
    fmt::format_to(out, "\nGates over audited rows\n  {:<8}{:>9}{:>9}{:>14}{:>15}{:>16}\n", "gate", "fail", "pass",
                   "inapplicable", "could not run", "exercised");
    for (const contract::Gate gate : contract::kAllGates) {
        const GateCounts& counts = report.perGate[static_cast<std::size_t>(gate)];
        if (isPresent(counts))
            fmt::format_to(out, "  {:<8}{:>9}{:>9}{:>14}{:>15}{:>16}\n", contract::id(gate), grouped(counts.fail),
                           grouped(counts.pass), grouped(counts.inapplicable), grouped(couldNotRun(counts)), exercised(counts));
    }
}

void textFamilies(Out out, const AuditReport& report)
{
    const std::size_t width = familyWidth(report);
    fmt::format_to(out, "\nOp families\n  {:<{}}{:>10}{:>17}{:>15}\n", "family", width, "audited", "tolerance-free",
                   "any violation");
    for (const FamilyCounts& family : report.perFamily)
        fmt::format_to(out, "  {:<{}}{:>10}{:>17}{:>15}\n", family.family, width, grouped(family.audited),
                       grouped(family.toleranceFree), grouped(family.any));
}

void textTables(Out out, const AuditReport& report)
{
    for (const CrossTable& table : report.baselines)
        fmt::format_to(out,
                       "\nBaseline {} ({})\n  theirs pass, ours pass {:>8}\n  theirs pass, ours fail {:>8}\n"
                       "  theirs fail, ours pass {:>8}\n  theirs fail, ours fail {:>8}\n",
                       table.mode, sourceNote(table), grouped(table.passPass), grouped(table.passFail), grouped(table.failPass),
                       grouped(table.failFail));
}

void textWhatIf(Out out, const AuditReport& report)
{
    if (report.whatIf.empty())
        return;
    fmt::format_to(out, "\nWhat if\n  {:<18}{:>16}{:>15}{:>10}\n", "rule set", "tolerance-free", "any violation", "forgiven");
    for (const WhatIf& result : report.whatIf)
        fmt::format_to(out, "  {:<18}{:>16}{:>15}{:>10}   {}\n", result.ruleSet, grouped(result.toleranceFree.count),
                       grouped(result.anyViolation.count), grouped(result.forgiven), result.title);
}

std::string timeSentence(const AuditReport& report)
{
    if (!report.elapsedTotalHours)
        return "";
    std::string text = fmt::format("{} process-hours in all", fixed(*report.elapsedTotalHours, 1));
    if (report.elapsedMedianSeconds && report.elapsedP95Seconds)
        text += fmt::format("; {} s median, {} s 95th percentile of an audited kernel", fixed(*report.elapsedMedianSeconds, 1),
                            fixed(*report.elapsedP95Seconds, 1));
    return text;
}

void markdownGates(Out out, const AuditReport& report)
{
    fmt::format_to(out,
                   "\n## Gates over audited rows\n\n| gate | judges | fail | pass | inapplicable | could not run | exercised |\n"
                   "|---|---|---:|---:|---:|---:|---:|\n");
    for (const contract::Gate gate : contract::kAllGates) {
        const GateCounts& counts = report.perGate[static_cast<std::size_t>(gate)];
        if (isPresent(counts))
            fmt::format_to(out, "| {} | {} | {} | {} | {} | {} | {} |\n", contract::id(gate), contract::title(gate),
                           grouped(counts.fail), grouped(counts.pass), grouped(counts.inapplicable), grouped(couldNotRun(counts)),
                           exercised(counts));
    }
}

void markdownFamilies(Out out, const AuditReport& report)
{
    fmt::format_to(out, "\n## Op families\n\n| family | audited | tolerance-free | any violation |\n|---|---:|---:|---:|\n");
    for (const FamilyCounts& family : report.perFamily)
        fmt::format_to(out, "| {} | {} | {} | {} |\n", markdownCell(family.family), grouped(family.audited),
                       grouped(family.toleranceFree), grouped(family.any));
}

void markdownFailSets(Out out, const AuditReport& report)
{
    fmt::format_to(out, "\n## Most common sets of failed gates\n\n| gates | rows |\n|---|---:|\n");
    for (const FailSet& set : report.failSets)
        fmt::format_to(out, "| {} | {} |\n", set.label, grouped(set.count));
}

void markdownTables(Out out, const AuditReport& report)
{
    if (report.baselines.empty())
        return;
    fmt::format_to(out,
                   "\n## Against other harnesses (theirs / ours)\n\n| harness | pass / pass | pass / fail | fail / pass | fail / "
                   "fail | source |\n"
                   "|---|---:|---:|---:|---:|---|\n");
    for (const CrossTable& table : report.baselines)
        fmt::format_to(out, "| {} | {} | {} | {} | {} | {} |\n", markdownCell(table.mode), grouped(table.passPass),
                       grouped(table.passFail), grouped(table.failPass), grouped(table.failFail),
                       markdownCell(sourceNote(table)));
}

void markdownWhatIf(Out out, const AuditReport& report)
{
    if (report.whatIf.empty())
        return;
    fmt::format_to(
        out, "\n## What if\n\n| rule set | tolerance-free | any violation | forgiven | meaning |\n|---|---:|---:|---:|---|\n");
    for (const WhatIf& result : report.whatIf)
        fmt::format_to(out, "| {} | {} | {} | {} | {} |\n", markdownCell(result.ruleSet), grouped(result.toleranceFree.count),
                       grouped(result.anyViolation.count), grouped(result.forgiven), markdownCell(result.title));
}

} // namespace

std::string toText(const AuditReport& report)
{
    std::string text;
    const Out out = std::back_inserter(text);
    fmt::format_to(out, "{}\nrule set {} ({})\n\n", heading(report), report.ruleSet, report.ruleSetHash.substr(0, 12));
    for (const FunnelStep& step : report.funnel)
        fmt::format_to(out, "  {:>10}  {}\n", grouped(step.count), step.label);
    fmt::format_to(out, "\nTolerance-free failures  {}\nAny violation            {}\n", sentence(report.toleranceFree),
                   sentence(report.anyViolation));
    if (report.forgiven > 0)
        fmt::format_to(out, "Forgiven at least once   {} rows\n", grouped(report.forgiven));
    if (!report.thresholds.empty())
        fmt::format_to(out, "{}\n", report.thresholds);
    if (report.audited > 0) {
        textGates(out, report);
        textFamilies(out, report);
    }
    if (!report.failSets.empty()) {
        fmt::format_to(out, "\nMost common sets of failed gates\n");
        for (const FailSet& set : report.failSets)
            fmt::format_to(out, "  {:>8}  {}\n", grouped(set.count), set.label);
    }
    textTables(out, report);
    textWhatIf(out, report);
    if (const std::string time = timeSentence(report); !time.empty())
        fmt::format_to(out, "\n{}\n", time);
    return text;
}

std::string toMarkdown(const AuditReport& report)
{
    std::string text;
    const Out out = std::back_inserter(text);
    fmt::format_to(out, "# {}\n\nRule set `{}`, SHA-256 `{}`.\n\n| step | rows |\n|---|---:|\n", markdownCell(heading(report)),
                   report.ruleSet, report.ruleSetHash);
    for (const FunnelStep& step : report.funnel)
        fmt::format_to(out, "| {} | {} |\n", step.label, grouped(step.count));
    fmt::format_to(out, "\n* Tolerance-free failures: {}\n* Any violation: {}\n", sentence(report.toleranceFree),
                   sentence(report.anyViolation));
    if (!report.thresholds.empty())
        fmt::format_to(out, "* {}\n", markdownCell(report.thresholds));
    if (report.forgiven > 0)
        fmt::format_to(out, "* Forgiven at least one gate: {} rows\n", grouped(report.forgiven));
    if (report.audited > 0) {
        markdownGates(out, report);
        markdownFamilies(out, report);
        markdownFailSets(out, report);
    }
    markdownTables(out, report);
    markdownWhatIf(out, report);
    if (const std::string time = timeSentence(report); !time.empty())
        fmt::format_to(out, "\n{}.\n", time);
    return text;
}

} // namespace assay::report
