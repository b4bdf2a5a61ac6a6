// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Comma-separated values as RFC 4180 has them.
namespace assay::report::csv {

/// @p text, quoted where it has to be; every byte of it is kept.
std::string field(std::string_view text);

/// The fields with commas between them and CR LF behind them.
std::string line(const std::vector<std::string>& fields);

} // namespace assay::report::csv
