// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/verb.h"

#include <CLI/App.hpp>

#include <string>

namespace assay::cli {

/// What `assay calibrate` does with calibrations that were measured already: out of a database into files, and back.
struct CalibrationFiles {
    std::string load;       ///< reads this file
    std::string exported;   ///< writes a calibration as this file
    std::string thresholds; ///< writes its thresholds as this file
    std::string version;    ///< which; "": the newest

    void declare(CLI::App& app);
    /// Whether one of them is asked for, so that nothing is measured.
    bool isAsked() const { return !load.empty() || !exported.empty() || !thresholds.empty(); }
    /// @throws UsageError without a database; Error
    int run(const std::string& database, const Invocation& invocation) const;
};

} // namespace assay::cli
