// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diff/error_pyramid.h"
#include "core/diff/plane.h"

#include <cmath>

namespace assay::views {

/// How far errors and values reach, over what is finite.
struct Extent {
    double largestError = 0;
    double least = HUGE_VAL; ///< of reference and candidate; above `greatest` where no value is finite
    double greatest = -HUGE_VAL;

    bool hasValues() const { return least <= greatest; }
};

Extent extentOf(const diff::ErrorPyramid& pyramid);

/// Of the cells that reach into @p seen.
Extent extentOf(const diff::CellGrid& grid, const diff::ElementRect& seen);

/// The element that a pixel of @p edge x @p edge elements around @p cell stands for: one of another class before all, else the
/// one with the largest error.
diff::Cell worstIn(const diff::ErrorPyramid& pyramid, const diff::Cell& cell, std::int64_t edge);

} // namespace assay::views
