// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/store/kernel_details.h"

#include <string>

namespace assay::cli {

/// The command that judges @p gate of a kernel again as its audit did: same contract, seed and device, so that every stimulus
/// replays. "" where Assay did not judge it.
std::string replayCommand(const store::KernelDetails& details, contract::Gate gate, const std::string& database);

/// @p word as a shell reads it: in quotes where it needs them.
std::string shellWord(const std::string& word);

} // namespace assay::cli
