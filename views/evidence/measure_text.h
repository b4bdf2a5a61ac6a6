// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/contract/gate.h"
#include "core/store/records.h"
#include "kernels/tensor/measured.h"

#include <QString>

#include <optional>

/// How the evidence pane words measured numbers. Absent values are said to be absent, infinite ones are words.
namespace assay::views::measure_text {

/// "1.1e+22", "3.2", "NaN", "+Inf", "not measured". @p digits significant digits
QString value(const tensor::Measured& value, int digits = 2);

/// Every bit of the number ("1.121e+22"), for tool tips and copies.
QString exact(const tensor::Measured& value);

/// "1.9× the allowed" where both are finite and the threshold is positive, else "".
QString timesAllowed(const tensor::Measured& value, const tensor::Measured& threshold);

/// "1.1e+22, that is 8.0e-05 of the output's scale, 1.9× the allowed 6.1e+21"; parts that are not known are said or left out.
QString proportion(const tensor::Measured& value, const tensor::Measured& threshold, const tensor::Measured& relative);

/// "1 line", "1,200 lines"
QString counted(std::int64_t count, const QString& one, const QString& many);

QString fromUtf8(const std::string& text);
QString gateId(contract::Gate gate);
/// "fails, hard", "passes", "cannot be asked", "not recorded"
QString verdict(contract::Verdict verdict, contract::Severity severity);
/// "(64, 128)", or "shape not recorded"
QString shape(const std::optional<std::vector<std::int64_t>>& sizes);
/// "2.08×", "not recorded"
QString speedup(const std::optional<double>& value);

} // namespace assay::views::measure_text
