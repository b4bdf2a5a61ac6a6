// SPDX-License-Identifier: Apache-2.0
#include "core/store/database.h"

#include "core/store/database_refusal.h"
#include "core/store/file_stamp.h"
#include "core/store/file_system.h"
#include "core/store/migration.h"
#include "core/store/open_files.h"
#include "core/store/schema.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <mutex>

namespace assay::store {

namespace {

using Kind = DatabaseError::Kind;
namespace fs = std::filesystem;

constexpr int kBusyTimeoutMs = 5000;
// A page cache that holds the inner pages of every index of a million-kernel database, and stays far below the import's memory
// target.
constexpr int kCacheKib = 48 * 1024;
constexpr int kProgressSteps = 4000; ///< virtual machine steps between two looks at the stop flag, well below a millisecond
constexpr std::int64_t kJournalBytesKept = 64 * 1024 * 1024;
constexpr std::int64_t kNearlyFull = 256 * 1024; ///< free bytes below which a failed write is put down to a full disk

DatabaseError diskFull(const fs::path& database)
{
    const fs::path temp = sqliteTempFolder();
    const std::int64_t freeHere = freeBytes(database);
    const std::int64_t freeTemp = freeBytes(temp);
    const bool tempIsFull = freeTemp >= 0 && freeHere >= 0 && freeTemp < freeHere;
    if (tempIsFull)
        return {Kind::DiskFull, "the folder for temporary files is full (" + std::to_string(freeTemp) + " bytes free)",
                temp.string(), "Free space there or set SQLITE_TMPDIR; what was written before is still there"};
    return {Kind::DiskFull, "the disk is full (" + std::to_string(freeHere) + " bytes free)", database.string(),
            "Free space there and repeat; what was written before is still there"};
}

bool looksFull(const fs::path& database)
{
    const std::int64_t here = freeBytes(database);
    const std::int64_t temp = freeBytes(sqliteTempFolder());
    return (here >= 0 && here < kNearlyFull) || (temp >= 0 && temp < kNearlyFull);
}

} // namespace

DatabaseError::DatabaseError(Kind kind, std::string what, std::string where, std::string remedy)
    : Error(std::move(what), std::move(where), std::move(remedy))
    , m_kind(kind)
{
}

struct Database::Private {
    fs::path path;
    std::unique_ptr<TemporaryFolder> folder; ///< of the private copy, gone after the connection
    std::unique_ptr<SQLite::Database> sqlite;
    std::optional<FileId> registered;
    bool readOnly = false;
    bool created = false; ///< there was no file before
    bool frozen = false;  ///< immutable or a copy: SQLite cannot see what others write
    FileStamp openedAt;
    std::string banner;
    std::atomic<int> stops{0};

    ~Private()
    {
        const std::lock_guard lock(OpenFiles::instance().mutex());
        sqlite.reset();
        if (registered)
            OpenFiles::instance().remove(*registered);
    }

    // A connection has one thread, so it needs no lock of its own: with one, every step and every column of a row would take it.
    void openPlain(const std::string& name, int flags, const fs::path& file)
    {
        sqlite = std::make_unique<SQLite::Database>(name, flags | SQLite::OPEN_NOMUTEX, kBusyTimeoutMs);
        registered = OpenFiles::instance().add(file);
    }

