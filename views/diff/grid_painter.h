// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/error_pyramid.h"
#include "views/diff/color_scale.h"

#include <QImage>

namespace assay::views {

/// Which classes keep their own colour in a picture; the others are drawn as nothing.
struct Overlays {
    bool nan = true;
    bool positiveInfinity = true;
    bool negativeInfinity = true;
    bool mismatch = true;
    bool operator==(const Overlays&) const = default;
};

/// How grids become pictures.
struct PictureStyle {
    ColorScale values;
    ColorScale errors;
    ClassColors colors;
    Overlays overlays;
};

/// Three pictures of one grid, a pixel for a cell, and the grid itself for what is drawn on top.
struct DiffPicture {
    diff::CellGrid grid;
    PictureStyle style; ///< that it was painted in
    QImage reference, candidate, error;
};

/// Colours the cells of @p grid; never on the GUI thread, where it would be felt. Reference and candidate show the worst pair of
/// a cell where the colours of the two can be told apart, else its first pair.
DiffPicture paintGrid(diff::CellGrid grid, const PictureStyle& style);

/// The colour of the classes of a mismatch, the candidate's before the reference's; transparent where their overlays are off.
QRgb mismatchColor(std::uint8_t flags, const PictureStyle& style);

} // namespace assay::views
