// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/calibration/figure.h"

#include <QString>

/// Limits in words: on the figure, in the list and under it.
namespace assay::views::limit_words {

/// The line that all is measured from: "limit 0.361, a decade above the floor"; over all families, where it decides nothing,
/// "midway 0.0429; each family has a limit of its own". "" where there is none.
QString name(const calibration::FigureData& figure);
QString name(const calibration::Limit& limit, bool isByHand = false);

/// The same for a column: "0.361, one-sided", "1 (not calibrated)", "by family".
QString brief(const calibration::Limit& limit);
/// The whole sentence to it.
QString sentence(const calibration::Limit& limit);

} // namespace assay::views::limit_words
