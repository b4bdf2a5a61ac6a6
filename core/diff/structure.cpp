// SPDX-License-Identifier: Apache-2.0
#include "core/diff/structure.h"

#include "core/diff/region.h"
#include "core/diff/region_pair.h"
#include "core/diff/region_words.h"

#include <fmt/format.h>

#include <bit>

namespace assay::diff {

namespace {

constexpr std::int64_t kWordBits = 64;
constexpr std::int64_t kMostPlaces = 4;
constexpr std::int64_t kLeastForDiagonal = 32; // marks: by chance all on one side of it once in 2^32

/// Elements above the diagonal of the last two axes.
std::int64_t sizeAboveDiagonal(const std::vector<std::int64_t>& shape)
{
    const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
    std::int64_t size = 0;
    for (std::int64_t row = 0; row < std::min(rows, columns); ++row)
        size += columns - 1 - row;
    for (std::size_t axis = 0; axis + 2 < shape.size(); ++axis)
        size *= shape[axis];
    return size;
}

std::int64_t sizeBelowDiagonal(std::vector<std::int64_t> shape)
{
    std::swap(shape[shape.size() - 2], shape.back());
    return sizeAboveDiagonal(shape);
}

void lookAtDiagonal(const std::vector<std::int64_t>& shape, const MaskProfile& profile, Structure& found)
{
    if (shape.size() < 2 || found.marked < kLeastForDiagonal)
        return;
    const double wanted = kExplained * static_cast<double>(found.marked);
    if (static_cast<double>(profile.aboveDiagonal) >= wanted) {
        found.where = "the columns above the diagonal";
        found.markedInRegion = profile.aboveDiagonal;
        found.regionSize = sizeAboveDiagonal(shape);
    } else if (static_cast<double>(profile.belowDiagonal) >= wanted) {
        found.where = "the columns below the diagonal";
        found.markedInRegion = profile.belowDiagonal;
        found.regionSize = sizeBelowDiagonal(shape);
    }
    // Long rows lie above the diagonal anyhow: half of the tensor has to be on the other side.
    if (2 * found.regionSize > found.count)
        found.where.clear();
}

void lookForPair(const FailureMask& mask, const MaskProfile& profile, int threads, Structure& found)
{
    const auto pair = findRegionPair(mask, profile, threads);
    if (!pair)
        return;
    found.where = textOf(pair->first);
    found.regionSize = sizeOfRegion(mask.shape(), pair->first);
    found.markedInRegion = pair->markedInFirst;
    found.second = textOf(pair->second);
    found.secondSize = sizeOfRegion(mask.shape(), pair->second);
    found.markedInSecond = pair->markedInSecond;
    found.markedInBoth = pair->markedInBoth;
}

void lookForChunks(const MaskProfile& profile, const Region& patterns, Structure& found)
{
    for (std::size_t axis = patterns.size(); axis-- > 0;) {
        const auto chunks = patterns[axis] ? std::nullopt : findChunks(profile.axes[axis]);
        if (!chunks)
            continue;
        const AxisName name = nameOf(axis, patterns.size());
        found.spread = chunks->isWhole
            ? fmt::format("it fills whole chunks of {} {}", grouped(chunks->size), name.many)
            : fmt::format("it spreads within chunks of {} {}, up to the end of each", grouped(chunks->size), name.many);
        return;
    }
}

std::vector<std::vector<std::int64_t>> placesIn(const FailureMask& mask)
{
    std::vector<std::vector<std::int64_t>> places;
    for (std::int64_t row = 0; row < mask.rows(); ++row) {
        const auto words = mask.row(row);
        for (std::size_t i = 0; i < words.size(); ++i) {
            for (std::uint64_t word = words[i]; word != 0; word &= word - 1) {
                const std::int64_t column = static_cast<std::int64_t>(i) * kWordBits + std::countr_zero(word);
                places.push_back(tensor::unravel(row * mask.rowLength() + column, mask.shape()));
            }
        }
    }
    return places;
}

std::string placeText(const std::vector<std::int64_t>& index)
{
    return fmt::format("({})", fmt::join(index, ", "));
}

} // namespace

std::string shareText(std::int64_t part, std::int64_t whole)
{
    if (part == whole)
        return "all";
    if (part == 0)
        return "none";
    const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
    if (percent > 99.9)
        return "over 99.9 %";
    if (percent >= 10)
        return fmt::format("{:.3g} %", percent);
    return fmt::format("{:.2g} %", percent);
}

Structure findStructure(const FailureMask& mask, int threads)
{
    const MaskProfile profile = profileOf(mask, threads);
    Structure found;
    found.count = profile.count;
    found.marked = profile.marked;
    if (found.marked == 0 || mask.shape().empty())
        return found;
    if (found.marked <= kMostPlaces) {
        found.places = placesIn(mask);
        return found;
    }
    Region patterns;
    for (const AxisProfile& axis : profile.axes) {
        patterns.push_back(findPattern(axis, found.marked));
        found.hasLongAxis |= axis.size > kLongestProfile;
    }
    found.where = textOf(patterns);
    if (found.hasRegion()) {
        found.markedInRegion = markedInside(mask, patterns, threads);
        found.regionSize = sizeOfRegion(mask.shape(), patterns);
        // Each pattern holds nearly all marks; all of them together have to, too.
        if (static_cast<double>(found.markedInRegion) < kExplained * kExplained * static_cast<double>(found.marked))
            found.where.clear();
    } else {
        lookAtDiagonal(mask.shape(), profile, found);
    }
    if (!found.hasRegion())
        lookForPair(mask, profile, threads, found);
    if (found.second.empty())
        lookForChunks(profile, patterns, found);
    return found;
}

std::string sentence(const Structure& structure, const std::string& one, const std::string& many)
{
    if (structure.marked == 0)
        return {};
    const std::string share = shareText(structure.marked, structure.count);
    std::string text = structure.marked == structure.count
        ? fmt::format("all {} elements {}", grouped(structure.count), many)
        : fmt::format("{} {} ({}) {}", grouped(structure.marked), structure.marked == 1 ? "element" : "elements", share,
                      structure.marked == 1 ? one : many);
    if (!structure.places.empty()) {
        text += ": at ";
        for (std::size_t i = 0; i < structure.places.size(); ++i)
            text += (i == 0 ? "" : i + 1 == structure.places.size() ? " and " : ", ") + placeText(structure.places[i]);
    } else if (structure.hasRegion()) {
        text += fmt::format(": {} of them in {}, where {} do", shareText(structure.markedInRegion, structure.marked),
                            structure.where, shareText(structure.markedInRegion, structure.regionSize));
        if (!structure.second.empty())
            text += fmt::format(", and another {} in {}, where {} do",
                                shareText(structure.markedInSecond - structure.markedInBoth, structure.marked), structure.second,
                                shareText(structure.markedInSecond, structure.secondSize));
    } else if (structure.spread.empty() && structure.marked < structure.count) {
        const bool isEverywhere = 2 * structure.marked > structure.count;
        text += isEverywhere ? ": all over the tensor"
            : structure.hasLongAxis
            ? fmt::format(": an axis of more than {} is not searched for structure", grouped(kLongestProfile))
            : ": scattered, no structure was found";
    }
    if (!structure.spread.empty())
        text += (structure.hasRegion() ? "; " : ": ") + structure.spread;
    return text + '.';
}

} // namespace assay::diff
