// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/measured.h"

#include <optional>

class QPainter;
class QRectF;

namespace assay::views {

class Theme;

/// Where measured and allowed stand on a shared logarithmic scale, as shares of the bar's width.
struct MeasureScale {
    double value = 0;
    double threshold = 0;
};

/// The threshold sits in the middle; one bar is three decades to either side and ends are clamped.
/// @return nothing unless both are finite and positive
std::optional<MeasureScale> measureScale(const tensor::Measured& value, const tensor::Measured& threshold);

/// A bar to the measured value with a tick at the allowed one; a word in the colour of a failure where the value is not finite.
void paintMeasureBar(QPainter& painter, const QRectF& rect, const tensor::Measured& value, const tensor::Measured& threshold,
                     const Theme& theme);

} // namespace assay::views
