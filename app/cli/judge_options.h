// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/run_options.h"
#include "app/cli/threshold_options.h"

#include <string>
#include <vector>

namespace assay::cli {

/// The options of verbs that judge somebody's kernels: under which contract, where, with which Python.
struct JudgeChoice : RunChoice {
    std::vector<std::string> gates;
    std::string contract = "strict";
    std::string baseline;
    bool shrink = false;
    ThresholdChoice thresholds;

    void declare(CLI::App& app);

    /// A request with these choices and without sources. @throws UsageError for a gate or a contract that makes no sense
    runner::VerifyAsk ask() const;
};

/// readSource(), where a path that cannot be read is a mistake in the command line. @throws UsageError
runner::Source sourceAt(const std::string& path, const std::string& what);

} // namespace assay::cli
