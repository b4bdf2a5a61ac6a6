// SPDX-License-Identifier: Apache-2.0
#include "core/diff/region_words.h"

#include <fmt/format.h>

namespace assay::diff {

namespace {

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

} // namespace

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

std::string textOf(const Region& patterns)
{
    std::string text;
    for (std::size_t axis = patterns.size(); axis-- > 0;) {
        if (patterns[axis])
            text += (text.empty() ? "" : " of ") + textOf(*patterns[axis], nameOf(axis, patterns.size()));
    }
    return text;
}

std::string grouped(std::int64_t value)
{
    std::string digits = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    return digits;
}

} // namespace assay::diff
