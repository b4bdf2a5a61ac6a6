// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace assay::cli {

/// Lays @p html out on A4 into @p target by running assay-workbench beside this program.
/// @throws Error where it is absent or fails
void writePdf(const std::string& html, const std::filesystem::path& target);

} // namespace assay::cli
