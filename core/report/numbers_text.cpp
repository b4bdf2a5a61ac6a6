// SPDX-License-Identifier: Apache-2.0
#include "core/report/numbers_text.h"

#include <fmt/format.h>

namespace assay::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD

std::string_view htmlEntity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\0':
        return kReplacement;
    default:
        return {};
    }
}

} // namespace

std::string grouped(std::int64_t value)
{
    std::string digits = fmt::format("{}", value);
    const std::size_t first = digits[0] == '-' ? 1 : 0;
    for (std::size_t at = digits.size(); at > first + 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string percent(double share)
{
    return fmt::format("{:.2f} %", 100 * share);
}

std::string sentence(const Rate& rate)
{
    const std::string counts = fmt::format("{} of {}", grouped(rate.count), grouped(rate.of));
    if (rate.of == 0)
        return counts;
    return fmt::format("{} ({}, 95 % interval {:.2f} to {:.2f} %)", counts, percent(rate.value()), 100 * rate.wilson95.low,
                       100 * rate.wilson95.high);
}

std::string fixed(double value, int digits)
{
    return fmt::format("{:.{}f}", value, digits);
}

std::string sourceNote(const CrossTable& table)
{
    return table.source.empty() ? "recomputed from rows" : "published in " + table.source;
}

std::string htmlEscaped(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        const std::string_view entity = htmlEntity(c);
        if (entity.empty())
            out += c;
        else
            out += entity;
    }
    return out;
}

std::string markdownCell(std::string_view text)
{
    constexpr std::string_view kMarkup = "|\\`*_[]";
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        if (c == '\n' || c == '\r' || c == '\t')
            out += ' ';
        else if (c == '<' || c == '>' || c == '&' || c == '\0')
            out += htmlEntity(c);
        else if (kMarkup.find(c) != std::string_view::npos)
            (out += '\\') += c;
        else
            out += c;
    }
    return out;
}

} // namespace assay::report
