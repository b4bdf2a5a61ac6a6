// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/fork_server.h"

#include <array>
#include <stop_token>
#include <string>
#include <string_view>

namespace assay::runner {

/// Harnesses whose verdict can be had: see resources/worker/PROTOCOL.md, "Baselines".
inline constexpr std::array<std::string_view, 3> kBaselineModes = {"kb-paper", "kb-head", "kb-replica"};

/// What such a harness says about a pair. The candidate runs beside the comparison there and can forge it: a claim about what the
/// harness reports, never evidence about the kernel.
struct BaselineClaim {
    std::string mode;
    std::string verdict = "error"; ///< "pass", "fail"; "error": it could not be run, and `detail` says why
    int passed = 0;                ///< trials
    int total = 0;                 ///< 0 where it could not be run
    std::string detail;
};

/// The pair that a harness is asked about.
struct BaselineQuestion {
    std::string mode;
    std::string referenceSource;
    std::string candidateSource;
    std::string device = "cpu";
    double callSeconds = 0; ///< longest that one call into the code may take; 0: as in the harness
};

/// Runs the harness in one confined process that is thrown away. Whatever goes wrong in it is a claim "error".
/// @throws Error where the machine allows no process, Cancelled where @p stop was asked for
BaselineClaim askBaseline(ForkServer& server, const BaselineQuestion& question, const std::stop_token& stop);

/// The claim of a harness that did not run. @param why  one line
BaselineClaim couldNotRun(std::string mode, const std::string& why);

} // namespace assay::runner
