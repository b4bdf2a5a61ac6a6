// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"
#include "core/store/records.h"
#include "kernels/tensor/measured.h"

#include <QString>

#include <optional>

/// How the evidence pane words what it knows of a kernel; its numbers are spelled by number_text.
namespace assay::views::measure_text {

/// "1.9× the allowed" where both are finite and the threshold is positive, else "".
QString timesAllowed(const tensor::Measured& value, const tensor::Measured& threshold);

/// "1.1e+22, that is 8.0e-05 of the output's scale, 1.9× the allowed 6.1e+21"; parts that are not known are said or left out.
QString proportion(const tensor::Measured& value, const tensor::Measured& threshold, const tensor::Measured& relative);

/// "1 line", "1,200 lines"
QString counted(std::int64_t count, const QString& one, const QString& many);

/// Where the limit of a check comes from, as a sentence: "Threshold 1, not calibrated."; see store::thresholdWords().
QString limit(const store::CheckRecord& check, const store::AuditRecord& audit);

QString fromUtf8(const std::string& text);
QString gateId(contract::Gate gate);
/// "fails, hard", "passes", "cannot be asked", "not recorded"
QString verdict(contract::Verdict verdict, contract::Severity severity);
/// "(64, 128)", or "shape not recorded"
QString shape(const std::optional<std::vector<std::int64_t>>& sizes);
/// "2.08×", "not recorded"
QString speedup(const std::optional<double>& value);

} // namespace assay::views::measure_text
