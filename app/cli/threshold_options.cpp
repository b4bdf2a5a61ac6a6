// SPDX-License-Identifier: Apache-2.0
#include "app/cli/threshold_options.h"

#include "app/cli/verb.h"
#include "core/text/error.h"

#include <CLI/CLI.hpp>

namespace assay::cli {

void ThresholdChoice::declare(CLI::App& app)
{
    app.add_option("--thresholds", thresholds,
                   "Calibrated thresholds: a file of assay calibrate, or none (default: those that come with Assay for that kind of device)");
}

runner::TablePtr ThresholdChoice::table(std::string_view device, const std::string& contract) const
{
    try {
        return runner::chooseThresholds(thresholds, contract, device);
    } catch (const Error& error) {
        throw UsageError(error.problem(), error.where(), error.remedy());
    }
}

} // namespace assay::cli
