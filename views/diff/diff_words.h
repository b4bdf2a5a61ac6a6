// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/exact_value.h"
#include "core/diff/metric.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

/// How the page of the output diff words numbers and places.
namespace assay::views::diff_words {

/// "(3, 511)", "(7,)", "()"
QString index(const std::vector<std::int64_t>& index);
/// An index as a person types it ("3, 511", "(3, 511)"), or a row-major position ("12345" of a tensor with several axes).
/// @return nothing where it is none of this shape
std::optional<std::vector<std::int64_t>> parseIndex(const QString& text, const std::vector<std::int64_t>& shape);
/// Four significant digits: "0.002499", "1.25e-7", "+Inf", "NaN"
QString number(double value);
QString ulp(const std::optional<std::uint64_t>& ulp);
/// What is picked, in one line of parts that keep their places: index, both values with their bits, how far apart.
QString picked(const diff::ExactPair& pair);
/// "absolute", "relative", "ulp", "ulp of the candidate's type", "over bound"
QString metric(diff::Metric metric);

} // namespace assay::views::diff_words
