// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/measured.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace assay::json {

using Document = rapidjson::Document;
using Value = rapidjson::Value;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

/// Where and why a text is not JSON.
struct ParseFailure {
    std::size_t byte = 0; ///< offset of the first byte that does not fit
    std::string reason;
};

/// Parses @p text as real corpora write it: full-precision numbers, bare NaN and +-Infinity, valid UTF-8, any nesting depth.
/// A number outside the double range (1e400) is a failure, never an infinity.
/// @return nothing on success, the first failure otherwise
std::optional<ParseFailure> parse(std::string_view text, Document& out);

/// Shortest decimal that reads back to the same bits, spelled as Python's repr does ("0.1", "1e+22", "3.0", "nan", "inf").
std::string exactNumber(double value);

/// Writes @p value as a number, or as the strings "NaN", "Infinity", "-Infinity": never a bare NaN.
void writeNumber(Writer& writer, double value);

/// writeNumber(), or null where nothing was measured.
void writeMeasured(Writer& writer, const tensor::Measured& value);

/// @p value as JSON text, non-finite numbers as strings.
std::string toText(const Value& value);

/// Member access that tolerates absence and foreign types; every accessor returns nothing instead of failing.
const Value* find(const Value& object, std::string_view key);
std::optional<std::string> stringAt(const Value& object, std::string_view key);
std::optional<double> numberAt(const Value& object, std::string_view key); ///< also the strings "NaN", "Infinity", "inf", "-Infinity"
std::optional<std::int64_t> integerAt(const Value& object, std::string_view key);
std::optional<bool> boolAt(const Value& object, std::string_view key); ///< also "True"/"False"/"true"/"false" strings

} // namespace assay::json
