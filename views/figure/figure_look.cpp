// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/figure/figure_look.h"

#include "views/theme/theme.h"

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QColor withAlpha(QColor colour, double alpha)
{
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

} // namespace

FigureLook paperLook()
{
    FigureLook look;
    look.paper = Qt::white;
    look.ink = QColor(0x1F2328);
    look.muted = QColor(0x59636E);
    look.line = QColor(0xD0D7DE);
    look.gap = withAlpha(QColor(0x009E73), 0.13);
    look.overlap = withAlpha(QColor(0xC8410B), 0.13);
    look.conforming = QColor(0x0072B2);
    look.disturbed = QColor(0xE69F00);
    look.defects = QColor(0x8B1A1A);
    look.ghost = QColor(0x7B61A8);
    look.disturbances = {QColor(0x0072B2), QColor(0xD55E00), QColor(0x009E73), QColor(0xCC79A7), QColor(0x59636E)};
    return look;
}

FigureLook screenLook(const Theme& theme)
{
    FigureLook look = paperLook();
    if (!theme.isDark())
        return look;
    look.paper = theme.surface();
    look.ink = theme.ink();
    look.muted = theme.mutedInk();
    look.line = theme.line();
    look.gap = withAlpha(QColor(0x2FBF95), 0.18);
    look.overlap = withAlpha(QColor(0xFF7A3D), 0.20);
    look.conforming = QColor(0x56B4E9);
    look.disturbed = QColor(0xF2B84B);
    look.defects = QColor(0xFF6B6B);
    look.ghost = QColor(0xA98BDB);
    look.disturbances = {QColor(0x56B4E9), QColor(0xFF7A3D), QColor(0x2FBF95), QColor(0xE39AC1), QColor(0x9198A1)};
    return look;
}

const std::array<FigureSize, 3>& figureSizes()
{
    static const std::array<FigureSize, 3> sizes = {
        FigureSize{u"85mm"_s, QSizeF(85, 180), 2008}, // 600 dots an inch
        FigureSize{u"180mm"_s, QSizeF(180, 125), 4252},
        FigureSize{u"16:9"_s, QSizeF(176, 99), 3840}, // 7 pt on it read as 13 pt on a slide of 13.3 inches
    };
    return sizes;
}

std::optional<FigureSize> figureSize(const QString& name)
{
    const auto& sizes = figureSizes();
    const auto found = std::ranges::find(sizes, name, &FigureSize::name);
    return found == sizes.end() ? std::nullopt : std::optional(*found);
}

} // namespace assay::views
