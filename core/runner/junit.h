// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <string>
#include <string_view>

namespace assay::runner {

/// A verdict (the object of `assay verify --json`) as JUnit XML: one test case a gate. Failures, crashes and timeouts are
/// failures, "error" is an error, everything that says nothing about the kernel is skipped with its finding.
std::string toJUnit(const json::Value& verdict, std::string_view suite);

} // namespace assay::runner
