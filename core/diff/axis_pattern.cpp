// SPDX-License-Identifier: Apache-2.0
#include "core/diff/axis_pattern.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace assay::diff {

namespace {

constexpr double kLargestPart = 0.5; // of the axis that a pattern may cover
constexpr std::size_t kMostFew = 4;
constexpr std::int64_t kLeastAxis = 8; // below, half of an axis is too few indices for a stretch or a period
constexpr std::size_t kPeriodsTried = 8;
constexpr std::int64_t kLeastRepeats = 4;
constexpr double kFilled = 0.8; // of a pattern's indices that have to hold a mark
constexpr std::int64_t kLeastEnds = 3;
constexpr std::int64_t kLeastChunk = 4;

/// log10 of the chance that @p hits independent marks all fall into @p part of the axis, for the best of @p choices places.
bool isBeyondChance(double choices, double part, std::int64_t hits)
{
    return std::log10(choices) + static_cast<double>(hits) * std::log10(part) < std::log10(kLargestChance);
}

struct Support {
    std::vector<std::int64_t> indices; ///< that hold a mark
};

Support supportOf(const AxisProfile& axis)
{
    Support support;
    for (std::int64_t i = 0; i < axis.size; ++i) {
        if (axis.marked[static_cast<std::size_t>(i)] > 0)
            support.indices.push_back(i);
    }
    return support;
}

bool explains(const AxisProfile& axis, const AxisPattern& pattern, std::int64_t marked)
{
    return static_cast<double>(countMarked(axis, pattern)) >= kExplained * static_cast<double>(marked)
        && static_cast<double>(pattern.countIndices()) <= kLargestPart * static_cast<double>(axis.size);
}

std::optional<AxisPattern> findFew(const AxisProfile& axis, const Support& support, std::int64_t marked)
{
    std::vector<std::int64_t> byMarks = support.indices;
    std::ranges::stable_sort(byMarks, std::greater(), [&](std::int64_t i) { return axis.marked[static_cast<std::size_t>(i)]; });
    AxisPattern pattern;
    pattern.kind = AxisPattern::Kind::Few;
    pattern.size = axis.size;
    std::int64_t held = 0;
    for (const std::int64_t index : byMarks) {
        if (static_cast<double>(held) >= kExplained * static_cast<double>(marked))
            break;
        pattern.few.push_back(index);
        held += axis.marked[static_cast<std::size_t>(index)];
        if (pattern.few.size() > kMostFew)
            return std::nullopt;
    }
    std::ranges::sort(pattern.few);
    const auto few = static_cast<std::int64_t>(pattern.few.size());
    // Marks in so few indices by chance: the best of n^few choices.
    const double part = static_cast<double>(few) / static_cast<double>(axis.size);
    if (!explains(axis, pattern, marked)
        || !isBeyondChance(std::pow(static_cast<double>(axis.size), static_cast<double>(few)), part, marked))
        return std::nullopt;
    if (few > 1 && pattern.few.back() - pattern.few.front() == few - 1) { // neighbours are a stretch
        pattern.kind = AxisPattern::Kind::Interval;
        pattern.begin = pattern.few.front();
        pattern.end = pattern.few.back() + 1;
        pattern.few.clear();
    }
    return pattern;
}

/// The interval that holds most marks beyond its share of the axis (Kadane's maximum subarray).
AxisPattern richestInterval(const AxisProfile& axis, std::int64_t marked)
{
    const double even = static_cast<double>(marked) / static_cast<double>(axis.size);
    AxisPattern best;
    best.size = axis.size;
    double bestGain = 0, gain = 0;
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < axis.size; ++i) {
        if (gain <= 0) {
            gain = 0;
            begin = i;
        }
        gain += static_cast<double>(axis.marked[static_cast<std::size_t>(i)]) - even;
        if (gain > bestGain) {
            bestGain = gain;
            best.begin = begin;
            best.end = i + 1;
        }
    }
    return best;
}

std::int64_t countFilled(const Support& support, const AxisPattern& pattern)
{
    return std::ranges::count_if(support.indices, [&](std::int64_t i) { return pattern.contains(i); });
}

bool isFilled(const Support& support, const AxisPattern& pattern)
{
    return static_cast<double>(countFilled(support, pattern)) >= kFilled * static_cast<double>(pattern.countIndices());
}

std::optional<AxisPattern> findInterval(const AxisProfile& axis, const Support& support, std::int64_t marked)
{
    const AxisPattern pattern = richestInterval(axis, marked);
    if (pattern.end <= pattern.begin || !explains(axis, pattern, marked))
        return std::nullopt;
    const double n = static_cast<double>(axis.size);
    const double part = static_cast<double>(pattern.end - pattern.begin) / n;
    // Marks that come in whole rows are few independent ones, so indices count, not marks; unless no index is spared.
    const bool isSolid = isFilled(support, pattern) && isBeyondChance(n * n, part, marked);
    if (!isSolid && !isBeyondChance(n * n, part, countFilled(support, pattern)))
        return std::nullopt;
    return pattern;
}

