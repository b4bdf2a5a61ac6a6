// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/result.h"
#include "core/contract/session.h"

namespace assay::contract {

/// Judges one candidate against its reference: runs every gate of the contract and folds the results.
///
/// @param sink  is told each gate's result as soon as it is there
/// @return verdict Pass, Fail, Inapplicable (the reference cannot be asked) or Error; precedence fail > error > pass; pass needs
///         an exercised check in every gate that applies (fold.h). Source: architecture.md section 4, "verify".
/// @throws Cancelled  where options.stop was requested
Judgement judge(ReferenceParty& reference, CandidateParty& candidate, const Contract& contract, const JudgeOptions& options,
                const GateSink& sink = {});

} // namespace assay::contract
