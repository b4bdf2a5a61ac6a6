// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/red_team.h"

#include <string>
#include <vector>

namespace assay::cli {

/// The matrix mutants x gates for a terminal of 80 columns: what the letters mean and the gates above the columns.
std::string matrixHead();
/// The broken form's twelve cells, those of the named gates in brackets, and how the row ends.
std::string matrixRow(const runner::MutantRow& row);
/// The rows that are not as expected, with their findings, and what the whole says about the judge.
/// @param absent  ids of mutants that have no form for the device
std::string matrixSummary(const std::vector<runner::MutantRow>& rows, const std::vector<std::string>& absent,
                          const std::string& device);

/// The same as one object.
std::string matrixJson(const std::vector<runner::MutantRow>& rows, const std::vector<std::string>& absent,
                       const std::string& device);

} // namespace assay::cli
