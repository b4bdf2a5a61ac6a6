// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/grid_reading.h"

#include <algorithm>
#include <utility>

namespace assay::views {

Extent extentOf(const diff::ErrorPyramid& pyramid)
{
    return {pyramid.largestError(), pyramid.leastValue(), pyramid.greatestValue()};
}

Extent extentOf(const diff::CellGrid& grid, const diff::ElementRect& seen)
{
    Extent extent;
    for (std::int64_t row = 0; row < grid.rows; ++row) {
        for (std::int64_t column = 0; column < grid.columns; ++column) {
            const std::int64_t y = grid.firstRow + row * grid.edge, x = grid.firstColumn + column * grid.edge;
            if (y + grid.edge <= seen.row || y >= seen.row + seen.rows || x + grid.edge <= seen.column
                || x >= seen.column + seen.columns)
                continue;
            const std::size_t cell = grid.at(row, column);
            if (std::isfinite(grid.error[cell]))
                extent.largestError = std::max(extent.largestError, grid.error[cell]);
            for (const double value : {grid.reference[cell], grid.candidate[cell]}) {
                if (std::isfinite(value)) {
                    extent.least = std::min(extent.least, value);
                    extent.greatest = std::max(extent.greatest, value);
                }
            }
        }
    }
    return extent;
}

diff::Cell worstIn(const diff::ErrorPyramid& pyramid, const diff::Cell& cell, std::int64_t edge)
{
    const diff::ElementRect block{cell.row / edge * edge, cell.column / edge * edge, edge, edge};
    const diff::CellGrid grid = pyramid.cells(block, 1);
    const auto rank = [&](std::size_t at) { return std::pair((grid.flags[at] & diff::kMismatch) != 0, grid.error[at]); };
    std::size_t best = 0;
    for (std::size_t i = 0; i < grid.error.size(); ++i) {
        if (rank(i) > rank(best))
            best = i;
    }
    const auto at = static_cast<std::int64_t>(best);
    return {grid.firstRow + at / grid.columns, grid.firstColumn + at % grid.columns};
}

} // namespace assay::views
