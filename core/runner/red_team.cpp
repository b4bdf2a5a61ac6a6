// SPDX-License-Identifier: Apache-2.0
#include "core/runner/red_team.h"

#include "core/sampling/clopper_pearson.h"

#include <algorithm>
#include <iterator>

namespace assay::runner {

namespace {

using contract::Gate;
using contract::Verdict;
using Outcome = MutantRow::Outcome;

bool wasJudged(const VerdictSummary& summary)
{
    return summary.verdict == Verdict::Pass || summary.verdict == Verdict::Fail;
}

bool charges(const VerdictSummary& summary, Gate gate)
{
    return contract::countsAgainstCandidate(summary.of(gate).verdict);
}

/// The gates named for the mutant that saw it: charged it, or, where it is only worth a note, noted it. A note that only a switch
/// turns into a failure is seen under that switch.
std::vector<Gate> seenBy(const MutantRow& row)
{
    std::vector<Gate> gates;
    const auto sees = [&](Gate gate) {
        if (row.switched)
            return charges(*row.switched, gate);
        return isCharged(row.mutant) ? charges(row.broken, gate) : row.broken.of(gate).noted;
    };
    std::copy_if(row.mutant.gates.begin(), row.mutant.gates.end(), std::back_inserter(gates), sees);
    return gates;
}

Outcome outcomeOf(const MutantRow& row)
{
    if (!wasJudged(row.broken) || !wasJudged(row.conforming) || (row.switched && !wasJudged(*row.switched)))
        return Outcome::NotJudged;
    if (row.caughtBy.empty())
        return Outcome::Missed;
    if (row.broken.verdict != row.mutant.verdict)
        return Outcome::WrongVerdict;
    return row.conforming.verdict == Verdict::Pass ? Outcome::AsExpected : Outcome::TwinCharged;
}

/// The mutant's profile with the members of failsWith, of which both are JSON objects.
std::string switchedContract(const Mutant& mutant)
{
    return "{\"profile\":\"" + mutant.profile + "\"," + mutant.failsWith.substr(1);
}

} // namespace

std::string_view name(Outcome outcome)
{
    switch (outcome) {
    case Outcome::AsExpected:
        return "as_expected";
    case Outcome::NotJudged:
        return "not_judged";
    case Outcome::Missed:
        return "missed";
    case Outcome::WrongVerdict:
        return "wrong_verdict";
    case Outcome::TwinCharged:
        return "twin_charged";
    }
    return "";
}

MutantRow judgeMutant(const Mutant& mutant, const VerifyAsk& common, const JudgeOne& judge)
{
    const Mutant::Forms& forms = mutant.forms.at(deviceKind(common.device));
    VerifyAsk ask = common;
    ask.reference = readSource(mutant.reference, "the reference");
    ask.candidate = readSource(forms.broken, "the broken form");
    ask.contract = mutant.profile;
    MutantRow row;
    row.mutant = mutant;
    row.broken = judge(ask);
    if (!mutant.failsWith.empty()) {
        ask.contract = switchedContract(mutant);
        row.switched = judge(ask);
        ask.contract = mutant.profile;
    }
    ask.candidate = readSource(forms.conforming, "the conforming form");
    row.conforming = judge(ask);
    row.caughtBy = seenBy(row);
    row.outcome = outcomeOf(row);
    return row;
}

Catches catchesOf(const std::vector<MutantRow>& rows, bool publishedOnly)
{
    Catches catches;
    for (const MutantRow& row : rows) {
        if (!isCharged(row.mutant) || !wasJudged(row.broken) || (publishedOnly && !isPublished(row.mutant)))
            continue;
        ++catches.charged;
        catches.caught += row.caughtBy.empty() ? 0 : 1;
    }
    catches.lowerBound = sampling::lowerBound(catches.caught, catches.charged);
    return catches;
}

std::string deviceKind(const std::string& device)
{
    return device.substr(0, device.find(':'));
}

} // namespace assay::runner
