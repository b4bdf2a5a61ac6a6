// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON kept to the byte: slices of the text a value was written with, for what must be stored verbatim (claims, members without
/// a column, integers beyond 64 bits).
namespace assay::json {

struct RawMember {
    std::string key;        ///< unescaped
    std::string_view value; ///< as written, without surrounding blanks
};

/// Members of the JSON object that @p text starts with, in order, duplicates included. Tolerates text that is cut off: complete
/// members before the cut are returned. Call it on text that parsed, or for a glimpse at a head.
std::vector<RawMember> rawMembers(std::string_view text);

/// The last member called @p key, as readers of JSON objects take it, or nothing.
std::optional<std::string_view> rawMember(const std::vector<RawMember>& members, std::string_view key);

/// Elements of the JSON array that @p text starts with, as written.
std::vector<std::string_view> rawElements(std::string_view text);

/// A string as JSON, quoted.
std::string quoted(std::string_view text);

/// Deepest nesting that rows and documents may have: code that walks values recursively stays far from the end of the stack.
inline constexpr int kMaxNesting = 512;

/// Parses one row or document: parse with what imports refuse on top: NUL bytes and nesting deeper than kMaxNesting.
std::optional<ParseFailure> parseStrictly(std::string_view text, Document& out);

} // namespace assay::json