/// Distances between the beginnings of marked stretches, the most frequent first.
std::vector<std::int64_t> likelyPeriods(const AxisProfile& axis)
{
    // Half of the largest count parts a pattern from a haze around it.
    const std::int64_t largest = *std::ranges::max_element(axis.marked);
    std::map<std::int64_t, std::int64_t> frequency;
    std::int64_t last = -1;
    bool wasInside = false;
    for (std::int64_t i = 0; i < axis.size; ++i) {
        const bool isInside = 2 * axis.marked[static_cast<std::size_t>(i)] > largest;
        if (isInside && !wasInside) {
            if (last >= 0)
                ++frequency[i - last];
            last = i;
        }
        wasInside = isInside;
    }
    std::vector<std::int64_t> periods;
    for (const auto& [distance, times] : frequency)
        periods.push_back(distance);
    std::ranges::stable_sort(periods, std::greater(), [&](std::int64_t p) { return frequency[p]; });
    periods.resize(std::min(periods.size(), kPeriodsTried));
    return periods;
}

/// Folds the axis into one period and takes the richest interval of remainders; one that runs over the fold is not found.
std::optional<AxisPattern> findPeriod(const AxisProfile& axis, const Support& support, std::int64_t marked)
{
    for (const std::int64_t period : likelyPeriods(axis)) {
        if (period < 2 || axis.size / period < kLeastRepeats)
            continue;
        AxisProfile folded;
        folded.size = period;
        folded.marked.resize(static_cast<std::size_t>(period));
        for (std::int64_t i = 0; i < axis.size; ++i)
            folded.marked[static_cast<std::size_t>(i % period)] += axis.marked[static_cast<std::size_t>(i)];
        AxisPattern pattern = richestInterval(folded, marked);
        pattern.kind = AxisPattern::Kind::Periodic;
        pattern.size = axis.size;
        pattern.period = period;
        const double part = static_cast<double>(pattern.end - pattern.begin) / static_cast<double>(period);
        const double choices = static_cast<double>(kPeriodsTried * static_cast<std::size_t>(period));
        if (pattern.end > pattern.begin && explains(axis, pattern, marked) && isFilled(support, pattern)
            && isBeyondChance(choices, part, countFilled(support, pattern)))
            return pattern;
    }
    return std::nullopt;
}

/// What is beyond the median index; the median is returned in @p surroundings.
AxisProfile excessOf(const AxisProfile& axis, std::int64_t& surroundings)
{
    std::vector<std::int64_t> sorted = axis.marked;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    surroundings = *middle;
    AxisProfile excess;
    excess.size = axis.size;
    for (const std::int64_t marked : axis.marked)
        excess.marked.push_back(std::max<std::int64_t>(0, marked - surroundings));
    return excess;
}

/// The unbroken stretch of indices beyond half of the largest that holds most.
AxisPattern richestRun(const AxisProfile& axis)
{
    const std::int64_t largest = *std::ranges::max_element(axis.marked);
    AxisPattern best;
    best.size = axis.size;
    std::int64_t bestHeld = 0, held = 0, begin = 0;
    for (std::int64_t i = 0; i < axis.size; ++i) {
        const std::int64_t marked = axis.marked[static_cast<std::size_t>(i)];
        if (2 * marked <= largest) {
            held = 0;
            begin = i + 1;
            continue;
        }
        held += marked;
        if (held > bestHeld) {
            bestHeld = held;
            best.begin = begin;
            best.end = i + 1;
        }
    }
    if (best.end - best.begin == 1) {
        best.kind = AxisPattern::Kind::Few;
        best.few = {best.begin};
    }
    return best;
}

/// Marks scattered as those around the pattern would have to crowd there: a bound of Chernoff's on the tail of a Poisson count.
bool standsOut(const AxisProfile& axis, const AxisPattern& pattern, std::int64_t marked, std::int64_t surroundings)
{
    const auto indices = static_cast<double>(pattern.countIndices());
    if (indices == 0 || indices > kLargestPart * static_cast<double>(axis.size))
        return false;
    const auto inside = static_cast<double>(countMarked(axis, pattern));
    const double outside = (static_cast<double>(marked) - inside) / (static_cast<double>(axis.size) - indices);
    const double expected = indices * std::max(outside, static_cast<double>(surroundings));
    if (expected == 0 || inside <= expected)
        return false;
    const double tail = (inside - expected - inside * std::log(inside / expected)) / std::log(10.0);
    return choicesOf(pattern) + tail < std::log10(kLargestChance);
}

} // namespace

