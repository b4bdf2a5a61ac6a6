// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <string>

namespace assay::report {

/// What a reader has to know of the limits of an audit: "Thresholds calibrated on NVIDIA H200 (hold-out false alarms at most
/// 3.1 %): CMP-01 of 120 kernels, ORD-01 of 98. Every other threshold is not calibrated." "" where somebody else judged.
std::string thresholdNote(store::Database& database, std::int64_t auditId);

} // namespace assay::report
