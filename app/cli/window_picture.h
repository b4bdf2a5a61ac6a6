// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

/// Path of assay-workbench beside this program, which draws what needs a window's libraries.
/// @throws Error  where it is not installed
std::string windowProgram();

/// Runs it until it ends. @throws Error  where it fails, with its own last line
void drawPicture(const std::string& program, const std::vector<std::string>& arguments);

} // namespace assay::cli
