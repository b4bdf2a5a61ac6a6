// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/contract.h"
#include "core/store/records.h"

#include <optional>
#include <string>

namespace assay::store {

/// The table of calibrated thresholds that an audit was held to, from its contract; empty where it was held to none.
contract::ThresholdTableName thresholdTableOf(const AuditRecord& audit);

/// Where the limit of a check comes from, for who reads it: "threshold 0.42, calibrated (NVIDIA H200, hold-out false alarms at
/// most 3.1 %)", "threshold 1, not calibrated", or "threshold 0.001, as published" where somebody else's audit set it. "" where
/// nothing was allowed or nothing is known, so that there is nothing to calibrate.
std::string thresholdWords(const tensor::Measured& threshold, const std::optional<double>& holdOutBound,
                           const AuditRecord& audit);
std::string thresholdWords(const CheckRecord& check, const AuditRecord& audit);
/// Of the check that decided @p gate.
std::string thresholdWords(const GateRecord& gate, const AuditRecord& audit);

/// "calibrated (NVIDIA H200, hold-out false alarms at most 3.1 %)"
std::string calibratedWords(double holdOutBound, const std::string& device);

} // namespace assay::store
