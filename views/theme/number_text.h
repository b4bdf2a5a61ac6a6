// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/report.h"
#include "kernels/tensor/measured.h"

#include <QString>

#include <optional>

/// How the pages spell numbers: grouped counts, percentages with one decimal, words for what is not finite.
namespace assay::views::number_text {

/// "2,638"
QString count(std::int64_t value);
/// "39.5 %" (no-break space), rounded half away from zero
QString percent(double share);
/// "37.7 to 41.4", in percent
QString interval(const sampling::Interval& interval);
/// "1,043 of 2,638"
QString countOf(const report::Rate& rate);
/// "+3", "−29", "±0"
QString difference(std::int64_t value);
/// "9.5 s", "not recorded"
QString seconds(const std::optional<double>& value);
/// Two significant digits, plain where that is short, else with an exponent: "3.2", "8.0e-5", "1.1e+22", "0".
QString rounded(double value);
/// rounded(), "NaN", "+Inf", "not measured"
QString measured(const tensor::Measured& value);
/// As measured(), but every bit of a finite number ("1.121e+22"), for tool tips and copies.
QString exact(const tensor::Measured& value);
/// As measured(), but integers in full with grouping and other numbers with up to six digits.
QString figure(const tensor::Measured& value);
/// "1 kernel", "12 kernels"
QString kernels(std::int64_t value);

} // namespace assay::views::number_text
