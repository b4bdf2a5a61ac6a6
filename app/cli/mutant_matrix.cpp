// SPDX-License-Identifier: Apache-2.0
#include "app/cli/mutant_matrix.h"

#include "app/cli/summary_json.h"
#include "core/text/one_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay::cli {

namespace {

using contract::Gate;
using contract::Severity;
using contract::Verdict;
using runner::Catches;
using runner::GateSummary;
using runner::MutantRow;
using runner::VerdictSummary;
using Outcome = MutantRow::Outcome;

constexpr int kNameWidth = 28;

char letter(const GateSummary& cell)
{
    switch (cell.verdict) {
    case Verdict::Absent:
        return ' ';
    case Verdict::Pass:
        return cell.noted ? 'n' : '.';
    case Verdict::Fail:
        return cell.severity == Severity::Hard ? 'H' : 's';
    case Verdict::Inapplicable:
        return 'i';
    case Verdict::Unsupported:
        return 'u';
    case Verdict::NotExercised:
        return '-';
    case Verdict::Unknown:
        return '?';
    case Verdict::Crash:
        return 'C';
    case Verdict::Timeout:
        return 'T';
    case Verdict::Error:
        return 'E';
    }
    return ' ';
}

bool isFirstOfGroup(Gate gate)
{
    return contract::indexOf(gate) == 0
        || contract::group(gate) != contract::group(contract::kAllGates[static_cast<std::size_t>(contract::indexOf(gate)) - 1]);
}

std::string_view ending(Outcome outcome)
{
    switch (outcome) {
    case Outcome::AsExpected:
        return "ok";
    case Outcome::NotJudged:
        return "ERROR";
    case Outcome::Missed:
        return "MISSED";
    case Outcome::WrongVerdict:
        return "VERDICT";
    case Outcome::TwinCharged:
        return "TWIN";
    }
    return "";
}

/// What the failure weighs at the gates that are named for it; None where none saw it.
Severity weightOf(const MutantRow& row)
{
    Severity heaviest = Severity::None;
    for (const Gate gate : row.caughtBy)
        heaviest = std::max(heaviest, isCharged(row.mutant) ? row.broken.of(gate).severity : Severity::Note);
    return heaviest;
}

std::vector<std::string> idsOf(const std::vector<Gate>& gates)
{
    std::vector<std::string> ids;
    for (const Gate gate : gates)
        ids.emplace_back(contract::id(gate));
    return ids;
}

/// "fails: CMP-01 hard: 3 of 8 elements ..." for every gate that charges the form, or why it could not be judged.
std::string chargesOf(const char* form, const VerdictSummary& summary)
{
    std::string out = fmt::format("      {}: {}", form, contract::name(summary.verdict));
    if (summary.verdict != Verdict::Pass && summary.verdict != Verdict::Fail)
        return out + ", " + oneLine(summary.reason) + "\n";
    out += '\n';
    for (const Gate gate : contract::kAllGates) {
        const GateSummary& cell = summary.of(gate);
        if (contract::countsAgainstCandidate(cell.verdict))
            out += fmt::format("        {} {} {}: {}\n", contract::id(gate), contract::name(cell.verdict),
                               contract::name(cell.severity), oneLine(cell.finding));
    }
    return out;
}

std::string explain(const MutantRow& row)
{
    std::string out = fmt::format("  {} {}: {}\n      {} has to see it ({}, verdict {})\n", row.mutant.number, row.mutant.id,
                                  row.mutant.behaviour, fmt::join(idsOf(row.mutant.gates), " or "),
                                  contract::name(row.mutant.severity), contract::name(row.mutant.verdict));
    out += chargesOf("broken form", row.broken);
    if (row.switched)
        out += chargesOf(("with " + row.mutant.failsWith).c_str(), *row.switched);
    return out + chargesOf("conforming twin", row.conforming);
}

std::string boundText(const char* which, const Catches& catches)
{
    if (catches.charged == 0)
        return "";
    return fmt::format("{}: {} of {} caught by a gate made for them; at least {:.3f} of such breakages are (one-sided 95 %)\n",
                       which, catches.caught, catches.charged, catches.lowerBound);
}

void writeCatches(json::ObjectText& out, const char* key, const Catches& catches)
{
    out.object(key, [&] {
        out.integer("charged", catches.charged);
        out.integer("caught", catches.caught);
        out.number("lower_bound_95", catches.lowerBound);
    });
}

void writeRow(json::ObjectText& out, const MutantRow& row)
{
    out.text("id", row.mutant.id);
    out.text("number", row.mutant.number);
    out.text("behaviour", row.mutant.behaviour);
    out.texts("named_gates", idsOf(row.mutant.gates));
    out.text("expected_verdict", contract::name(row.mutant.verdict));
    out.text("expected_severity", contract::name(row.mutant.severity));
    out.text("outcome", runner::name(row.outcome));
    out.texts("caught_by", idsOf(row.caughtBy));
    if (row.caughtBy.empty())
        out.null("severity");
    else
        out.text("severity", contract::name(weightOf(row)));
    out.object("broken", [&] { writeSummary(out, row.broken); });
    if (row.switched)
        out.object("switched", [&] { writeSummary(out, *row.switched); });
    out.object("conforming", [&] { writeSummary(out, row.conforming); });
}

} // namespace

