// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/judge.h"

#include <string>

namespace assay::contract {

/// Looks for a smaller stimulus on which the deciding check of every failing gate fails alike: smaller sizes first, one at a
/// time, then simpler values, input by input. The search is bounded by a number of questions, so it ends in the same stimulus
/// every time. Fills CheckResult::shrunk of the checks that it looked at.
///
/// @param reference, candidate  fresh processes of the same pair
/// @param options               those of the judgement
/// @throws Cancelled  where options.stop was requested
void shrinkFailures(ReferenceParty& reference, CandidateParty& candidate, const Contract& contract, const JudgeOptions& options,
                    Judgement& judgement);

/// Notes at the same checks why no search was made.
void noteNoSearch(Judgement& judgement, const std::string& why);

/// The search for one check, in a session that is open. @param questions  most stimuli to ask about
Shrunk shrink(Session& session, Gate gate, const CheckResult& failed, int questions = 160);

/// The check that decided a failing gate, of those that tell what a call was made from; nullptr where none does. Of equally bad
/// ones the first that one call can show.
const CheckResult* decidingCheck(const GateResult& gate);

} // namespace assay::contract
