// SPDX-License-Identifier: Apache-2.0
#include "core/report/html_page.h"
#include "core/report/numbers_text.h"
#include "core/report/report.h"

#include <fmt/format.h>

namespace assay::report {

namespace {

std::string funnelTable(const AuditReport& report)
{
    html::Table table({{"step", false}, {"rows", true}, {"share of rows", true}});
    for (const FunnelStep& step : report.funnel) {
        const double share = report.rows > 0 ? static_cast<double>(step.count) / static_cast<double>(report.rows) : 0;
        table.row({step.label, grouped(step.count), percent(share)});
    }
    return table.text();
}

std::string gateTable(const AuditReport& report)
{
    html::Table table({{"gate", false},
                       {"judges", false},
                       {"fail", true},
                       {"pass", true},
                       {"inapplicable", true},
                       {"error", true},
                       {"crash or timeout", true},
                       {"not judged", true},
                       {"exercised", true}});
    for (const contract::Gate gate : contract::kAllGates) {
        const GateCounts& c = report.perGate[static_cast<std::size_t>(gate)];
        const std::string exercised
            = c.totalChecks > 0 ? grouped(c.exercisedChecks) + " / " + grouped(c.totalChecks) : std::string("not recorded");
        table.row({std::string(contract::id(gate)), std::string(contract::title(gate)), grouped(c.fail), grouped(c.pass),
                   grouped(c.inapplicable), grouped(c.error), grouped(c.crash + c.timeout),
                   grouped(c.unsupported + c.notExercised + c.unknown + c.absent), exercised});
    }
    return table.text();
}

std::string familyTable(const AuditReport& report)
{
    std::vector<html::Column> columns = {{"family", false}, {"audited", true}, {"tolerance-free", true}, {"any violation", true}};
    for (const contract::Gate gate : contract::kAllGates)
        columns.push_back({std::string(contract::id(gate)), true});
    html::Table table(columns);
    for (const FamilyCounts& family : report.perFamily) {
        std::vector<std::string> cells
            = {family.family, grouped(family.audited), grouped(family.toleranceFree), grouped(family.any)};
        for (const std::int64_t failures : family.failures)
            cells.push_back(grouped(failures));
        table.row(cells);
    }
    return table.text();
}

std::string failSetTable(const AuditReport& report)
{
    html::Table table({{"failed gates", false}, {"rows", true}});
    for (const FailSet& set : report.failSets)
        table.row({set.label, grouped(set.count)});
    return table.text();
}

std::string baselineTable(const AuditReport& report)
{
    html::Table table({{"harness", false},
                       {"pass / pass", true},
                       {"pass / fail", true},
                       {"fail / pass", true},
                       {"fail / fail", true},
                       {"source", false}});
    for (const CrossTable& cross : report.baselines)
        table.row({cross.mode, grouped(cross.passPass), grouped(cross.passFail), grouped(cross.failPass), grouped(cross.failFail),
                   sourceNote(cross)});
    return table.text();
}

std::string whatIfTable(const AuditReport& report)
{
    html::Table table(
        {{"rule set", false}, {"tolerance-free", true}, {"any violation", true}, {"forgiven rows", true}, {"meaning", false}});
    for (const WhatIf& result : report.whatIf)
        table.row({result.ruleSet, grouped(result.toleranceFree.count), grouped(result.anyViolation.count),
                   grouped(result.forgiven), result.title});
    return table.text();
}

} // namespace

std::string htmlBody(const AuditReport& report)
{
    const std::string title = report.audit.empty() ? report.corpus : report.corpus + " / " + report.audit;
    std::string body = fmt::format("<h1>{}</h1>\n", htmlEscaped(title));
    if (report.corpusOrigin == "illustrative")
        body += "<p class=\"banner\">Illustrative: written for demonstration, results not measured.</p>\n";
    body += fmt::format("<p>Rule set <b>{}</b>, SHA-256 <code>{}</code>.</p>\n", htmlEscaped(report.ruleSet),
                        htmlEscaped(report.ruleSetHash));
    body += fmt::format("<p>Tolerance-free failures: <b>{}</b><br>Any violation: <b>{}</b></p>\n",
                        htmlEscaped(sentence(report.toleranceFree)), htmlEscaped(sentence(report.anyViolation)));
    if (!report.thresholds.empty())
        body += fmt::format("<p>{}</p>\n", htmlEscaped(report.thresholds));
    body += html::section("Funnel", funnelTable(report));
    if (report.audited > 0) {
        body += html::section("Gates over audited rows", gateTable(report));
        body += html::section("Op families and the gates they fail", familyTable(report));
        body += html::section("Most common sets of failed gates", failSetTable(report));
    }
    if (!report.baselines.empty())
        body += html::section("Against other harnesses (theirs / ours)", baselineTable(report));
    if (!report.whatIf.empty())
        body += html::section("What if", whatIfTable(report));
    return body;
}

std::string toHtml(const AuditReport& report)
{
    const std::string title = report.corpus + (report.audit.empty() ? "" : " / " + report.audit);
    return html::pageStart(title) + htmlBody(report) + html::pageEnd();
}

} // namespace assay::report
