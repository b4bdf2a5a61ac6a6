// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <string>
#include <string_view>

/// JSON as Python's json.dumps(value, sort_keys=True) spells it, so that rows we write compare byte for byte with rows that
/// Python scripts wrote, and so that anyone can recompute the hash of a rule set with three lines of Python.
namespace assay::report {

/// @p utf8 as a JSON string in ASCII: \uXXXX with lower-case digits, surrogate pairs above U+FFFF. A byte that is not UTF-8
/// becomes U+FFFD.
std::string pythonString(std::string_view utf8);

/// Python's repr of a float; non-finite numbers as the strings "NaN", "Infinity", "-Infinity", which every JSON reader takes.
std::string pythonFloat(double value);

/// Separators ", " and ": ", keys sorted by code point, ASCII only.
std::string pythonJson(const json::Value& value);

} // namespace assay::report
