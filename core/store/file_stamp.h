// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace assay::store {

/// Size and time of the last change, to see whether a file is still the one that was looked at.
struct FileStamp {
    std::int64_t bytes = -1; ///< -1: there is no such file
    std::int64_t nanoseconds = 0;
    bool operator==(const FileStamp&) const = default;
};

FileStamp stampOf(const std::filesystem::path& path);

/// True where the WAL or the rollback journal of @p database holds something that the file itself does not show.
bool hasHotSideFile(const std::filesystem::path& database);

/// Copies database and WAL (or hot journal) so that they belong together although another process may be writing.
/// @throws DatabaseError(Locked) when the source never stands still; std::filesystem::filesystem_error
void copyConsistently(const std::filesystem::path& source, const std::filesystem::path& target);

} // namespace assay::store
