// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/runner/shrunk_check.h"
#include "core/store/kernel_details.h"

#include <optional>
#include <string>

namespace assay::cli {

/// The drill-down for a terminal: finding first, then numbers. @p gate narrows it to one gate and shows its checks, and the
/// command that judges it again.
/// @param database  path that the command names
/// @param shrunk    what the search for a smaller stimulus of a check of that gate came to
std::string kernelText(const store::KernelDetails& details, std::optional<contract::Gate> gate, const std::string& database,
                       const std::optional<runner::ShrunkCheck>& shrunk);

/// The same as an object with "schema": "assay.show/1".
std::string kernelJson(const store::KernelDetails& details, std::optional<contract::Gate> gate, const std::string& database,
                       const std::optional<runner::ShrunkCheck>& shrunk);

} // namespace assay::cli