    void openFrozen();
    void openReadOnly(bool openHere);
    void openWritable(OpenMode mode);
    void configure();
    void checkIdentity(OpenMode mode, const MigrationPlan& plan);
    void prepareNetwork(const std::string& fileSystem);
    void createSchema(const MigrationPlan& plan);
    void prepareWriting(OpenMode mode, const MigrationPlan& plan);
    bool isBlank();
};

// immutable=1 would miss rows that still sit in a hot WAL, so it is used only where no WAL (or hot journal) has content.
void Database::Private::openFrozen()
{
    frozen = true;
    openedAt = stampOf(path);
    if (!hasHotSideFile(path)) {
        sqlite = std::make_unique<SQLite::Database>(sqliteUri(path, "immutable=1"),
                                                    SQLite::OPEN_READONLY | SQLite::OPEN_URI | SQLite::OPEN_NOMUTEX);
        return;
    }
    try {
        folder = std::make_unique<TemporaryFolder>();
        const fs::path copy = folder->path() / path.filename();
        copyConsistently(path, copy);
        sqlite = std::make_unique<SQLite::Database>(copy.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    } catch (const fs::filesystem_error& error) {
        const bool full = error.code().value() == ENOSPC || error.code().value() == EDQUOT;
        throw DatabaseError(full ? Kind::DiskFull : Kind::Io,
                            std::string("no private copy can be made: ") + error.code().message(), sqliteTempFolder().string(),
                            "Set SQLITE_TMPDIR to a folder with room for the database");
    }
    sqlite->exec("PRAGMA query_only = ON");
}

void Database::Private::openReadOnly(bool openHere)
{
    readOnly = true;
    if (openHere)
        openPlain(sqliteUri(path, "mode=ro"), SQLite::OPEN_READONLY | SQLite::OPEN_URI, path);
    else
        openFrozen();
}

void Database::Private::openWritable(OpenMode mode)
{
    const int create = mode == OpenMode::ReadWriteCreate ? SQLite::OPEN_CREATE : 0;
    openPlain(path.string(), SQLite::OPEN_READWRITE | create, path);
    // Until the file is known to be ours, closing it must not move WAL content into it.
    sqlite3_db_config(sqlite->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

void Database::Private::configure()
{
    sqlite->exec("PRAGMA foreign_keys = ON");
    sqlite->exec("PRAGMA cache_size = -" + std::to_string(kCacheKib));
    sqlite->exec("PRAGMA trusted_schema = OFF");
    const auto stopped
        = [](void* self) { return static_cast<Private*>(self)->stops.load(std::memory_order_relaxed) > 0 ? 1 : 0; };
    sqlite3_progress_handler(sqlite->getHandle(), kProgressSteps, stopped, this);
}

bool Database::Private::isBlank()
{
    return schemaVersion(*sqlite) == 0 && sqlite->execAndGet("PRAGMA application_id").getInt() == 0
        && sqlite->execAndGet("SELECT count(*) FROM sqlite_schema").getInt64() == 0;
}

void Database::Private::checkIdentity(OpenMode mode, const MigrationPlan& plan)
{
    if (isBlank()) {
        if (readOnly || mode != OpenMode::ReadWriteCreate)
            throwForeign(path);
        return;
    }
    if (sqlite->execAndGet("PRAGMA application_id").getInt() != kApplicationId)
        throwForeign(path);
    const int version = schemaVersion(*sqlite);
    if (version > plan.current)
        throwNewer(path, version, plan.current);
    if (version < plan.current && readOnly)
        throw DatabaseError(
            Kind::OlderReadOnly,
            "the database has schema version " + std::to_string(version) + " and cannot be brought to "
                + std::to_string(plan.current) + " where it is read-only",
            path.string(),
            "Open it once in assay-workbench, which brings it up to date and keeps a copy as it was; where it cannot "
            "be written, open a copy");
}

// A WAL needs shared memory, which a network file system does not have: with an exclusive lock SQLite keeps the index of an
// existing WAL on the heap, which is enough to leave WAL mode.
void Database::Private::prepareNetwork(const std::string& fileSystem)
{
    sqlite->exec("PRAGMA locking_mode = EXCLUSIVE");
    sqlite->execAndGet("PRAGMA journal_mode = DELETE");
    sqlite->exec("PRAGMA locking_mode = NORMAL");
    sqlite->execAndGet("SELECT count(*) FROM sqlite_schema"); // the exclusive lock goes with the next read
    sqlite->exec("PRAGMA synchronous = FULL");
    banner = "network file system (" + fileSystem + "): one writer at a time, so let no other machine import into it meanwhile";
}

void Database::Private::createSchema(const MigrationPlan& plan)
{
    SQLite::Transaction transaction(*sqlite, SQLite::TransactionBehavior::IMMEDIATE);
    if (!isBlank())
        return; // another process created it while we waited
    sqlite->exec("PRAGMA application_id = " + std::to_string(kApplicationId));
    sqlite->exec("PRAGMA user_version = " + std::to_string(plan.current));
    sqlite->exec(std::string(schemaSql()));
    sqlite->exec(std::string(indexSql()));
    transaction.commit();
}

void Database::Private::prepareWriting(OpenMode mode, const MigrationPlan& plan)
{
    const auto network = networkFileSystemOf(path);
    if (network)
        prepareNetwork(*network);
    checkIdentity(mode, plan);
    sqlite3_db_config(sqlite->getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
    if (isBlank())
        createSchema(plan);
    if (!network) {
        // Another connection that reads in DELETE mode right now keeps the file there; both modes are safe, so go on.
        if (sqlite->tryExec("PRAGMA journal_mode = WAL") != SQLITE_OK && sqlite->getErrorCode() != SQLITE_BUSY)
            sqlite->exec("PRAGMA journal_mode = WAL");
        sqlite->exec("PRAGMA synchronous = NORMAL");
        sqlite->exec("PRAGMA journal_size_limit = " + std::to_string(kJournalBytesKept));
    }
    const fs::path backup = migrate(*sqlite, path, plan);
    if (!backup.empty())
        banner = (banner.empty() ? std::string() : banner + "; ") + "brought to schema version " + std::to_string(plan.current)
            + "; the file as it was is " + backup.filename().string();
}

Database::Database(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

Database::~Database() = default;

std::unique_ptr<Database> Database::open(const fs::path& path, OpenMode mode)
{
    return open(path, mode, migrationPlan());
}

std::unique_ptr<Database> Database::open(const fs::path& path, OpenMode mode, const MigrationPlan& plan)
{
    if (path.empty())
        throw DatabaseError(Kind::Io, "no database is named", "an empty path", "Name a database file");
    std::unique_ptr<Database> database(new Database(std::make_unique<Private>()));
    Private& self = *database->d;
    std::error_code unresolved;
    self.path = fs::weakly_canonical(fs::absolute(path), unresolved);
    if (unresolved)
        self.path = fs::absolute(path);
    try {
        {
            const std::lock_guard lock(OpenFiles::instance().mutex());
            const bool exists = checkPath(self.path, mode);
            const bool openHere = exists && OpenFiles::instance().contains(self.path);
            if (exists && !openHere)
                checkHeader(self.path, mode, plan);
            std::string why;
            const bool writable = !exists || canWrite(self.path, why);
            if (mode == OpenMode::ReadOnly || !writable)
                self.openReadOnly(openHere);
            else
                self.openWritable(mode);
            self.created = !exists;
            if (!writable)
                self.banner = "read-only: " + why;
        }
        self.configure();
        if (self.readOnly)
            self.checkIdentity(mode, plan);
        else
            self.prepareWriting(mode, plan);
    } catch (const SQLite::Exception& error) {
        try {
            database->rethrow(error);
        } catch (...) {
            discardUnused(std::move(database));
            throw;
        }
    }
    return database;
}

SQLite::Database& Database::sqlite()
{
    return *d->sqlite;
}

const fs::path& Database::path() const
{
    return d->path;
}

bool Database::isReadOnly() const
{
    return d->readOnly;
}

bool Database::isNew() const
{
    return d->created;
}

const std::string& Database::banner() const
{
    return d->banner;
}

std::int64_t Database::dataVersion()
{
    if (d->frozen) {
        // SQLite is blind here, so the files themselves have to tell.
        const FileStamp file = stampOf(d->path);
        const FileStamp wal = stampOf(besides(d->path, "-wal"));
        return file.nanoseconds ^ (file.bytes << 1) ^ (wal.bytes << 2) ^ (wal.nanoseconds << 3);
    }
    try {
        return d->sqlite->execAndGet("PRAGMA data_version").getInt64();
    } catch (const SQLite::Exception& error) {
        rethrow(error);
    }
}

void Database::interrupt()
{
    sqlite3_interrupt(d->sqlite->getHandle());
}

void Database::throwIfStopped() const
{
    if (d->stops.load(std::memory_order_relaxed) > 0)
        throw Cancelled();
}

void Database::rethrow(const std::exception& error) const
{
    const auto* sql = dynamic_cast<const SQLite::Exception*>(&error);
    if (sql == nullptr)
        throw;
    const std::string where = d->path.string();
    const std::string said = std::string(" (SQLite: ") + sql->getErrorStr() + ")";
    switch (sql->getErrorCode() & 0xFF) {
    case SQLITE_INTERRUPT:
        throw Cancelled();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw DatabaseError(Kind::Locked, lockedSentence(d->path), where, "Try again when it is done");
    case SQLITE_READONLY:
        throw DatabaseError(Kind::ReadOnly,
                            "the database is read-only" + (d->banner.empty() ? std::string() : " (" + d->banner + ")"), where,
                            "Copy it to a place that can be written and work on the copy");
    case SQLITE_FULL:
        throw diskFull(d->path);
    case SQLITE_NOTADB:
        throwNotSqlite(d->path);
    case SQLITE_CORRUPT:
        if (d->frozen && d->folder == nullptr && !(stampOf(d->path) == d->openedAt))
            throw DatabaseError(Kind::Locked, "the file changed while it was read", where, "Open it again");
        throw DatabaseError(Kind::Corrupt, "the database is damaged: " + std::string(sql->what()), where,
                            "Restore a copy, or rescue the readable tables with `assay db check --salvage NEW.db`");
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if (looksFull(d->path))
            throw diskFull(d->path);
        throw DatabaseError(Kind::Io, "the database cannot be read or written" + said, where,
                            "Check the disk and the permissions");
    default:
        throw DatabaseError(Kind::Io, std::string("the database refuses: ") + sql->what(), where,
                            "Run `assay db check` and report what it says");
    }
}

InterruptOnStop::InterruptOnStop(Database& database, std::stop_token stop)
    : m_database(database)
{
    m_callback.emplace(std::move(stop), [this] {
        m_fired = true;
        m_database.d->stops.fetch_add(1);
        m_database.interrupt();
    });
}

InterruptOnStop::~InterruptOnStop()
{
    m_callback.reset(); // waits for a callback that is running
    if (m_fired)
        m_database.d->stops.fetch_sub(1);
}

} // namespace assay::store
