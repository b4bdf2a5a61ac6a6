// SPDX-License-Identifier: Apache-2.0
#include "core/diff/error_pyramid.h"

#include "core/diff/parallel.h"
#include "core/text/error.h"
#include "kernels/tensor/clones.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::diff {

namespace {

constexpr std::int64_t kStrip = 512; // columns at a time: a strip's buffers stay in the second cache level

std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/// Keeps, column by column, the pair with the largest error.
ASSAY_CLONES void keepWorst(const double* error, const double* reference, const double* candidate, std::int64_t count,
                            double* worst, double* worstReference, double* worstCandidate)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const bool isWorse = error[i] > worst[i];
        worst[i] = isWorse ? error[i] : worst[i];
        worstReference[i] = isWorse ? reference[i] : worstReference[i];
        worstCandidate[i] = isWorse ? candidate[i] : worstCandidate[i];
    }
}

/// All bits of the exponent set: NaN or infinite.
ASSAY_CLONES bool allFiniteFloats(const float* values, std::int64_t count)
{
    constexpr std::uint32_t kExponent = 0x7F800000;
    std::uint32_t found = 0;
    for (std::int64_t i = 0; i < count; ++i)
        found |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(values[i]) & kExponent) == kExponent);
    return found == 0;
}

/// keepWorst() for the absolute error of finite fp32 pairs straight from the tensors, for this is what a first picture asks. The
/// difference is taken in fp64, as everywhere.
ASSAY_CLONES void keepWorstFloats(const float* reference, const float* candidate, std::int64_t count, double* worst,
                                  double* worstReference, double* worstCandidate)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const double r = reference[i], c = candidate[i];
        const double error = std::fabs(c - r);
        const bool isWorse = error > worst[i];
        worst[i] = isWorse ? error : worst[i];
        worstReference[i] = isWorse ? r : worstReference[i];
        worstCandidate[i] = isWorse ? c : worstCandidate[i];
    }
}

/// The worst pairs of one strip of a band, column by column.
class Strip {
public:
    Strip()
        : m_worst(kStrip)
        , m_reference(kStrip)
        , m_candidate(kStrip)
        , m_firstReference(kStrip)
        , m_firstCandidate(kStrip)
        , m_flags(kStrip)
    {
    }

    void begin(std::int64_t count)
    {
        m_count = count;
        std::fill_n(m_worst.begin(), count, -1.0); // below every error, so that the first pair is kept
        std::fill_n(m_flags.begin(), count, std::uint8_t{0});
    }

    /// @param first  the first row of the band: what is shown where no pair is finite
    void add(const PairRun& run, std::int64_t count, bool first)
    {
        if (first) {
            std::copy_n(run.reference, count, m_reference.begin());
            std::copy_n(run.candidate, count, m_candidate.begin());
            std::copy_n(run.reference, count, m_firstReference.begin());
            std::copy_n(run.candidate, count, m_firstCandidate.begin());
        }
        if (!run.hasNonFinite) {
            keepWorst(run.error, run.reference, run.candidate, count, m_worst.data(), m_reference.data(), m_candidate.data());
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            m_flags[at] |= run.flags[i];
            if (run.flags[i] == 0 && run.error[i] > m_worst[at]) {
                m_worst[at] = run.error[i];
                m_reference[at] = run.reference[i];
                m_candidate[at] = run.candidate[i];
            }
        }
    }

    /// add() for absolute errors. @return false where something is not finite, and nothing was added
    bool addFloats(const PairRows::Floats& run, std::int64_t count, bool first)
    {
        if (!allFiniteFloats(run.reference, count) || !allFiniteFloats(run.candidate, count))
            return false;
        if (first) {
            std::copy_n(run.reference, count, m_firstReference.begin());
            std::copy_n(run.candidate, count, m_firstCandidate.begin());
        }
        keepWorstFloats(run.reference, run.candidate, count, m_worst.data(), m_reference.data(), m_candidate.data());
        return true;
    }

