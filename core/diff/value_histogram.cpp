// SPDX-License-Identifier: Apache-2.0
#include "core/diff/value_histogram.h"

#include "core/diff/parallel.h"
#include "core/text/error.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>

namespace assay::diff {

namespace {

constexpr std::int64_t kRun = 1024;
constexpr int kStoredBits = 52; // of a double's significand
constexpr std::uint64_t kInfinity = 0x7FF0000000000000;

} // namespace

ValueHistogram::ValueHistogram()
    : m_positive(kBins)
    , m_negative(kBins)
{
}

void ValueHistogram::add(const double* values, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint64_t bits = std::bit_cast<std::uint64_t>(values[i]);
        const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
        const bool isNegative = magnitude != bits;
        if (magnitude == 0)
            ++m_zeros;
        else if (magnitude > kInfinity)
            ++m_nans;
        else if (magnitude == kInfinity)
            ++(isNegative ? m_negativeInfinities : m_positiveInfinities);
        else
            ++(isNegative ? m_negative : m_positive)[magnitude >> (kStoredBits - kMantissaBits)];
    }
}

void ValueHistogram::merge(const ValueHistogram& other)
{
    for (std::size_t i = 0; i < kBins; ++i) {
        m_positive[i] += other.m_positive[i];
        m_negative[i] += other.m_negative[i];
    }
    m_zeros += other.m_zeros;
    m_nans += other.m_nans;
    m_positiveInfinities += other.m_positiveInfinities;
    m_negativeInfinities += other.m_negativeInfinities;
}

std::int64_t ValueHistogram::finite() const
{
    return std::accumulate(m_positive.begin(), m_positive.end(), m_zeros)
        + std::accumulate(m_negative.begin(), m_negative.end(), std::int64_t{0});
}

std::vector<ValueHistogram::Bin> ValueHistogram::bins() const
{
    const auto edge = [](std::size_t bin) {
        const double value = std::bit_cast<double>(static_cast<std::uint64_t>(bin) << (kStoredBits - kMantissaBits));
        return std::isfinite(value) ? value : std::numeric_limits<double>::max();
    };
    std::vector<Bin> bins;
    for (std::size_t i = kBins; i-- > 0;) {
        if (m_negative[i] > 0)
            bins.push_back({-edge(i + 1), -edge(i), m_negative[i]});
    }
    for (std::size_t i = 0; i < kBins; ++i) {
        if (m_positive[i] > 0)
            bins.push_back({edge(i), edge(i + 1), m_positive[i]});
    }
    return bins;
}

double ValueHistogram::leastMagnitude() const
{
    double least = 0;
    for (const Bin& bin : bins()) {
        const double magnitude = std::min(std::fabs(bin.low), std::fabs(bin.high));
        least = least == 0 ? magnitude : std::min(least, magnitude);
    }
    return least;
}

double ValueHistogram::greatestMagnitude() const
{
    double greatest = 0;
    for (const Bin& bin : bins())
        greatest = std::max({greatest, std::fabs(bin.low), std::fabs(bin.high)});
    return greatest;
}

PlaneHistograms histogramsOf(const Plane& reference, const Plane& candidate, Metric metric, const Bound& bound,
                             const std::stop_token& stop, int threads)
{
    PlaneHistograms total;
    std::mutex lock;
    std::vector<std::shared_ptr<PlaneHistograms>> parts;
    std::atomic<bool> isStopped{false};
    inParallel(reference.rows(), threads, [&] {
        auto part = std::make_shared<PlaneHistograms>();
        const std::lock_guard guard(lock);
        parts.push_back(part);
        return [&, part, rows = PairRows(reference, candidate, metric, bound, kRun),
                masked = std::vector<double>(kRun)](std::int64_t row) mutable {
            if (isStopped || stop.stop_requested()) {
                isStopped = true;
                return;
            }
            const std::int64_t columns = reference.columnsIn(row);
            for (std::int64_t column = 0; column < columns; column += kRun) {
                const std::int64_t count = std::min(kRun, columns - column);
                const PairRun run = rows.read(row, column, count);
                part->reference.add(run.reference, count);
                part->candidate.add(run.candidate, count);
                for (std::int64_t i = 0; i < count; ++i)
                    masked[static_cast<std::size_t>(i)]
                        = run.flags[i] == 0 ? run.error[i] : std::numeric_limits<double>::quiet_NaN();
                part->errors.add(masked.data(), count);
            }
        };
    });
    if (isStopped)
        throw Cancelled();
    for (const auto& part : parts) {
        total.errors.merge(part->errors);
        total.reference.merge(part->reference);
        total.candidate.merge(part->candidate);
    }
    return total;
}

} // namespace assay::diff
