// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"
#include "core/text/json.h"

#include <string>

namespace assay::cli {

/// "baseline kb-paper: pass, 5 of 5 trials", on one line: what another harness says, a claim beside the verdict.
std::string baselineText(const store::BaselineRecord& baseline);

/// The same for the member "baseline" of a verdict; "" where none was asked for.
std::string baselineText(const json::Value& verdict);

} // namespace assay::cli
