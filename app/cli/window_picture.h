// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace assay::cli {

/// Path of assay-workbench beside this program, which draws what needs a window's libraries.
/// @param otherwise  what a user without it can do: "leave --png out"
/// @throws Error  where it is not installed
std::string windowProgram(const std::string& otherwise);

/// Runs it until it ends; what it complains of goes to standard error. @throws Error  where it fails
void drawPicture(const std::string& program, const std::vector<std::string>& arguments);

} // namespace assay::cli
