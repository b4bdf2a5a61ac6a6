// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"

#include <cstdint>
#include <string>
#include <string_view>

/// How numbers and texts are written where people read them.
namespace assay::report {

/// "2,638"
std::string grouped(std::int64_t value);

/// "39.54 %"
std::string percent(double share);

/// "1,043 of 2,638 (39.54 %, 95 % interval 37.69 to 41.42 %)", or "0 of 0" where nothing was audited.
std::string sentence(const Rate& rate);

/// "9.50" and so on: @p digits behind the point.
std::string fixed(double value, int digits);

/// The published cross tables say where they come from, the recomputed ones that they are.
std::string sourceNote(const CrossTable& table);

/// @p text between tags or in a quoted attribute; NUL, which HTML cannot hold, as U+FFFD.
std::string htmlEscaped(std::string_view text);

/// @p text as one cell of a Markdown table: no line break, no cell border, no markup of HTML.
std::string markdownCell(std::string_view text);

} // namespace assay::report
