// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"

#include <string_view>

/// The published audit's own rules: who is in its denominator and what counts as a failure. Source: gates.md section 0.2.
namespace assay::ingest {

/// True when a row failed because its toolchain could not build it: such rows are outside the denominator.
/// (cand_native_fail with CompilationError, UnsupportedLanguageConstruct, OutOfResources or PTXASError; sandbox_other with an
/// unpickle error.)
bool isToolchainArtifact(std::string_view status, std::string_view error);

/// How an audit's gate status reads in the verdict lattice, with the severity of gates.md: failures of EXC-01 and ORD-02 need no
/// tolerance and are hard, every other failure is soft. "error" stays an error of the gate, whatever ended it: a CUDA error
/// counts once, against the kernel (applyPublishedRules).
void setGateVerdict(store::GateRecord& gate);

/// Fills outcome, severity, accepted, audited, toleranceFree, anyViolation and finding from status, gates, speedup, error and
/// outputAliasing.
void applyPublishedRules(store::VerdictRecord& verdict);

} // namespace assay::ingest
