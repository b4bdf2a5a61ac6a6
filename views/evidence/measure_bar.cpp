// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/measure_bar.h"

#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace assay::views {

namespace {
constexpr double kDecadesToEitherSide = 3;
}

std::optional<MeasureScale> measureScale(const tensor::Measured& value, const tensor::Measured& threshold)
{
    if (!value.isFinite() || !threshold.isFinite() || threshold.value <= 0)
        return std::nullopt;
    const double size = std::abs(value.value);
    if (size == 0)
        return MeasureScale{0.0, 0.5};
    // A difference of logarithms: the quotient of two doubles may overflow.
    const double decades = std::log10(size) - std::log10(threshold.value);
    return MeasureScale{std::clamp(0.5 + decades / (2 * kDecadesToEitherSide), 0.02, 1.0), 0.5};
}

void paintMeasureBar(QPainter& painter, const QRectF& rect, const tensor::Measured& value, const tensor::Measured& threshold,
                     const Theme& theme)
{
    if (!value.isPresent())
        return;
    const QRectF track(rect.left(), rect.center().y() - 3, rect.width(), 6);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (!value.isFinite()) {
        painter.setFont(theme.smallFont());
        painter.setPen(theme.cell(contract::StripCell::FailHard));
        painter.drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, number_text::measured(value));
        painter.restore();
        return;
    }
    const auto scale = measureScale(value, threshold);
    if (scale) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.line());
        painter.drawRoundedRect(track, 2, 2);
        const bool over = std::abs(value.value) > threshold.value;
        const double middle = rect.left() + scale->threshold * rect.width();
        const double end = rect.left() + scale->value * rect.width();
        painter.setBrush(theme.mutedInk());
        painter.drawRoundedRect(QRectF(track.left(), track.top(), std::min(middle, end) - track.left(), track.height()), 2, 2);
        if (over) {
            painter.setBrush(theme.cell(contract::StripCell::FailSoft));
            painter.drawRect(QRectF(middle, track.top(), end - middle, track.height()));
        }
        painter.setPen(QPen(theme.ink(), 1.4));
        painter.drawLine(QPointF(middle, track.top() - 3), QPointF(middle, track.bottom() + 3));
    }
    painter.restore();
}

} // namespace assay::views
