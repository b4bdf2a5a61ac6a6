// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/contract.h"
#include "core/contract/result.h"

namespace assay::contract {

/// Folds the gates' results of @p judgement into its verdict, its reason and `hardFailed`. Precedence fail > error > pass.
///
/// A pass needs every gate of @p contract that applies to have been asked: one that was not exercised, whose answer is unknown or
/// that has no result makes the verdict `error`, and the reason names it. That is no finding against the candidate: the harness
/// could not judge. Two results besides pass and fail count as asked: `inapplicable`, because the task itself has nothing to ask
/// about, and `unsupported`, because the candidate answered that it does not run in that dtype. A gate with some checks cut and
/// others passed has passed (GateRun::finish); `exercised` of `total` shows how much was asked.
///
/// RES-02 makes no exception. gates.md asks for `unknown` without evidence, "never pass", and a verdict `pass` would say what the
/// gate could not. It leaves other machines judgeable: without a GPU, and for candidates without kernels of their own, the gate
/// is inapplicable, and whoever has no evidence takes it out of the contract. Source: architecture.md section 4, "verify";
/// gates.md section 4, "Lattice", and section 10.14.
void foldGates(Judgement& judgement, const Contract& contract);

} // namespace assay::contract
