// SPDX-License-Identifier: Apache-2.0
#include "app/cli/control_table.h"

#include "app/cli/summary_json.h"
#include "core/text/one_line.h"

#include <fmt/format.h>

namespace assay::cli {

namespace {

using contract::Gate;
using contract::Verdict;
using runner::ControlRow;
using runner::ControlTally;
using runner::GateAlarms;

std::string gateRow(Gate gate, const GateAlarms& alarms, int judged)
{
    const std::string bound = alarms.kernels == 0 ? "-"
        : alarms.hard + alarms.soft == 0 ? fmt::format("3/{} = {:.3f}", alarms.kernels, runner::ruleOfThree(alarms.kernels))
                                         : fmt::format("{:.3f}", alarms.upperBound);
    return fmt::format("{:<7} {:>9} {:>13} {:>5} {:>5}   {}\n", contract::id(gate), fmt::format("{}/{}", alarms.kernels, judged),
                       fmt::format("{}/{}", alarms.exercised, alarms.planned), alarms.hard, alarms.soft, bound);
}

void writeGate(json::ObjectText& out, const GateAlarms& alarms)
{
    out.integer("kernels", alarms.kernels);
    out.integer("exercised", alarms.exercised);
    out.integer("total", alarms.planned);
    out.integer("hard", alarms.hard);
    out.integer("soft", alarms.soft);
    out.number("rule_of_three", runner::ruleOfThree(alarms.kernels));
    out.number("upper_bound_95", alarms.upperBound);
}

} // namespace

std::string controlLine(const ControlRow& row)
{
    const runner::VerdictSummary& summary = row.summary;
    std::string out = fmt::format("{:<13} {:>6.1f} s  {}\n", contract::name(summary.verdict), summary.seconds, row.name);
    if (summary.verdict != Verdict::Pass && summary.verdict != Verdict::Fail)
        out += "    " + oneLine(summary.reason) + '\n';
    for (const Gate gate : contract::kAllGates) {
        const runner::GateSummary& cell = summary.of(gate);
        if (contract::countsAgainstCandidate(cell.verdict))
            out += fmt::format("    {} {} {}: {}\n", contract::id(gate), contract::name(cell.verdict),
                               contract::name(cell.severity), oneLine(cell.finding));
    }
    return out;
}

std::string controlTable(const std::vector<ControlRow>& rows, const std::string& device)
{
    const ControlTally tally = runner::tallyOf(rows);
    if (tally.judged == 0)
        return "\nnothing could be judged\n";
    std::string out = "\ngate      kernels        checks  hard  soft   charges a right kernel at most (95 %)\n";
    for (const Gate gate : contract::kAllGates)
        out += gateRow(gate, tally.gates[static_cast<std::size_t>(contract::indexOf(gate))], tally.judged);
    out += fmt::format("{} of {} right kernels pass on {}; the judge rejects at most {:.3f} of such (one-sided 95 %)",
                       tally.passed, tally.judged, device, tally.upperBound);
    if (tally.notJudged > 0)
        out += fmt::format("\n{} could not be judged", tally.notJudged);
    if (tally.elsewhere > 0)
        out += fmt::format("\n{} are no controls on {}", tally.elsewhere, device);
    return out + '\n';
}

std::string controlJson(const std::vector<ControlRow>& rows, const std::string& device)
{
    const ControlTally tally = runner::tallyOf(rows);
    json::ObjectText out("assay.controls/1");
    out.text("device", device);
    out.integer("judged", tally.judged);
    out.integer("passed", tally.passed);
    out.integer("failures", tally.judged - tally.passed);
    out.integer("not_judged", tally.notJudged);
    out.integer("elsewhere", tally.elsewhere);
    out.number("rule_of_three", runner::ruleOfThree(tally.judged));
    out.number("upper_bound_95", tally.upperBound);
    out.object("per_gate", [&] {
        for (const Gate gate : contract::kAllGates)
            out.object(contract::id(gate),
                       [&] { writeGate(out, tally.gates[static_cast<std::size_t>(contract::indexOf(gate))]); });
    });
    out.objects("controls", rows, [&](const ControlRow& row) {
        out.text("name", row.name);
        writeSummary(out, row.summary);
    });
    return out.finish();
}

} // namespace assay::cli
