// SPDX-License-Identifier: Apache-2.0
#include "core/report/python_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace assay::report {

namespace {

struct CodePoint {
    std::uint32_t value = 0xFFFD;
    std::size_t bytes = 1;
};

bool isContinuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/// The code point that starts @p text; U+FFFD and one byte where none does (overlong forms and surrogates included).
CodePoint firstCodePoint(std::string_view text)
{
    const auto lead = static_cast<unsigned char>(text[0]);
    if (lead < 0x80)
        return {lead, 1};
    const std::size_t length = lead >= 0xF0 && lead < 0xF8 ? 4
        : lead >= 0xE0 && lead < 0xF0                      ? 3
        : lead >= 0xC2 && lead < 0xE0                      ? 2
                                                           : 0;
    if (length == 0 || text.size() < length)
        return {};
    std::uint32_t value = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (!isContinuation(byte))
            return {};
        value = (value << 6) | (byte & 0x3FU);
    }
    constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = value >= 0xD800 && value < 0xE000;
    if (value < kSmallest[length] || value > 0x10FFFF || surrogate)
        return {};
    return {value, length};
}

void appendEscaped(std::string& out, std::uint32_t codePoint)
{
    if (codePoint < 0x10000) {
        out += fmt::format("\\u{:04x}", codePoint);
        return;
    }
    const std::uint32_t offset = codePoint - 0x10000;
    out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

bool appendShortEscape(std::string& out, char c)
{
    constexpr std::string_view kCharacters = "\"\\\n\r\t\f\b";
    constexpr std::string_view kLetters = "\"\\nrtfb";
    const std::size_t at = kCharacters.find(c);
    if (at == std::string_view::npos)
        return false;
    out += '\\';
    out += kLetters[at];
    return true;
}

void append(std::string& out, const json::Value& value);

void appendObject(std::string& out, const json::Value& object)
{
    std::vector<const json::Value::Member*> members;
    for (const auto& member : object.GetObject())
        members.push_back(&member);
    const auto key
        = [](const json::Value::Member* m) { return std::string_view(m->name.GetString(), m->name.GetStringLength()); };
    std::stable_sort(members.begin(), members.end(), [&](const auto* a, const auto* b) { return key(a) < key(b); });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
        out += i == 0 ? "" : ", ";
        out += pythonString(key(members[i]));
        out += ": ";
        append(out, members[i]->value);
    }
    out += '}';
}

void append(std::string& out, const json::Value& value)
{
    if (value.IsObject()) {
        appendObject(out, value);
    } else if (value.IsArray()) {
        out += '[';
        for (rapidjson::SizeType i = 0; i < value.Size(); ++i) {
            out += i == 0 ? "" : ", ";
            append(out, value[i]);
        }
        out += ']';
    } else if (value.IsString()) {
        out += pythonString({value.GetString(), value.GetStringLength()});
    } else if (value.IsInt64()) {
        out += fmt::format("{}", value.GetInt64());
    } else if (value.IsUint64()) {
        out += fmt::format("{}", value.GetUint64());
    } else if (value.IsDouble()) {
        out += pythonFloat(value.GetDouble());
    } else {
        out += value.IsNull() ? "null" : value.GetBool() ? "true" : "false";
    }
}

} // namespace

std::string pythonString(std::string_view utf8)
{
    std::string out;
    out.reserve(utf8.size() + 2);
    out += '"';
    while (!utf8.empty()) {
        const CodePoint next = firstCodePoint(utf8);
        const bool printable = next.value >= 0x20 && next.value < 0x7F;
        const bool isAscii = next.value < 0x80;
        if (!(isAscii && appendShortEscape(out, static_cast<char>(next.value)))) {
            // DEL is ASCII to Python and stays as it is.
            if (printable || next.value == 0x7F)
                out += static_cast<char>(next.value);
            else
                appendEscaped(out, next.value);
        }
        utf8.remove_prefix(next.bytes);
    }
    out += '"';
    return out;
}

std::string pythonFloat(double value)
{
    if (std::isnan(value))
        return "\"NaN\"";
    if (std::isinf(value))
        return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    return json::exactNumber(value);
}

std::string pythonJson(const json::Value& value)
{
    std::string out;
    append(out, value);
    return out;
}

} // namespace assay::report
