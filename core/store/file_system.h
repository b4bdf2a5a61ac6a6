// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

/// What the store asks of the operating system about a database file. Nothing here goes through SQLite.
namespace assay::store {

/// Device and inode: one file, whatever it is called.
using FileId = std::pair<std::uint64_t, std::uint64_t>;

std::optional<FileId> fileId(const std::filesystem::path& path);

/// Name of the network file system with superblock magic @p magic (statfs f_type), or nothing where it is a local one.
/// FUSE counts as network: sshfs is the common one, and its locks do not reach other machines.
std::optional<std::string> networkFileSystemName(std::int64_t magic);

/// Network file system that holds @p path (its nearest existing parent), or nothing.
/// The environment variable ASSAY_FILE_SYSTEM overrules the system: "local" or "network".
std::optional<std::string> networkFileSystemOf(const std::filesystem::path& path);

/// The part of an SQLite header (first 100 bytes of the file) that decides how a file may be opened.
struct SqliteHeader {
    bool isSqlite = false;
    bool walMode = false;
    std::int64_t fileBytes = 0;
    std::int64_t expectedBytes = 0; ///< page size x page count; 0 where the header does not know
    std::int64_t userVersion = 0;
    std::int64_t applicationId = 0;
};

/// Reads the header with plain file calls. Closing a file drops every POSIX lock that this process holds on it, so call this
/// only for files that no connection of this process has open.
/// @return nothing when the file cannot be read; errno says why
std::optional<SqliteHeader> readHeader(const std::filesystem::path& path);

/// True where @p path and its folder can be written, so that a WAL can live beside it. @p why names the lack otherwise.
bool canWrite(const std::filesystem::path& path, std::string& why);

/// "name (pid 123)" of the process with a write lock on the database or its shared-memory file, or "" where the system does not
/// tell.
std::string lockHolder(const std::filesystem::path& database);
/// "the database is locked", and by whom where the system tells.
std::string lockedSentence(const std::filesystem::path& database);

/// The folder SQLite puts its temporary files into.
std::filesystem::path sqliteTempFolder();

/// Bytes an ordinary user can still write to the file system of @p path; -1: not known.
std::int64_t freeBytes(const std::filesystem::path& path);

/// A private folder that goes away with the object.
class TemporaryFolder {
public:
    /// @throws std::filesystem::filesystem_error
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

/// `file:` URI of @p path for sqlite3_open_v2, every special byte escaped, with @p query ("immutable=1") behind the question
/// mark.
std::string sqliteUri(const std::filesystem::path& path, const std::string& query);

/// @p path with @p suffix behind its name: "a.db" and "-wal".
std::filesystem::path besides(const std::filesystem::path& path, const std::string& suffix);

} // namespace assay::store
