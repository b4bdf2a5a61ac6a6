// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QSizeF>
#include <QString>

#include <array>
#include <optional>

namespace assay::views {

class Theme;

/// Colours of a figure. Curves differ by hue and lightness (Okabe-Ito), so that they are told apart in greyscale too.
struct FigureLook {
    QColor paper;
    QColor ink;
    QColor muted;
    QColor line;
    QColor gap;     ///< between floor and onset
    QColor overlap; ///< where they lie the wrong way round
    QColor conforming;
    QColor disturbed;
    QColor defects;
    QColor ghost; ///< a threshold that is only tried
    std::array<QColor, 5> disturbances;
};

/// White paper, whatever the window looks like: what is exported.
FigureLook paperLook();
FigureLook screenLook(const Theme& theme);

/// A size that journals and slides ask for.
struct FigureSize {
    QString name; ///< "85mm", "180mm", "16:9"
    QSizeF millimetres;
    int pixels = 0; ///< width of the PNG
};

const std::array<FigureSize, 3>& figureSizes();
/// @return nothing where no size is called so
std::optional<FigureSize> figureSize(const QString& name);

/// Figures are laid out in tenths of a point, so that fonts of half points have whole sizes.
constexpr double kUnitsPerMillimetre = 720 / 25.4;

} // namespace assay::views
