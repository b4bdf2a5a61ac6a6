// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/grid_painter.h"

#include <cmath>

namespace assay::views {

namespace {

using namespace diff;

constexpr double kTellableSteps = 64; // of a colour map, that an eye tells apart
constexpr QRgb kNothing = 0;          // transparent: beyond the end of a folded axis, or an overlay that is off

/// The colour of the classes in @p flags, the rarest first; nothing where there are none to show.
QRgb classColor(std::uint8_t flags, std::uint8_t nan, std::uint8_t positive, std::uint8_t negative, const PictureStyle& style)
{
    if (flags & nan)
        return style.overlays.nan ? style.colors.nan.rgb() : kNothing;
    if (flags & positive)
        return style.overlays.positiveInfinity ? style.colors.positiveInfinity.rgb() : kNothing;
    if (flags & negative)
        return style.overlays.negativeInfinity ? style.colors.negativeInfinity.rgb() : kNothing;
    return kNothing;
}

QRgb sideColor(double value, std::uint8_t flags, std::uint8_t nan, std::uint8_t positive, std::uint8_t negative,
               const PictureStyle& style)
{
    if (flags & (nan | positive | negative))
        return classColor(flags, nan, positive, negative, style);
    return std::isfinite(value) ? style.values.color(value) : kNothing;
}

QRgb errorColor(const CellGrid& grid, std::size_t cell, bool isOddCell, const PictureStyle& style)
{
    const std::uint8_t flags = grid.flags[cell];
    if ((flags & kMismatch) && style.overlays.mismatch) {
        // A checkered ground keeps a mismatch apart from a class that both sides have, also where a cell is one pixel.
        return isOddCell ? style.colors.hatch.rgb() : mismatchColor(flags, style);
    }
    if (grid.error[cell] > 0)
        return style.errors.color(grid.error[cell]);
    if (flags != 0)
        return classColor(flags, kReferenceNaN | kCandidateNaN, kReferencePosInf | kCandidatePosInf,
                          kReferenceNegInf | kCandidateNegInf, style);
    return std::isnan(grid.reference[cell]) ? kNothing : style.colors.equal.rgb();
}

} // namespace

QRgb mismatchColor(std::uint8_t flags, const PictureStyle& style)
{
    const QRgb candidate = classColor(flags, kCandidateNaN, kCandidatePosInf, kCandidateNegInf, style);
    return candidate != kNothing ? candidate : classColor(flags, kReferenceNaN, kReferencePosInf, kReferenceNegInf, style);
}

DiffPicture paintGrid(CellGrid grid, const PictureStyle& style)
{
    DiffPicture picture;
    picture.style = style;
    // Worst pairs are mostly pairs of large values: where colours could not tell the two apart they would only mislead.
    const double tellable = (style.values.high() / 2 - style.values.low() / 2) / (kTellableSteps / 2);
    const QSize size(static_cast<int>(grid.columns), static_cast<int>(grid.rows));
    for (QImage* image : {&picture.reference, &picture.candidate, &picture.error})
        *image = QImage(size, QImage::Format_ARGB32_Premultiplied);
    for (std::int64_t row = 0; row < grid.rows; ++row) {
        auto* reference = reinterpret_cast<QRgb*>(picture.reference.scanLine(static_cast<int>(row)));
        auto* candidate = reinterpret_cast<QRgb*>(picture.candidate.scanLine(static_cast<int>(row)));
        auto* error = reinterpret_cast<QRgb*>(picture.error.scanLine(static_cast<int>(row)));
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            const std::size_t cell = grid.at(row, column);
            const std::uint8_t flags = grid.flags[cell];
            const bool isSeen = std::fabs(grid.candidate[cell] - grid.reference[cell]) > tellable;
            reference[column] = sideColor(isSeen ? grid.reference[cell] : grid.firstReference[cell], flags, kReferenceNaN,
                                          kReferencePosInf, kReferenceNegInf, style);
            candidate[column] = sideColor(isSeen ? grid.candidate[cell] : grid.firstCandidate[cell], flags, kCandidateNaN,
                                          kCandidatePosInf, kCandidateNegInf, style);
            error[column] = errorColor(grid, cell, (row + column) % 2 != 0, style);
        }
    }
    picture.grid = std::move(grid);
    return picture;
}

} // namespace assay::views
