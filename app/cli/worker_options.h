// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/worker_client.h"

#include <CLI/App.hpp>

#include <string>

namespace assay::cli {

/// The options of verbs that run Python: which interpreter, behind which command.
struct WorkerChoice {
    std::string python;
    std::string prefix;

    void declare(CLI::App& app);
    /// The interpreter: as given, else $ASSAY_PYTHON, else python3.
    std::string interpreter() const;
    runner::WorkerOptions options() const;
};

} // namespace assay::cli
