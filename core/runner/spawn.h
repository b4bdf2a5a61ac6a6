// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

namespace assay::runner {

/// A process to start: no shell, standard input empty unless @p files says otherwise.
struct SpawnRequest {
    std::vector<std::string> command;       ///< the first is looked up on PATH
    std::vector<std::string> environment;   ///< "NAME=value"
    std::vector<std::pair<int, int>> files; ///< (our number, its number)
    bool ownGroup = false;                  ///< a process group of its own: the terminal's Ctrl+C does not reach it
};

struct SpawnResult {
    pid_t process = -1;
    std::string reason; ///< why there is none
};

/// Starts @p request; the caller waits for the process.
SpawnResult spawn(const SpawnRequest& request);

} // namespace assay::runner
