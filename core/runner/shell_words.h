// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::runner {

/// @p text split as a shell splits words: blanks separate, '...' and "..." and \ quote; nothing is expanded.
/// @throws Error  where a quote is not closed
std::vector<std::string> shellWords(std::string_view text);

} // namespace assay::runner
