// SPDX-License-Identifier: Apache-2.0
#include "core/diff/region_pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay::diff {

namespace {

constexpr std::size_t kMostTries = 4; // of first regions: each costs a few walks over the mask
constexpr std::size_t kMostNames = 4; // of indices and stretches along one axis

struct Candidate {
    Region region;
    std::int64_t marked = 0; ///< along the axis where it was found
};

/// Patterns that hold a part of the marks along one axis, those that hold most first.
std::vector<Candidate> firstRegions(const MaskProfile& profile)
{
    std::vector<Candidate> found;
    for (std::size_t axis = 0; axis < profile.axes.size(); ++axis) {
        for (AxisPattern& pattern : findOutstanding(profile.axes[axis], profile.marked)) {
            Candidate candidate{Region(profile.axes.size()), countMarked(profile.axes[axis], pattern)};
            candidate.region[axis] = std::move(pattern);
            found.push_back(std::move(candidate));
        }
    }
    std::ranges::stable_sort(found, std::greater(), &Candidate::marked);
    found.resize(std::min(found.size(), kMostTries));
    return found;
}

/// What holds nearly all marks of a profile; a region without patterns where nothing does.
Region regionOf(const MaskProfile& profile)
{
    Region region;
    for (const AxisProfile& axis : profile.axes)
        region.push_back(findPattern(axis, profile.marked));
    return region;
}

bool isWhole(const Region& region)
{
    return std::ranges::none_of(region, [](const auto& pattern) { return pattern.has_value(); });
}

/// Narrows a region along the axes that it leaves free.
///
/// The other structure crosses it, so what stands out of that crossing counts as well, if it is most of what is there.
void narrow(Region& region, const FailureMask& mask, int threads)
{
    const MaskProfile inside = profileOf(keepSide(mask, region, Side::Inside, threads), threads);
    for (std::size_t axis = 0; axis < region.size(); ++axis) {
        if (region[axis])
            continue;
        region[axis] = findPattern(inside.axes[axis], inside.marked);
        if (region[axis])
            continue;
        for (AxisPattern& pattern : findOutstanding(inside.axes[axis], inside.marked)) {
            if (2 * countMarked(inside.axes[axis], pattern) > inside.marked) {
                region[axis] = std::move(pattern);
                break;
            }
        }
    }
}

/// Whether any pattern could hold what @p candidate leaves: seen from the profile, before the mask is walked again.
bool isWorthATry(const Candidate& candidate, const MaskProfile& profile)
{
    const double wanted = kExplained * static_cast<double>(profile.marked - candidate.marked);
    return std::ranges::any_of(profile.axes,
                               [&](const AxisProfile& axis) { return static_cast<double>(mostInPattern(axis)) >= wanted; });
}

std::size_t onlyAxis(const Region& region)
{
    std::size_t only = region.size();
    for (std::size_t axis = 0; axis < region.size(); ++axis) {
        if (region[axis] && only < region.size())
            return region.size();
        if (region[axis])
            only = axis;
    }
    return only;
}

/// What the first region took away is missing in the rest, which is no structure of the rest.
void forgetGapOf(const Region& first, Region& second)
{
    const std::size_t axis = onlyAxis(first);
    if (axis == first.size() || !second[axis])
        return;
    bool isGapAlone = true;
    for (std::int64_t i = 0; i < second[axis]->size; ++i)
        isGapAlone &= second[axis]->contains(i) || first[axis]->contains(i);
    if (isGapAlone)
        second[axis].reset();
}

/// Five rows are five rows: naming them in two portions would make a structure of any handful.
bool areTooMany(const Region& first, const Region& second)
{
    const std::size_t axis = onlyAxis(first);
    if (axis == first.size() || axis != onlyAxis(second))
        return false;
    const auto names = [&](const AxisPattern& pattern) {
        return pattern.kind == AxisPattern::Kind::Few ? pattern.few.size() : std::size_t{1};
    };
    return names(*first[axis]) + names(*second[axis]) > kMostNames;
}

/// How many marks come together: the mean extents of runs along all axes, multiplied.
double clumpSize(const MaskProfile& profile)
{
    double size = 1;
    for (const AxisProfile& axis : profile.axes) {
        if (const auto runs = std::accumulate(axis.starts.begin(), axis.starts.end(), std::int64_t{0}); runs > 0)
            size *= static_cast<double>(profile.marked) / static_cast<double>(runs);
    }
    return std::min(size, static_cast<double>(profile.marked));
}

/// A region that is mostly marked speaks for itself; in a sparse one scattered clumps would have to meet by chance.
bool isMeant(const Region& region, const MaskProfile& profile, std::int64_t regionSize, std::int64_t held, std::int64_t inside)
{
    if (2 * inside >= regionSize)
        return true;
    double digits = static_cast<double>(held) / clumpSize(profile)
        * std::log10(static_cast<double>(regionSize) / static_cast<double>(profile.count));
    for (const auto& pattern : region)
        digits += pattern ? choicesOf(*pattern) : 0;
    return digits < std::log10(kLargestChance);
}

std::optional<RegionPair> pairWith(Region first, const FailureMask& mask, const MaskProfile& profile, int threads)
{
    const std::int64_t marked = profile.marked;
    const FailureMask rest = keepSide(mask, first, Side::Outside, threads);
    const MaskProfile restProfile = profileOf(rest, threads);
    Region second = regionOf(restProfile);
    forgetGapOf(first, second);
    if (isWhole(second) || areTooMany(first, second))
        return std::nullopt;
    RegionPair pair;
    const std::int64_t inFirst = marked - restProfile.marked;
    const std::int64_t inSecondAlone = markedInside(rest, second, threads);
    if (static_cast<double>(inFirst + inSecondAlone) < kExplained * static_cast<double>(marked))
        return std::nullopt;
    pair.markedInSecond = markedInside(mask, second, threads);
    if (!isMeant(first, profile, sizeOfRegion(mask.shape(), first), inFirst, inFirst)
        || !isMeant(second, profile, sizeOfRegion(mask.shape(), second), inSecondAlone, pair.markedInSecond))
        return std::nullopt;
    pair.markedInFirst = inFirst;
    pair.markedInBoth = pair.markedInSecond - inSecondAlone;
    pair.first = std::move(first);
    pair.second = std::move(second);
    if (pair.markedInSecond > pair.markedInFirst) {
        std::swap(pair.first, pair.second);
        std::swap(pair.markedInFirst, pair.markedInSecond);
    }
    return pair;
}

} // namespace

std::optional<RegionPair> findRegionPair(const FailureMask& mask, const MaskProfile& profile, int threads)
{
    for (const Candidate& candidate : firstRegions(profile)) {
        if (!isWorthATry(candidate, profile))
            continue;
        Region narrowed = candidate.region;
        narrow(narrowed, mask, threads);
        if (auto pair = pairWith(std::move(narrowed), mask, profile, threads))
            return pair;
    }
    return std::nullopt;
}

} // namespace assay::diff
