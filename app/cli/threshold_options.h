// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/threshold_choice.h"

#include <CLI/App.hpp>

#include <string>
#include <string_view>

namespace assay::cli {

/// The option of verbs that judge: by which calibrated thresholds.
struct ThresholdChoice {
    std::string thresholds; ///< "", "none" or a file, see runner::chooseThresholds()

    void declare(CLI::App& app);
    /// @param contract  as VerifyAsk takes it @throws UsageError where the file is no table or the contract names another
    runner::TablePtr table(std::string_view device, const std::string& contract = "strict") const;
};

} // namespace assay::cli
