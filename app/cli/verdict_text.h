// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <string>

namespace assay::cli {

/// A verdict for people: one line a gate with its finding, then flags, what was not enforced, and the verdict.
/// @param verdict  the object of `assay verify --json`
std::string verdictText(const json::Value& verdict);

} // namespace assay::cli