    /// Joins columns into cells of @p edge.
    void finish(std::int64_t edge, CellGrid& grid, std::int64_t row, std::int64_t firstCell) const
    {
        for (std::int64_t begin = 0; begin < m_count; begin += edge) {
            const std::int64_t end = std::min(m_count, begin + edge);
            auto best = static_cast<std::size_t>(begin);
            std::uint8_t flags = 0;
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                best = m_worst[i] > m_worst[best] ? i : best;
                flags |= m_flags[i];
            }
            const std::size_t cell = grid.at(row, firstCell + begin / edge);
            grid.error[cell] = std::max(0.0, m_worst[best]);
            grid.reference[cell] = m_reference[best];
            grid.candidate[cell] = m_candidate[best];
            grid.firstReference[cell] = m_firstReference[static_cast<std::size_t>(begin)];
            grid.firstCandidate[cell] = m_firstCandidate[static_cast<std::size_t>(begin)];
            grid.flags[cell] = flags;
        }
    }

private:
    std::int64_t m_count = 0;
    std::vector<double> m_worst, m_reference, m_candidate, m_firstReference, m_firstCandidate;
    std::vector<std::uint8_t> m_flags;
};

void takeWorse(const CellGrid& from, std::size_t source, CellGrid& to, std::size_t target, bool first)
{
    to.flags[target] |= from.flags[source];
    if (first) {
        to.firstReference[target] = from.firstReference[source];
        to.firstCandidate[target] = from.firstCandidate[source];
    }
    const bool isFinite = std::isfinite(to.reference[target]) && std::isfinite(to.candidate[target]);
    const bool isWorse = from.error[source] > to.error[target]
        || (!isFinite && std::isfinite(from.reference[source]) && std::isfinite(from.candidate[source]));
    if (!first && !isWorse)
        return;
    to.error[target] = from.error[source];
    to.reference[target] = from.reference[source];
    to.candidate[target] = from.candidate[source];
}

} // namespace

void CellGrid::resize(std::int64_t cellRows, std::int64_t cellColumns)
{
    rows = cellRows;
    columns = cellColumns;
    const auto cells = static_cast<std::size_t>(rows * columns);
    error.assign(cells, 0);
    for (std::vector<double>* values : {&reference, &candidate, &firstReference, &firstCandidate})
        values->assign(cells, std::numeric_limits<double>::quiet_NaN()); // beyond the end of a folded axis there is nothing
    flags.assign(cells, 0);
}

ErrorPyramid::ErrorPyramid(const Plane& reference, const Plane& candidate, Metric metric, const Bound& bound,
                           std::stop_token stop, int threads)
    : m_reference(reference)
    , m_candidate(candidate)
    , m_metric(metric)
    , m_bound(bound)
{
    const ElementRect all{0, 0, reference.rows(), reference.columns()};
    std::int64_t edge = 1;
    while ((roundUp(all.rows, edge) / edge) * (roundUp(all.columns, edge) / edge) > kMostBaseCells)
        edge *= 2;
    m_levels.push_back(build(all, edge, stop, threads));
    while (m_levels.back().rows * m_levels.back().columns > 1)
        m_levels.push_back(halve(m_levels.back()));
    findExtremes();
}

CellGrid ErrorPyramid::build(const ElementRect& rect, std::int64_t edge, const std::stop_token& stop, int threads) const
{
    CellGrid grid;
    grid.edge = edge;
    grid.firstRow = rect.row / edge * edge;
    grid.firstColumn = rect.column / edge * edge;
    const std::int64_t lastRow = std::min(m_reference.rows(), roundUp(rect.row + rect.rows, edge));
    const std::int64_t lastColumn = std::min(m_reference.columns(), roundUp(rect.column + rect.columns, edge));
    grid.resize(roundUp(std::max<std::int64_t>(0, lastRow - grid.firstRow), edge) / edge,
                roundUp(std::max<std::int64_t>(0, lastColumn - grid.firstColumn), edge) / edge);
    if (grid.columns == 0)
        return grid;
    const std::int64_t strip = std::max(kStrip, edge) == edge ? edge : kStrip / edge * edge;
    std::atomic<bool> isStopped{false};
    inParallel(grid.rows, threads, [&] {
        return
            [&, rows = PairRows(m_reference, m_candidate, m_metric, m_bound, strip), worst = Strip()](std::int64_t band) mutable {
                if (isStopped || stop.stop_requested()) {
                    isStopped = true;
                    return;
                }
                const std::int64_t begin = grid.firstRow + band * edge;
                for (std::int64_t column = grid.firstColumn; column < lastColumn; column += strip) {
                    const std::int64_t width = std::min(strip, lastColumn - column);
                    std::int64_t used = 0;
                    for (std::int64_t row = begin; row < std::min(lastRow, begin + edge); ++row) {
                        const std::int64_t count = std::min(width, m_reference.columnsIn(row) - column);
                        if (count <= 0)
                            break;
                        if (row == begin)
                            worst.begin(used = count);
                        const auto floats = m_metric == Metric::Absolute ? rows.floats(row, column) : std::nullopt;
                        if (!floats || !worst.addFloats(*floats, count, row == begin))
                            worst.add(rows.read(row, column, count), count, row == begin);
                    }
                    if (used > 0)
                        worst.finish(edge, grid, band, (column - grid.firstColumn) / edge);
                }
            };
    });
    if (isStopped)
        throw Cancelled();
    return grid;
}

