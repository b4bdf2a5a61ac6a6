// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/run_options.h"

#include <string>
#include <vector>

namespace assay::cli {

/// The options of verbs that judge the kernels which come with the program, one after the other.
struct SeriesChoice : RunChoice {
    std::vector<std::string> only;

    /// @param names  what --only takes, for its help: "ids or numbers"
    void declare(CLI::App& app, const std::string& names);
};

} // namespace assay::cli
