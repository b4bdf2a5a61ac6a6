// SPDX-License-Identifier: Apache-2.0
#include "core/store/file_stamp.h"

#include "core/store/database.h"
#include "core/store/file_system.h"

#include <sys/stat.h>

namespace assay::store {

namespace fs = std::filesystem;

namespace {

constexpr int kCopyAttempts = 5;
constexpr std::int64_t kWalHeaderBytes = 32;

} // namespace

FileStamp stampOf(const fs::path& path)
{
    struct stat info { };
    if (::stat(path.c_str(), &info) != 0)
        return {};
    return {info.st_size, info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec};
}

bool hasHotSideFile(const fs::path& database)
{
    return stampOf(besides(database, "-wal")).bytes > kWalHeaderBytes || stampOf(besides(database, "-journal")).bytes > 0;
}

void copyConsistently(const fs::path& source, const fs::path& target)
{
    for (int attempt = 0; attempt < kCopyAttempts; ++attempt) {
        const FileStamp before = stampOf(source);
        fs::copy_file(source, target, fs::copy_options::overwrite_existing);
        // Frames that are appended meanwhile do no harm: SQLite reads up to the last whole transaction.
        for (const char* suffix : {"-wal", "-journal"}) {
            std::error_code ignored;
            fs::remove(besides(target, suffix), ignored);
            if (fs::exists(besides(source, suffix)))
                fs::copy_file(besides(source, suffix), besides(target, suffix), ignored);
        }
        if (stampOf(source) == before)
            return;
    }
    throw DatabaseError(DatabaseError::Kind::Locked, "another process keeps writing to the database", source.string(),
                        "Try again when it is done");
}

} // namespace assay::store
