// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay::cli {

/// Lays @p html out on A4 into @p target by running assay-workbench, which lies beside this program or on the usual path.
/// @throws Error where it is absent or fails, with what it said
void writePdf(const std::string& html, const std::filesystem::path& target);

} // namespace assay::cli
