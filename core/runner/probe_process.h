// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace assay::runner {

struct ProbeResult {
    bool started = false;
    bool timedOut = false;
    int exitCode = -1;  ///< 128 + signal where one ended it
    std::string output; ///< standard output, at most 64 KiB
    std::string errors; ///< standard error, at most 64 KiB
};

/// Runs @p command (looked up on PATH, no shell) with no input, and kills it at @p limit. Only for finding out what a machine
/// has.
ProbeResult probeProcess(const std::vector<std::string>& command, std::chrono::milliseconds limit);

} // namespace assay::runner
