// SPDX-License-Identifier: Apache-2.0
#include "core/store/database_refusal.h"

#include "core/store/file_stamp.h"
#include "core/store/file_system.h"
#include "core/store/migration.h"
#include "core/store/schema.h"

#include <cerrno>
#include <cstring>

#include <sys/stat.h>

namespace assay::store {

namespace fs = std::filesystem;
using Kind = DatabaseError::Kind;

void throwNewer(const fs::path& path, std::int64_t found, int known)
{
    throw DatabaseError(Kind::NewerSchema,
                        "the database has schema version " + std::to_string(found) + ", this Assay reads up to "
                            + std::to_string(known),
                        path.string(), "Open it with a newer Assay; the file was not touched");
}

void throwForeign(const fs::path& path)
{
    throw DatabaseError(Kind::NotAssay, "an SQLite database, but not one of Assay's", path.string(),
                        "Name a database that `assay import` wrote; the file was not touched");
}

void throwNotSqlite(const fs::path& path)
{
    throw DatabaseError(Kind::NotADatabase, "not an SQLite database", path.string(),
                        "Name a database that `assay import` wrote, or import this file with `assay import`");
}

bool checkPath(const fs::path& path, OpenMode mode)
{
    struct stat info { };
    if (::stat(path.c_str(), &info) != 0) {
        const int problem = errno;
        if (problem != ENOENT && problem != ENOTDIR)
            throw DatabaseError(Kind::Io, std::string("the file cannot be looked at (") + std::strerror(problem) + ")",
                                path.string(), "Check the permissions of the folders above it");
        if (mode != OpenMode::ReadWriteCreate)
            throw DatabaseError(Kind::NotFound, "no such database", path.string(),
                                "Check the path, or create it with `assay import`");
        if (!fs::is_directory(path.parent_path()))
            throw DatabaseError(Kind::NotFound, "no such folder", path.parent_path().string(), "Create it first");
        return false;
    }
    if (S_ISDIR(info.st_mode))
        throw DatabaseError(Kind::NotADatabase, "a folder, not a database", path.string(), "Name the database file in it");
    if (!S_ISREG(info.st_mode))
        throw DatabaseError(Kind::NotADatabase, "not a regular file", path.string(), "Name a database file");
    return true;
}

void checkHeader(const fs::path& path, OpenMode mode, const MigrationPlan& plan)
{
    const auto header = readHeader(path);
    if (!header)
        throw DatabaseError(Kind::Io, std::string("the file cannot be read (") + std::strerror(errno) + ")", path.string(),
                            "Check its permissions");
    if (header->fileBytes == 0) {
        if (mode != OpenMode::ReadWriteCreate)
            throw DatabaseError(Kind::NotADatabase, "an empty file", path.string(), "Import something into it first");
        return;
    }
    if (!header->isSqlite)
        throwNotSqlite(path);
    if (header->applicationId != 0 && header->applicationId != kApplicationId)
        throwForeign(path);
    if (header->applicationId == kApplicationId && header->userVersion > plan.current)
        throwNewer(path, header->userVersion, plan.current);
    // With a WAL or a hot journal the file alone says little about its size.
    if (!hasHotSideFile(path) && header->expectedBytes > header->fileBytes)
        throw DatabaseError(
            Kind::Corrupt,
            "the file ends at " + std::to_string(header->fileBytes) + " of " + std::to_string(header->expectedBytes) + " bytes",
            path.string(), "Restore a copy, or rescue the readable tables with `assay db check --salvage NEW.db`");
}

} // namespace assay::store
