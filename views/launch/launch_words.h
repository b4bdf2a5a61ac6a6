// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate_strip.h"
#include "core/launch/launch.h"
#include "views/launch/launch_runner.h"

#include <QString>

/// How a run of the Launch place is told.
namespace assay::views::launch_words {

/// "Gated DeltaNet-2 · B 1, T 128, H 2, K 64, V 64 · float32 · cpu"
QString request(const launch::LaunchRequest& request);

/// "3 of 12 gates, 41 checks so far"
QString progress(int gates, int checks);

/// What became of a run, in one or two sentences.
/// @param gates, checks  that were reached, where it was not judged to its end
QString ending(const LaunchOutcome& outcome, int gates, int checks);

/// The cell of the strip that stands for the whole outcome.
contract::StripCell cellOf(const LaunchOutcome& outcome);

} // namespace assay::views::launch_words