std::string matrixHead()
{
    std::string groups(kNameWidth, ' ');
    std::string numbers(kNameWidth, ' ');
    for (const Gate gate : contract::kAllGates) {
        const bool first = isFirstOfGroup(gate);
        groups += fmt::format("{}{:<3}", first ? " " : "", first ? contract::group(gate) : "");
        numbers += fmt::format("{}{:<3}", first ? " " : "", contract::id(gate).substr(4));
    }
    while (groups.ends_with(' '))
        groups.pop_back();
    return "H hard, s soft, n note, . pass, - not exercised, i inapplicable, u unsupported,\n"
           "? unknown, C crash, T timeout, E error; [ ] has to see it\n\n"
        + groups + '\n' + numbers.substr(0, numbers.size() - 1) + '\n';
}

std::string matrixRow(const MutantRow& row)
{
    std::string line = fmt::format("{:>3} {:<{}}", row.mutant.number, row.mutant.id, kNameWidth - 4);
    // A note that a switch turns into a failure is seen under the switch alone.
    for (const Gate gate : contract::kAllGates) {
        const bool named = std::find(row.mutant.gates.begin(), row.mutant.gates.end(), gate) != row.mutant.gates.end();
        const VerdictSummary& shown = named && row.switched ? *row.switched : row.broken;
        const char cell = letter(shown.of(gate));
        line += isFirstOfGroup(gate) ? " " : "";
        line += named ? fmt::format("[{}]", cell) : fmt::format(" {} ", cell);
    }
    return line + ' ' + std::string(ending(row.outcome)) + '\n';
}

std::string matrixSummary(const std::vector<MutantRow>& rows, const std::vector<std::string>& absent, const std::string& device)
{
    std::string out = "\n";
    for (const MutantRow& row : rows) {
        if (row.outcome != Outcome::AsExpected)
            out += explain(row);
    }
    if (!absent.empty())
        out += fmt::format("no form for {}: {}\n", device, fmt::join(absent, ", "));
    const auto expected = std::ranges::count(rows, Outcome::AsExpected, &MutantRow::outcome);
    out += fmt::format("{} of {} mutants as expected on {}\n", expected, rows.size(), device);
    out += boundText("published", runner::catchesOf(rows, true));
    return out + boundText("all      ", runner::catchesOf(rows, false));
}

std::string matrixJson(const std::vector<MutantRow>& rows, const std::vector<std::string>& absent, const std::string& device)
{
    json::ObjectText out("assay.mutants/1");
    out.text("device", device);
    out.flag("as_expected", std::ranges::all_of(rows, [](const MutantRow& row) { return row.outcome == Outcome::AsExpected; }));
    writeCatches(out, "published", runner::catchesOf(rows, true));
    writeCatches(out, "all", runner::catchesOf(rows, false));
    out.texts("no_form", absent);
    out.objects("mutants", rows, [&](const MutantRow& row) { writeRow(out, row); });
    return out.finish();
}

} // namespace assay::cli
