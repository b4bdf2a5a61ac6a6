// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/worker_options.h"
#include "core/runner/verify_ask.h"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace assay::cli {

/// The options of verbs that judge the kernels which come with the program, one after the other.
struct SeriesChoice {
    std::string device = "cpu";
    std::vector<std::string> only;
    std::uint64_t seed = 0;
    double seconds = 120;
    bool unsafe = false;
    WorkerChoice worker;

    /// @param ids  what --only names, for its help: "ids or numbers"
    void declare(CLI::App& app, const std::string& ids);
    /// A request with these choices and without sources.
    runner::VerifyAsk ask() const;
};

/// One line, without control characters: foreign messages end on the terminal.
std::string tame(std::string text);

} // namespace assay::cli
