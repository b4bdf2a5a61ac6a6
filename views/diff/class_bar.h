// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels/tensor/compare.h"
#include "views/diff/grid_painter.h"

#include <QWidget>

#include <array>

class QToolButton;

namespace assay::views {

class Theme;

/// The overlays of what is not finite: a switch for each, with its colour and how many there are, reference and candidate.
class ClassBar final : public QWidget {
    Q_OBJECT
public:
    explicit ClassBar(const Theme& theme, QWidget* parent = nullptr);

    void setCounts(const tensor::Comparison& comparison);
    void clear();
    Overlays overlays() const;

Q_SIGNALS:
    void overlaysChanged();

private:
    enum Overlay { NaN, PositiveInfinity, NegativeInfinity, Mismatch, OverlayCount };
    void restyle();

    const Theme& m_theme;
    std::array<QToolButton*, OverlayCount> m_buttons{};
};

} // namespace assay::views
