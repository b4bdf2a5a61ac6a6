// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/pair_rows.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace assay::diff {

/// A grid of cells, each for a square of `edge` x `edge` elements. What stands for a square is its worst element: the one with
/// the largest error, the first of equals. A mean would hide what is looked for.
struct CellGrid {
    std::int64_t edge = 1;
    std::int64_t firstRow = 0;     ///< of the elements that it covers; a multiple of edge
    std::int64_t firstColumn = 0;  ///< likewise
    std::int64_t rows = 0;         ///< cells
    std::int64_t columns = 0;      ///< cells
    std::vector<double> error;     ///< largest of the finite pairs, row-major
    std::vector<double> reference; ///< of the worst pair; NaN or infinite where no pair is finite
    std::vector<double> candidate;
    std::vector<double>
        firstReference; ///< of the square's first pair: what the tensors look like, which the worst pairs do not tell
    std::vector<double> firstCandidate;
    std::vector<std::uint8_t> flags; ///< ClassFlag of all its pairs, joined

    void resize(std::int64_t cellRows, std::int64_t cellColumns);
    std::size_t at(std::int64_t row, std::int64_t column) const { return static_cast<std::size_t>(row * columns + column); }
};

/// A rectangle of elements.
struct ElementRect {
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    bool operator==(const ElementRect&) const = default;
};

/// The worst elements of a plane at every scale, so that a picture of any part at any zoom costs no more than its own pixels.
/// The first level has at most kMostBaseCells cells, the next a quarter of it, down to one; finer cells are read from the
/// tensors.
class ErrorPyramid {
public:
    static constexpr std::int64_t kMostBaseCells = std::int64_t{1} << 20;

    /// @throws Cancelled  when @p stop is asked for meanwhile
    ErrorPyramid(const Plane& reference, const Plane& candidate, Metric metric, const Bound& bound, std::stop_token stop = {},
                 int threads = 0);

    /// Cells of @p edge (a power of two) elements that cover @p rect. @throws Cancelled
    CellGrid cells(const ElementRect& rect, std::int64_t edge, const std::stop_token& stop = {}) const;

    /// Largest finite error; 0 where there is none.
    double largestError() const { return m_largest; }
    /// Least and greatest finite value of the reference among the elements that stand for cells, of the candidate where the
    /// reference has none. What a candidate gets wrong by orders of magnitude must not set the range of what is right.
    double leastValue() const { return m_leastValue; }
    double greatestValue() const { return m_greatestValue; }

    const Plane& reference() const { return m_reference; }
    const Plane& candidate() const { return m_candidate; }
    Metric metric() const { return m_metric; }
    const Bound& bound() const { return m_bound; }

private:
    CellGrid build(const ElementRect& rect, std::int64_t edge, const std::stop_token& stop, int threads) const;
    static CellGrid halve(const CellGrid& fine);
    void findExtremes();

    Plane m_reference;
    Plane m_candidate;
    Metric m_metric;
    Bound m_bound;
    std::vector<CellGrid> m_levels;
    double m_largest = 0;
    double m_leastValue = 0;
    double m_greatestValue = 0;
};

} // namespace assay::diff
