// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/mutant.h"
#include "core/runner/verdict_summary.h"
#include "core/runner/verify_ask.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::runner {

/// Gives a candidate to the judge; what cannot be judged is a verdict "error".
using JudgeOne = std::function<VerdictSummary(const VerifyAsk& ask)>;

/// How one mutant's forms fared: a row of the matrix mutants x gates, and what it means.
struct MutantRow {
    enum class Outcome {
        AsExpected,
        NotJudged,    ///< a form could not be judged: says nothing about the gates
        Missed,       ///< no gate that is named for it saw the broken form
        WrongVerdict, ///< seen, yet the broken form ends in another verdict than it has to
        TwinCharged,  ///< a false alarm: the conforming twin did not pass
    };

    Mutant mutant;
    VerdictSummary broken;
    VerdictSummary conforming;
    std::optional<VerdictSummary> switched; ///< the broken form under Mutant::failsWith
    std::vector<contract::Gate> caughtBy;   ///< of the gates that are named for it
    Outcome outcome = Outcome::NotJudged;
};

std::string_view name(MutantRow::Outcome outcome);

/// How many of the mutants that a judge has to charge were caught by a gate named for them.
struct Catches {
    int charged = 0; ///< those that could be judged
    int caught = 0;
    double lowerBound = 0; ///< one-sided 95 %, exact: the share of such breakages that is caught at least
};

/// Judges both forms of @p mutant, and the broken one again where a switch has to make it fail.
/// @param common  device, seed and limits of the requests; the rest is filled in here
/// @throws Error  where a source cannot be read; std::out_of_range where the mutant has no form for the device
MutantRow judgeMutant(const Mutant& mutant, const VerifyAsk& common, const JudgeOne& judge);

Catches catchesOf(const std::vector<MutantRow>& rows, bool publishedOnly);

/// "cuda" for "cuda:1": the key of Mutant::forms.
std::string deviceKind(const std::string& device);

} // namespace assay::runner
