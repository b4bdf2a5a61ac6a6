// SPDX-License-Identifier: Apache-2.0
#include "core/text/raw_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::json {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

/// Offset after the string that starts with a quote at @p pos, or npos where it is cut off.
std::size_t afterString(std::string_view text, std::size_t pos)
{
    for (++pos; pos < text.size(); ++pos) {
        if (text[pos] == '\\')
            ++pos;
        else if (text[pos] == '"')
            return pos + 1;
    }
    return std::string_view::npos;
}

/// Offset after the value that starts at @p pos, or npos where it is cut off.
std::size_t afterValue(std::string_view text, std::size_t pos)
{
    int depth = 0;
    while (pos < text.size()) {
        const char c = text[pos];
        if (c == '"') {
            pos = afterString(text, pos);
            if (pos == std::string_view::npos || depth == 0)
                return pos;
            continue;
        }
        if (c == '{' || c == '[')
            ++depth;
        if (c == '}' || c == ']') {
            if (depth == 0)
                return pos;
            if (--depth == 0)
                return pos + 1;
        }
        if (depth == 0 && (c == ',' || kBlank.find(c) != std::string_view::npos))
            return pos;
        ++pos;
    }
    return std::string_view::npos;
}

std::string unescaped(std::string_view quotedText)
{
    if (quotedText.find('\\') == std::string_view::npos)
        return std::string(quotedText.substr(1, quotedText.size() - 2));
    Document document;
    if (parse(quotedText, document) || !document.IsString())
        return std::string(quotedText);
    return {document.GetString(), document.GetStringLength()};
}

/// Offset of the first bracket that opens level kMaxNesting + 1, or npos.
std::size_t tooDeepAt(std::string_view text)
{
    // Most rows hold fewer brackets than the limit; counting them is far cheaper than walking strings.
    const auto opening = std::count_if(text.begin(), text.end(), [](char c) { return c == '{' || c == '['; });
    if (opening <= kMaxNesting)
        return std::string_view::npos;
    int depth = 0;
    for (std::size_t pos = 0; pos < text.size(); ++pos) {
        const char c = text[pos];
        if (c == '"') {
            pos = afterString(text, pos);
            if (pos == std::string_view::npos)
                return pos;
            --pos;
        } else if (c == '{' || c == '[') {
            if (++depth > kMaxNesting)
                return pos;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return std::string_view::npos;
}

} // namespace

std::vector<RawMember> rawMembers(std::string_view text)
{
    std::vector<RawMember> members;
    std::size_t pos = text.find_first_not_of(kBlank);
    if (pos == std::string_view::npos || text[pos] != '{')
        return members;
    for (;;) {
        pos = text.find_first_not_of(" \t\r\n,", pos + 1);
        if (pos == std::string_view::npos || text[pos] != '"')
            return members;
        const std::size_t keyEnd = afterString(text, pos);
        if (keyEnd == std::string_view::npos)
            return members;
        const std::string_view key = text.substr(pos, keyEnd - pos);
        const std::size_t begin = text.find_first_not_of(" \t\r\n:", keyEnd);
        if (begin == std::string_view::npos)
            return members;
        const std::size_t end = afterValue(text, begin);
        if (end == std::string_view::npos || end == begin)
            return members;
        members.push_back({unescaped(key), text.substr(begin, end - begin)});
        // The next search starts one byte further on, so step back onto the last byte of this value.
        pos = end - 1;
    }
}

std::vector<std::string_view> rawElements(std::string_view text)
{
    std::vector<std::string_view> elements;
    std::size_t pos = text.find_first_not_of(kBlank);
    if (pos == std::string_view::npos || text[pos] != '[')
        return elements;
    for (;;) {
        pos = text.find_first_not_of(" \t\r\n,", pos + 1);
        if (pos == std::string_view::npos || text[pos] == ']')
            return elements;
        const std::size_t end = afterValue(text, pos);
        if (end == std::string_view::npos || end == pos)
            return elements;
        elements.push_back(text.substr(pos, end - pos));
        pos = end - 1;
    }
}

std::optional<std::string_view> rawMember(const std::vector<RawMember>& members, std::string_view key)
{
    const auto found = std::find_if(members.rbegin(), members.rend(), [&](const RawMember& member) { return member.key == key; });
    if (found == members.rend())
        return std::nullopt;
    return found->value;
}

std::string quoted(std::string_view text)
{
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return {buffer.GetString(), buffer.GetSize()};
}

std::optional<ParseFailure> parseStrictly(std::string_view text, Document& out)
{
    // A NUL ends the text for the parser, and whatever follows it would vanish unseen.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return ParseFailure{nul, "a NUL byte"};
    if (const std::size_t deep = tooDeepAt(text); deep != std::string_view::npos)
        return ParseFailure{deep, fmt::format("nested deeper than {} levels", kMaxNesting)};
    return parse(text, out);
}

} // namespace assay::json