CellGrid ErrorPyramid::halve(const CellGrid& fine)
{
    CellGrid coarse;
    coarse.edge = fine.edge * 2;
    coarse.firstRow = fine.firstRow;
    coarse.firstColumn = fine.firstColumn;
    coarse.resize((fine.rows + 1) / 2, (fine.columns + 1) / 2);
    for (std::int64_t row = 0; row < fine.rows; ++row) {
        for (std::int64_t column = 0; column < fine.columns; ++column)
            takeWorse(fine, fine.at(row, column), coarse, coarse.at(row / 2, column / 2), row % 2 == 0 && column % 2 == 0);
    }
    return coarse;
}

CellGrid ErrorPyramid::cells(const ElementRect& rect, std::int64_t edge, const std::stop_token& stop) const
{
    if (edge < m_levels.front().edge)
        return build(rect, edge, stop, std::max(1, threadsOf(0) - 1)); // a core stays free for whoever shows the picture
    const auto level = std::ranges::find_if(m_levels, [&](const CellGrid& grid) { return grid.edge >= edge; });
    const CellGrid& all = level == m_levels.end() ? m_levels.back() : *level;
    CellGrid part;
    part.edge = all.edge;
    const std::int64_t firstRow = std::clamp<std::int64_t>(rect.row / all.edge, 0, all.rows);
    const std::int64_t firstColumn = std::clamp<std::int64_t>(rect.column / all.edge, 0, all.columns);
    part.firstRow = firstRow * all.edge;
    part.firstColumn = firstColumn * all.edge;
    part.resize(std::min(all.rows, roundUp(rect.row + rect.rows, all.edge) / all.edge) - firstRow,
                std::min(all.columns, roundUp(rect.column + rect.columns, all.edge) / all.edge) - firstColumn);
    for (std::int64_t row = 0; row < part.rows; ++row) {
        const auto from = static_cast<std::ptrdiff_t>(all.at(firstRow + row, firstColumn));
        const auto to = static_cast<std::ptrdiff_t>(part.at(row, 0));
        for (const auto values :
             {&CellGrid::error, &CellGrid::reference, &CellGrid::candidate, &CellGrid::firstReference, &CellGrid::firstCandidate})
            std::copy_n((all.*values).begin() + from, part.columns, (part.*values).begin() + to);
        std::copy_n(all.flags.begin() + from, part.columns, part.flags.begin() + to);
    }
    return part;
}

void ErrorPyramid::findExtremes()
{
    const CellGrid& base = m_levels.front();
    for (const double error : base.error) {
        if (std::isfinite(error))
            m_largest = std::max(m_largest, error);
    }
    double least = HUGE_VAL, greatest = -HUGE_VAL;
    const auto widen = [&](const std::vector<double>& values) {
        for (const double value : values) {
            if (std::isfinite(value)) {
                least = std::min(least, value);
                greatest = std::max(greatest, value);
            }
        }
    };
    widen(base.reference);
    widen(base.firstReference);
    if (least > greatest) {
        widen(base.candidate);
        widen(base.firstCandidate);
    }
    if (least <= greatest) {
        m_leastValue = least;
        m_greatestValue = greatest;
    }
}

} // namespace assay::diff
