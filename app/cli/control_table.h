// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/control.h"

#include <string>
#include <vector>

namespace assay::cli {

/// "pass  3.2 s  conv-by-fft", and below it the findings where it did not pass.
std::string controlLine(const runner::ControlRow& row);
/// What every gate did to kernels that are right, and how often it can charge one at most.
std::string controlTable(const std::vector<runner::ControlRow>& rows, const std::string& device);
/// The same as one object.
std::string controlJson(const std::vector<runner::ControlRow>& rows, const std::string& device);

} // namespace assay::cli