bool AxisPattern::contains(std::int64_t index) const
{
    if (kind == Kind::Few)
        return std::ranges::binary_search(few, index);
    if (kind == Kind::Periodic)
        index %= period;
    return index >= begin && index < end;
}

std::int64_t AxisPattern::countIndices() const
{
    if (kind == Kind::Few)
        return static_cast<std::int64_t>(few.size());
    if (kind == Kind::Interval)
        return end - begin;
    const std::int64_t rest = size % period;
    return size / period * (end - begin) + std::max<std::int64_t>(0, std::min(rest, end) - begin);
}

std::optional<AxisPattern> findPattern(const AxisProfile& axis, std::int64_t marked)
{
    if (axis.marked.empty() || marked == 0)
        return std::nullopt;
    const Support support = supportOf(axis);
    if (auto few = findFew(axis, support, marked))
        return few;
    if (axis.size < kLeastAxis)
        return std::nullopt;
    if (auto period = findPeriod(axis, support, marked))
        return period;
    return findInterval(axis, support, marked);
}

double choicesOf(const AxisPattern& pattern)
{
    const double digits = std::log10(static_cast<double>(pattern.size));
    switch (pattern.kind) {
    case AxisPattern::Kind::Few:
        return digits * static_cast<double>(pattern.few.size());
    case AxisPattern::Kind::Interval:
        return 2 * digits;
    case AxisPattern::Kind::Periodic:
        break;
    }
    return std::log10(static_cast<double>(kPeriodsTried) * static_cast<double>(pattern.period));
}

std::vector<AxisPattern> findOutstanding(const AxisProfile& axis, std::int64_t marked)
{
    if (axis.marked.empty() || marked == 0)
        return {};
    std::int64_t surroundings = 0;
    const AxisProfile excess = excessOf(axis, surroundings);
    const std::int64_t beyond = std::accumulate(excess.marked.begin(), excess.marked.end(), std::int64_t{0});
    if (beyond == 0)
        return {};
    std::vector<AxisPattern> found;
    if (const auto whole = findPattern(excess, beyond); whole && standsOut(axis, *whole, marked, surroundings))
        found.push_back(*whole);
    // Where two patterns stand out of one axis, neither is all of what does.
    if (const AxisPattern run = richestRun(excess); found.empty() && standsOut(axis, run, marked, surroundings))
        found.push_back(run);
    return found;
}

std::int64_t countMarked(const AxisProfile& axis, const AxisPattern& pattern)
{
    std::int64_t marked = 0;
    for (std::int64_t i = 0; i < axis.size; ++i)
        marked += pattern.contains(i) ? axis.marked[static_cast<std::size_t>(i)] : 0;
    return marked;
}

std::int64_t mostInPattern(const AxisProfile& axis)
{
    std::vector<std::int64_t> marked = axis.marked;
    const auto half = static_cast<std::ptrdiff_t>(kLargestPart * static_cast<double>(marked.size()));
    std::ranges::nth_element(marked, marked.begin() + half, std::greater());
    return std::accumulate(marked.begin(), marked.begin() + half, std::int64_t{0});
}

std::optional<ChunkPattern> findChunks(const AxisProfile& axis)
{
    const std::int64_t runs = std::accumulate(axis.ends.begin(), axis.ends.end(), std::int64_t{0});
    const std::int64_t marked = std::accumulate(axis.marked.begin(), axis.marked.end(), std::int64_t{0});
    if (runs < kLeastEnds || marked < 2 * runs)
        return std::nullopt; // lone elements do not spread
    const auto shareAt = [](const std::vector<std::int64_t>& positions, std::int64_t chunk, std::int64_t& places) {
        std::int64_t there = 0;
        for (std::size_t i = 0; i < positions.size(); i += static_cast<std::size_t>(chunk)) {
            there += positions[i];
            places += positions[i] > 0;
        }
        return there;
    };
    for (std::int64_t chunk = axis.size / 2; chunk >= kLeastChunk; --chunk) {
        std::int64_t places = 0, ignored = 0;
        const std::int64_t ending = shareAt(axis.ends, chunk, places);
        const double share = static_cast<double>(ending) / static_cast<double>(runs);
        if (share < kExplained || places < kLeastEnds)
            continue;
        const std::int64_t beginning = shareAt(axis.starts, chunk, ignored);
        return ChunkPattern{chunk, static_cast<double>(beginning) >= kExplained * static_cast<double>(runs), share};
    }
    return std::nullopt;
}

} // namespace assay::diff
