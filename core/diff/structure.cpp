// SPDX-License-Identifier: Apache-2.0
#include "core/diff/structure.h"

#include "core/diff/parallel.h"

#include <fmt/format.h>

#include <atomic>
#include <bit>

namespace assay::diff {

namespace {

constexpr std::int64_t kWordBits = 64;
constexpr std::int64_t kMostPlaces = 4;
constexpr std::int64_t kLeastForDiagonal = 32; // marks: by chance all on one side of it once in 2^32
constexpr std::int64_t kRowsAtOnce = 256;

/// What the indices of an axis are called: the last two are columns and rows.
struct AxisName {
    std::string one, many;
};

AxisName nameOf(std::size_t axis, std::size_t axes)
{
    if (axes == 1)
        return {"element", "elements"};
    if (axis + 1 == axes)
        return {"column", "columns"};
    if (axis + 2 == axes)
        return {"row", "rows"};
    return {fmt::format("slice of axis {}", axis), fmt::format("slices of axis {}", axis)};
}

std::string ordinal(std::int64_t number)
{
    const char* ending = "th";
    if (number % 100 < 11 || number % 100 > 13)
        ending = number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
    return grouped(number) + ending;
}

std::string numbered(const AxisName& name, std::int64_t index)
{
    const std::size_t of = name.one.find(" of ");
    if (of == std::string::npos)
        return fmt::format("{} {}", name.one, grouped(index));
    return fmt::format("{} {}{}", name.one.substr(0, of), grouped(index), name.one.substr(of));
}

std::string intervalText(const AxisPattern& pattern, const AxisName& name)
{
    const std::int64_t length = pattern.end - pattern.begin;
    if (length == 1)
        return numbered(name, pattern.begin);
    if (pattern.end == pattern.size)
        return fmt::format("the last {} {}", grouped(length), name.many);
    if (pattern.begin == 0)
        return fmt::format("the first {} {}", grouped(length), name.many);
    return fmt::format("{} {} to {}", name.many, grouped(pattern.begin), grouped(pattern.end - 1));
}

std::string fewText(const AxisPattern& pattern, const AxisName& name)
{
    if (pattern.few.size() == 1)
        return numbered(name, pattern.few[0]);
    std::string list;
    for (std::size_t i = 0; i < pattern.few.size(); ++i)
        list += (i == 0 ? "" : i + 1 == pattern.few.size() ? " and " : ", ") + grouped(pattern.few[i]);
    return fmt::format("{} {}", name.many, list);
}

std::string textOf(const AxisPattern& pattern, const AxisName& name)
{
    switch (pattern.kind) {
    case AxisPattern::Kind::Interval:
        return intervalText(pattern, name);
    case AxisPattern::Kind::Few:
        return fewText(pattern, name);
    case AxisPattern::Kind::Periodic:
        break;
    }
    if (pattern.end - pattern.begin == 1)
        return fmt::format("every {} {} (from {})", ordinal(pattern.period), name.one, numbered(name, pattern.begin));
    return fmt::format("{} {} to {} of every {}", name.many, pattern.begin, pattern.end - 1, grouped(pattern.period));
}

/// Columns first, as one would say it: "the last 37 columns of every 128th row".
std::string textOf(const std::vector<std::optional<AxisPattern>>& patterns)
{
    std::string text;
    for (std::size_t axis = patterns.size(); axis-- > 0;) {
        if (patterns[axis])
            text += (text.empty() ? "" : " of ") + textOf(*patterns[axis], nameOf(axis, patterns.size()));
    }
    return text;
}

/// Marked elements in the indices that every pattern holds.
std::int64_t markedInside(const FailureMask& mask, const std::vector<std::optional<AxisPattern>>& patterns, int threads)
{
    std::vector<std::uint64_t> columns(static_cast<std::size_t>(mask.rowWords()));
    for (std::int64_t column = 0; column < mask.rowLength(); ++column) {
        if (!patterns.back() || patterns.back()->contains(column))
            columns[static_cast<std::size_t>(column / kWordBits)] |= std::uint64_t{1} << (column % kWordBits);
    }
    const auto isRowInside = [&](std::int64_t row) {
        for (std::size_t axis = patterns.size() - 1; axis-- > 0;) {
            const std::int64_t size = mask.shape()[axis];
            if (patterns[axis] && !patterns[axis]->contains(row % size))
                return false;
            row /= size;
        }
        return true;
    };
    std::atomic<std::int64_t> marked{0};
    inParallel((mask.rows() + kRowsAtOnce - 1) / kRowsAtOnce, threads, [&] {
        return [&](std::int64_t part) {
            std::int64_t found = 0;
            for (std::int64_t row = part * kRowsAtOnce; row < std::min(mask.rows(), (part + 1) * kRowsAtOnce); ++row) {
                if (!isRowInside(row))
                    continue;
                const auto words = mask.row(row);
                for (std::size_t i = 0; i < words.size(); ++i)
                    found += std::popcount(words[i] & columns[i]);
            }
            marked += found;
        };
    });
    return marked;
}

std::int64_t sizeOfRegion(const std::vector<std::int64_t>& shape, const std::vector<std::optional<AxisPattern>>& patterns)
{
    std::int64_t size = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        size *= patterns[axis] ? patterns[axis]->countIndices() : shape[axis];
    return size;
}

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

void lookForChunks(const MaskProfile& profile, const std::vector<std::optional<AxisPattern>>& patterns, Structure& found)
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

std::string grouped(std::int64_t value)
{
    std::string digits = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

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
    std::vector<std::optional<AxisPattern>> patterns;
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
