// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/worker_options.h"
#include "core/runner/verify_ask.h"

#include <CLI/App.hpp>

#include <cstdint>

namespace assay::cli {

/// The options of verbs that run kernels: where, with which Python, from which seed, for how long.
struct RunChoice {
    std::string device = "cpu";
    std::uint64_t seed = 0;
    double seconds = 120;
    bool unsafe = false;
    WorkerChoice worker;

    void declare(CLI::App& app);
    /// A request with these choices, under the strict contract and without sources.
    runner::VerifyAsk ask() const;
};

} // namespace assay::cli
