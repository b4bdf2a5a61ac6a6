// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace assay::ingest {

/// Where a file or folder that comes with the program is, such as "corpus/sample": beside the running program as installed,
/// whatever prefix it was moved to; else under the prefix it was built for; else in the source tree.
/// @return the first that exists; where none does, the place under the build's prefix, for the error to name
std::filesystem::path dataFile(const std::filesystem::path& relative);

} // namespace assay::ingest
