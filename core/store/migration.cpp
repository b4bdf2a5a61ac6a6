// SPDX-License-Identifier: Apache-2.0
#include "core/store/migration.h"

#include "core/store/database.h"
#include "core/store/schema.h"

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace assay::store {

namespace {

// Puts @p temporary in place without ever replacing a file that exists: link() fails where rename() would overwrite.
void publish(const std::filesystem::path& temporary, const std::filesystem::path& target)
{
    const bool linked = ::link(temporary.c_str(), target.c_str()) == 0;
    const int problem = errno;
    if (linked) {
        ::unlink(temporary.c_str());
        return;
    }
    const bool linksUnknown = problem == EPERM || problem == EOPNOTSUPP || problem == ENOSYS;
    if (linksUnknown && !std::filesystem::exists(target) && ::rename(temporary.c_str(), target.c_str()) == 0)
        return;
    ::unlink(temporary.c_str());
    throw DatabaseError(DatabaseError::Kind::Io, std::string("the copy cannot be put in place (") + std::strerror(problem) + ")",
                        target.string(), "Name a file that does not exist yet");
}

void syncFile(const std::filesystem::path& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ::fsync(file);
        ::close(file);
    }
}

std::filesystem::path freeBackupName(const std::filesystem::path& path, int version)
{
    std::filesystem::path name = path;
    name += ".v" + std::to_string(version) + "-backup";
    for (int n = 2; std::filesystem::exists(name); ++n) {
        name = path;
        name += ".v" + std::to_string(version) + "-backup-" + std::to_string(n);
    }
    return name;
}

void checkForeignKeys(SQLite::Database& database, const std::filesystem::path& path)
{
    SQLite::Statement check(database, "PRAGMA foreign_key_check");
    if (check.executeStep())
        throw DatabaseError(DatabaseError::Kind::Corrupt,
                            "the migrated database has a row of " + check.getColumn(0).getString() + " that points nowhere",
                            path.string(), "Nothing was changed; run `assay db check` on it with the older Assay");
}

void runSteps(SQLite::Database& database, const std::filesystem::path& path, const MigrationPlan& plan)
{
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    int version = schemaVersion(database);
    for (const Migration& step : plan.steps) {
        if (step.to <= version)
            continue;
        if (step.to != version + 1)
            break;
        database.exec(std::string(step.sql));
        version = step.to;
        database.exec("PRAGMA user_version = " + std::to_string(version));
    }
    if (version != plan.current)
        throw DatabaseError(DatabaseError::Kind::NotAssay,
                            "no migration leads from schema version " + std::to_string(version) + " to "
                                + std::to_string(plan.current),
                            path.string(), "Open it with the Assay that wrote it");
    checkForeignKeys(database, path);
    transaction.commit();
}

} // namespace

