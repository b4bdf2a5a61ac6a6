// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::device {

/// Splits off the first line of @p text, without its end.
inline std::string_view takeLine(std::string_view& text)
{
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    return line;
}

inline std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r\n\f\v";
    const auto first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The whole of @p text as an integer, decimal or 0x hexadecimal, with an optional sign and PTX' U suffix.
inline std::optional<std::int64_t> wholeInteger(std::string_view text)
{
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+'))
        text.remove_prefix(1);
    if (text.ends_with('U'))
        text.remove_suffix(1);
    const bool hex = text.starts_with("0x") || text.starts_with("0X");
    if (hex)
        text.remove_prefix(2);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size() || text.empty() || text.front() == '-')
        return std::nullopt;
    return negative ? -value : value;
}

/// The integer right after the first @p marker in @p text.
inline std::optional<std::int64_t> integerAfter(std::string_view text, std::string_view marker)
{
    const auto at = text.find(marker);
    if (at == std::string_view::npos)
        return std::nullopt;
    text = text.substr(at + marker.size());
    while (text.starts_with(' '))
        text.remove_prefix(1);
    return wholeInteger(text.substr(0, text.find_first_not_of("0123456789abcdefABCDEFx")));
}

/// The integer right before the first @p marker in @p text.
inline std::optional<std::int64_t> integerBefore(std::string_view text, std::string_view marker)
{
    const auto at = text.find(marker);
    if (at == std::string_view::npos)
        return std::nullopt;
    text = text.substr(0, at);
    const auto before = text.find_last_not_of("0123456789");
    return wholeInteger(before == std::string_view::npos ? text : text.substr(before + 1));
}

} // namespace assay::device
