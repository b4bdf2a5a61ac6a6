// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace assay::report {

/// Writes @p parts, one behind the other, as one gzip member that names no file and no time: equal content gives equal bytes.
/// @throws Error that names the path; then nothing is left behind
void writeGzip(const std::filesystem::path& path, std::initializer_list<std::string_view> parts);

} // namespace assay::report