const MigrationPlan& migrationPlan()
{
    // Version 1 is the first that was published, so no step leads to it. A step is written down as it was then and never follows
    // what schema.cpp says later. IF NOT EXISTS: `assay db check --rebuild` may have made an index already.
    static constexpr std::array steps{
        Migration{2,
                  "CREATE INDEX IF NOT EXISTS triage_verdict ON triage(verdict_id);"
                  "CREATE INDEX IF NOT EXISTS gdn_run_verdict ON gdn_run(verdict_id);"
                  "CREATE INDEX IF NOT EXISTS sample_item_kernel ON sample_item(kernel_id);"},
        Migration{3,
                  "ALTER TABLE verdict ADD COLUMN alignment TEXT;"
                  "ALTER TABLE verdict ADD COLUMN flags TEXT;"
                  "ALTER TABLE verdict ADD COLUMN isolation TEXT;"
                  "ALTER TABLE gate_result ADD COLUMN power TEXT;"
                  "ALTER TABLE check_result ADD COLUMN recipe TEXT;"
                  "ALTER TABLE check_result ADD COLUMN stimulus_sha256 TEXT;"
                  "ALTER TABLE check_result ADD COLUMN output TEXT;"
                  "ALTER TABLE check_result ADD COLUMN worst_index TEXT;"
                  "ALTER TABLE artifact ADD COLUMN strides TEXT;"},
        Migration{4,
                  "DROP INDEX IF EXISTS triage_verdict;"
                  "CREATE INDEX triage_verdict ON triage(verdict_id, scope_id, kernel_id);"
                  "CREATE INDEX IF NOT EXISTS triage_found ON triage(kernel_id, scope_id, facet_code, external_number, "
                  "external_id);"},
        Migration{5,
                  "ALTER TABLE sample_item ADD COLUMN identity TEXT;"
                  "ALTER TABLE sample_item ADD COLUMN draw INTEGER NOT NULL DEFAULT 1;"
                  "ALTER TABLE label ADD COLUMN kind TEXT NOT NULL DEFAULT 'label';"
                  "ALTER TABLE label ADD COLUMN evidence TEXT;"
                  "ALTER TABLE label ADD COLUMN blinded INTEGER NOT NULL DEFAULT 0;"
                  "ALTER TABLE label ADD COLUMN undoes INTEGER REFERENCES label(id);"
                  "CREATE INDEX IF NOT EXISTS label_item ON label(item_id);"
                  "CREATE TRIGGER label_kept BEFORE DELETE ON label BEGIN "
                  "SELECT RAISE(ABORT, 'labels are only ever added: take one back with an undo'); END;"
                  "CREATE TRIGGER label_fixed BEFORE UPDATE OF id, label, reason, note, reviewer, created_at, kind, evidence, "
                  "blinded, undoes ON label BEGIN "
                  "SELECT RAISE(ABORT, 'labels are only ever added: take one back with an undo'); END;"},
        Migration{
            6,
            "ALTER TABLE calibration ADD COLUMN definition TEXT;"
            "ALTER TABLE calibration_sample ADD COLUMN source TEXT;"
            "CREATE INDEX IF NOT EXISTS calibration_sample_cell ON calibration_sample(calibration_id, gate, family, dtype);"},
        Migration{
            7,
            "ALTER TABLE label ADD COLUMN severity TEXT;"
            "DROP TRIGGER label_fixed;"
            "CREATE TRIGGER label_fixed BEFORE UPDATE OF id, label, reason, note, reviewer, created_at, kind, evidence, "
            "blinded, undoes, severity ON label BEGIN "
            "SELECT RAISE(ABORT, 'labels are only ever added: take one back with an undo'); END;"
            "CREATE TABLE calibration_run (id INTEGER PRIMARY KEY, ask TEXT NOT NULL UNIQUE, started_at TEXT NOT NULL) STRICT;"
            "CREATE TABLE calibration_run_judgement (id INTEGER PRIMARY KEY, "
            "run_id INTEGER NOT NULL REFERENCES calibration_run(id) ON DELETE CASCADE, place INTEGER NOT NULL, "
            "not_judged TEXT NOT NULL, versions TEXT NOT NULL, UNIQUE (run_id, place)) STRICT;"
            "CREATE TABLE calibration_run_sample (id INTEGER PRIMARY KEY, "
            "judgement_id INTEGER NOT NULL REFERENCES calibration_run_judgement(id) ON DELETE CASCADE, gate TEXT NOT NULL, "
            "family TEXT NOT NULL, dtype TEXT NOT NULL, kind TEXT NOT NULL, kernel TEXT NOT NULL, perturbation REAL, "
            "value REAL, value_class TEXT, source TEXT) STRICT;"
            "CREATE INDEX IF NOT EXISTS calibration_run_sample_judgement ON calibration_run_sample(judgement_id);"},
        Migration{8, "ALTER TABLE check_result ADD COLUMN holdout_bound REAL;"},
    };
    static_assert(steps.back().to == kSchemaVersion);
    static const MigrationPlan plan{kSchemaVersion, steps};
    return plan;
}

int schemaVersion(SQLite::Database& database)
{
    return database.execAndGet("PRAGMA user_version").getInt();
}

std::filesystem::path migrate(SQLite::Database& database, const std::filesystem::path& path, const MigrationPlan& plan)
{
    const int found = schemaVersion(database);
    if (found >= plan.current)
        return {};
    std::filesystem::path backup = freeBackupName(path, found);
    copyDatabase(database, backup);
    // A step may rebuild a table; with foreign keys on, dropping the old one would delete the rows that refer to it.
    database.exec("PRAGMA foreign_keys = OFF");
    try {
        runSteps(database, path, plan);
    } catch (...) {
        database.exec("PRAGMA foreign_keys = ON");
        throw;
    }
    database.exec("PRAGMA foreign_keys = ON");
    return backup;
}

void copyDatabase(SQLite::Database& source, const std::filesystem::path& target)
{
    if (std::filesystem::exists(target))
        throw DatabaseError(DatabaseError::Kind::Io, "the file exists", target.string(), "Name a file that does not exist yet");
    std::filesystem::path temporary = target;
    temporary += ".part-" + std::to_string(::getpid());
    try {
        SQLite::Database copy(temporary.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup backup(copy, source);
        if (backup.executeStep(-1) != SQLITE_DONE)
            throw SQLite::Exception("the database is locked", SQLITE_BUSY);
    } catch (const SQLite::Exception& error) {
        ::unlink(temporary.c_str());
        ::unlink((temporary.string() + "-journal").c_str()); // SQLite leaves it where the copy failed
        // The caller would blame the disk of the source.
        if ((error.getErrorCode() & 0xFF) == SQLITE_FULL)
            throw DatabaseError(DatabaseError::Kind::DiskFull, "the disk is full", target.string(),
                                "Free space there or name another place; nothing was written");
        throw;
    }
    syncFile(temporary);
    publish(temporary, target);
}

} // namespace assay::store
