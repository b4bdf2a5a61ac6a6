// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/store/kernel_details.h"

#include <optional>
#include <string>

namespace assay::cli {

/// The drill-down for a terminal: finding first, then numbers. @p gate narrows it to one gate and shows its checks, and the
/// command that judges it again. @param database  path that the command names
std::string kernelText(const store::KernelDetails& details, std::optional<contract::Gate> gate, const std::string& database);

/// The same as an object with "schema": "assay.show/1".
std::string kernelJson(const store::KernelDetails& details, std::optional<contract::Gate> gate, const std::string& database);

} // namespace assay::cli
