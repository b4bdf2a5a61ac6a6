// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/error.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace assay::store {

struct MigrationPlan;

enum class OpenMode {
    ReadWriteCreate, ///< create and migrate where needed
    ReadWrite,       ///< must exist; migrated where older
    ReadOnly,        ///< never writes a byte beside the file
};

/// The database cannot be opened or used as it is. kind() says which of the designed situations it is.
class DatabaseError : public Error {
public:
    enum class Kind { NotFound, NotADatabase, NotAssay, NewerSchema, OlderReadOnly, Corrupt, Locked, ReadOnly, DiskFull, Io };

    DatabaseError(Kind kind, std::string what, std::string where, std::string remedy);
    Kind kind() const { return m_kind; }

private:
    Kind m_kind;
};

/// One connection to an Assay database. Not shared between threads: every thread opens its own.
///
/// Opening rules (architecture.md section 3): WAL and foreign keys on; a newer schema is refused with both versions named and
/// the file untouched; an older one is migrated inside a transaction after a backup; a read-only file opens with immutable=1
/// where no WAL holds content, else from a private copy; a network file system gets a DELETE journal.
class Database {
public:
    /// @throws DatabaseError
    static std::unique_ptr<Database> open(const std::filesystem::path& path, OpenMode mode);
    /// The same with another idea of what the current schema is (core/store/migration.h).
    static std::unique_ptr<Database> open(const std::filesystem::path& path, OpenMode mode, const MigrationPlan& plan);
    ~Database();

    SQLite::Database& sqlite();
    const std::filesystem::path& path() const;

    bool isReadOnly() const;
    /// There was no such file before this connection made one.
    bool isNew() const;
    /// What a person should know about how this file was opened ("read-only: the folder cannot be written"), or "".
    const std::string& banner() const;

    /// Changes whenever another connection wrote (PRAGMA data_version).
    std::int64_t dataVersion();

    /// Aborts a running statement of this connection from any thread; that statement ends with Cancelled.
    void interrupt();

    /// Ends work between two statements: @throws Cancelled once an InterruptOnStop of this connection was asked to stop.
    void throwIfStopped() const;

    /// Turns an SQLite exception into a DatabaseError that names the path and the remedy, or Cancelled after interrupt().
    /// Call inside a catch block: `catch (const SQLite::Exception& e) { database.rethrow(e); }`
    [[noreturn]] void rethrow(const std::exception& error) const;

private:
    friend class InterruptOnStop;
    struct Private;
    explicit Database(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

/// Takes back a file that open() has just created, with its side files: what could not be filled should not lie around.
/// Does nothing unless the database is new, holds no row and no other connection has it open.
/// @return whether the file is gone
bool discardUnused(std::unique_ptr<Database> database);

/// Interrupts @p database when @p stop is requested, for as long as it lives: the running statement and every later one ends
/// with Cancelled. Wrap one query or one import with it.
class InterruptOnStop {
public:
    InterruptOnStop(Database& database, std::stop_token stop);
    ~InterruptOnStop();
    InterruptOnStop(const InterruptOnStop&) = delete;
    InterruptOnStop& operator=(const InterruptOnStop&) = delete;

private:
    Database& m_database;
    bool m_fired = false; ///< written by the callback, read after the callback is gone
    std::optional<std::stop_callback<std::function<void()>>> m_callback;
};

} // namespace assay::store
