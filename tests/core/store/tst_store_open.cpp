// SPDX-License-Identifier: Apache-2.0
#include "tests/core/store/process_helper.h"
#include "tests/core/store/store_fixture.h"

#include "core/store/file_system.h"
#include "core/store/maintenance.h"
#include "core/store/migration.h"
#include "core/store/schema.h"

#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include <clocale>
#include <random>
#include <thread>

#include <sys/stat.h>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;
using Kind = DatabaseError::Kind;

namespace {

/// A database in a state that only a crash leaves behind: rows in the WAL alone.
void makeHotWal(const Folder& folder, const std::string& name)
{
    const auto live = folder.open("live.db");
    import(*live, {row("1")});
    live->sqlite().execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
    live->sqlite().exec("PRAGMA wal_autocheckpoint = 0");
    import(*live, {row("2")});
    std::filesystem::copy_file(folder.path("live.db"), folder.path(name));
    std::filesystem::copy_file(folder.path("live.db-wal"), folder.path(name + "-wal"));
}

void setUserVersion(const std::filesystem::path& path, int version)
{
    SQLite::Database raw(path.string(), SQLite::OPEN_READWRITE);
    raw.exec("PRAGMA user_version = " + std::to_string(version));
}

std::string randomText(std::mt19937& random, std::size_t bytes)
{
    std::string result(bytes, ' ');
    for (char& c : result)
        c = static_cast<char>('!' + random() % 90);
    return result;
}

/// Imports rows with sources that do not compress until something stops it.
void importMuch(Database& database, int rows)
{
    std::mt19937 random(1);
    std::vector<ImportedItem> items;
    for (int i = 0; i < rows; ++i)
        items.push_back(sourceRow("big" + std::to_string(i), randomText(random, 60000), "r" + std::to_string(i)));
    import(database, items, "audit", "big");
}

} // namespace

class StoreOpenTest : public QObject {
    Q_OBJECT

private slots:
    void aNewDatabaseIsOurs();
    void whatIsNoDatabaseIsNamed();
    void aForeignDatabaseIsRefusedUntouched();
    void aNewerSchemaIsRefusedUntouched();
    void aNewerSchemaThatSitsInTheWalIsRefusedUntouched();
    void anOlderSchemaIsMigratedAfterABackup();
    void aDatabaseOfVersionOneGetsWhatAFreshOneHas();
    void labelsOfVersionFourKeepTheirWords();
    void checksOfVersionSevenAreNotCalibrated();
    void labelsOfVersionSixAreUnweighed();
    void everyForeignKeyThatADeleteFollowsHasAnIndex();
    void aMigrationThatFailsChangesNothing();
    void anOlderDatabaseThatCannotBeWrittenIsRefused();
    void readingOnlyLeavesNoFiles();
    void readingOnlySeesWhatSitsInTheWal();
    void aNewFileIsTakenBackOnlyWhileItIsUnused();
    void aReadOnlyFileOpensWithABanner();
    void aReadOnlyFolderOpensWithABanner();
    void aReadOnlyFileSystemOpensWithABanner();
    void writingToAReadOnlyDatabaseIsRefused();
    void networkFileSystemsGetADeleteJournal();
    void networkFileSystemsAreKnownByTheirMagic();
    void aLockedDatabaseNamesItsHolderAndCanBeBrowsed();
    void openingASecondTimeKeepsTheFirstLock();
    void aKilledImportLeavesWhatWasThere();
    void aKilledFirstImportLeavesAnEmptyDatabase();
    void twoProcessesWriteAtOnce();
    void aFullDiskIsNamedAndLosesNothing();
    void aCopyOntoAFullDiskNamesThatDisk();
    void anEmptyNameIsRefused();
    void aFullTemporaryFolderIsNamed();
    void namesOfEveryKindWork();
    void dataVersionTellsWhenOthersWrite();
    void interruptEndsTheRunningStatement();
};

void StoreOpenTest::aNewDatabaseIsOurs()
{
    const Folder folder;
    const auto database = folder.open();
    QCOMPARE(text(*database, "PRAGMA journal_mode"), QByteArray("wal"));
    QCOMPARE(number(*database, "PRAGMA foreign_keys"), 1);
    QCOMPARE(number(*database, "PRAGMA application_id"), kApplicationId);
    QCOMPARE(number(*database, "PRAGMA user_version"), kSchemaVersion);
    QVERIFY(!database->isReadOnly());
    QCOMPARE(bytes(database->banner()), QByteArray());
    const auto again = folder.open("a.db", OpenMode::ReadWrite);
    QVERIFY(!again->isReadOnly());
}

void StoreOpenTest::whatIsNoDatabaseIsNamed()
{
    const Folder folder;
    writeAll(folder.path("text"), "{\"id\": 1}\n");
    writeAll(folder.path("empty"), "");
    std::filesystem::create_directory(folder.path("folder"));
    ::mkfifo(folder.path("fifo").c_str(), 0600);
    const auto kindOf = [&](const std::string& name, OpenMode mode) { return errorOf([&] { folder.open(name, mode); })->kind(); };
    QCOMPARE(kindOf("missing", OpenMode::ReadWrite), Kind::NotFound);
    QCOMPARE(kindOf("missing", OpenMode::ReadOnly), Kind::NotFound);
    QCOMPARE(kindOf("missing/a.db", OpenMode::ReadWriteCreate), Kind::NotFound);
    QCOMPARE(kindOf("text", OpenMode::ReadWriteCreate), Kind::NotADatabase);
    QCOMPARE(kindOf("empty", OpenMode::ReadOnly), Kind::NotADatabase);
    QCOMPARE(kindOf("folder", OpenMode::ReadWriteCreate), Kind::NotADatabase);
    QCOMPARE(kindOf("fifo", OpenMode::ReadWriteCreate), Kind::NotADatabase);
    QCOMPARE(bytes(readAll(folder.path("text"))), QByteArray("{\"id\": 1}\n"));
    QVERIFY(!std::filesystem::exists(folder.path("missing")));
    folder.open("empty"); // an empty file may become a database
}

void StoreOpenTest::aForeignDatabaseIsRefusedUntouched()
{
    const Folder folder;
    {
        SQLite::Database raw(folder.path("other.db").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        raw.exec("CREATE TABLE bookmarks (url TEXT)");
    }
    const std::string before = readAll(folder.path("other.db"));
    for (const OpenMode mode : {OpenMode::ReadWriteCreate, OpenMode::ReadWrite, OpenMode::ReadOnly})
        QCOMPARE(errorOf([&] { folder.open("other.db", mode); })->kind(), Kind::NotAssay);
    QVERIFY(readAll(folder.path("other.db")) == before);
    QCOMPARE(folder.names().size(), 1U);
}

void StoreOpenTest::aNewerSchemaIsRefusedUntouched()
{
    const Folder folder;
    folder.open();
    setUserVersion(folder.path(), 77);
    const std::string before = readAll(folder.path());
    for (const OpenMode mode : {OpenMode::ReadWriteCreate, OpenMode::ReadOnly}) {
        const auto error = errorOf([&] { folder.open("a.db", mode); });
        QCOMPARE(error->kind(), Kind::NewerSchema);
        QVERIFY2(error->problem().find("version 77") != std::string::npos, error->what());
        QVERIFY2(error->problem().find("up to " + std::to_string(kSchemaVersion)) != std::string::npos, error->what());
    }
    QVERIFY(readAll(folder.path()) == before);
    QCOMPARE(folder.names().size(), 1U);
}

void StoreOpenTest::aNewerSchemaThatSitsInTheWalIsRefusedUntouched()
{
    const Folder folder;
    {
        const auto live = folder.open("live.db");
        live->sqlite().execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
        live->sqlite().exec("PRAGMA user_version = 77");
        std::filesystem::copy_file(folder.path("live.db"), folder.path());
        std::filesystem::copy_file(folder.path("live.db-wal"), folder.path("a.db-wal"));
    }
    const std::string before = readAll(folder.path());
    const std::string walBefore = readAll(folder.path("a.db-wal"));
    QCOMPARE(errorOf([&] { folder.open(); })->kind(), Kind::NewerSchema);
    QVERIFY(readAll(folder.path()) == before);
    QVERIFY(readAll(folder.path("a.db-wal")) == walBefore);
}

void StoreOpenTest::anOlderSchemaIsMigratedAfterABackup()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    const std::array steps
        = {Migration{kSchemaVersion + 1, "ALTER TABLE corpus ADD COLUMN colour TEXT; UPDATE corpus SET colour = 'red'"},
           Migration{kSchemaVersion + 2, "CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT"}};
    const MigrationPlan plan{kSchemaVersion + 2, steps};
    const std::string backupName = "a.db.v" + std::to_string(kSchemaVersion) + "-backup";
    {
        const auto database = Database::open(folder.path(), OpenMode::ReadWrite, plan);
        QCOMPARE(number(*database, "PRAGMA user_version"), kSchemaVersion + 2);
        QCOMPARE(text(*database, "SELECT colour FROM corpus"), QByteArray("red"));
        QCOMPARE(number(*database, "SELECT count(*) FROM extra"), 0);
        QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 1);
        QVERIFY2(database->banner().find(backupName) != std::string::npos, database->banner().c_str());
    }
    const auto backup = folder.open(backupName, OpenMode::ReadOnly);
    QCOMPARE(number(*backup, "PRAGMA user_version"), kSchemaVersion);
    QCOMPARE(number(*backup, "SELECT count(*) FROM kernel"), 1);
    // Once is enough.
    Database::open(folder.path(), OpenMode::ReadWrite, plan);
    QVERIFY(!std::filesystem::exists(folder.path(backupName + "-2")));
    QCOMPARE(errorOf([&] { folder.open(); })->kind(), Kind::NewerSchema); // and this build leaves it alone
}

void StoreOpenTest::aDatabaseOfVersionOneGetsWhatAFreshOneHas()
{
    const Folder folder;
    const auto schemaOf = [](Database& database) {
        return text(database,
                    "SELECT group_concat(type || name || ' ' || tbl_name, char(10)) FROM "
                    "(SELECT * FROM sqlite_schema ORDER BY type, name)")
            + text(database,
                   "SELECT group_concat(m.name || '.' || c.cid || c.name || c.type || c.\"notnull\", char(10)) FROM "
                   "(SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name) m, pragma_table_info(m.name) c");
    };
    import(*folder.open(), {row("1")});
    {
        const auto database = folder.open();
        for (const char* sql : {"DROP INDEX triage_verdict",
                                "DROP INDEX triage_found",
                                "DROP INDEX gdn_run_verdict",
                                "DROP INDEX sample_item_kernel",
                                "ALTER TABLE verdict DROP COLUMN alignment",
                                "ALTER TABLE verdict DROP COLUMN flags",
                                "ALTER TABLE verdict DROP COLUMN isolation",
                                "ALTER TABLE gate_result DROP COLUMN power",
                                "ALTER TABLE check_result DROP COLUMN recipe",
                                "ALTER TABLE check_result DROP COLUMN stimulus_sha256",
                                "ALTER TABLE check_result DROP COLUMN output",
                                "ALTER TABLE check_result DROP COLUMN worst_index",
                                "ALTER TABLE check_result DROP COLUMN holdout_bound",
                                "ALTER TABLE artifact DROP COLUMN strides",
                                "DROP INDEX calibration_sample_cell",
                                "DROP TABLE calibration_run_sample",
                                "DROP TABLE calibration_run_judgement",
                                "DROP TABLE calibration_run",
                                "ALTER TABLE calibration DROP COLUMN definition",
                                "ALTER TABLE calibration_sample DROP COLUMN source",
                                "DROP TRIGGER label_kept",
                                "DROP TRIGGER label_fixed",
                                "ALTER TABLE label DROP COLUMN severity",
                                "DROP INDEX label_item",
                                "ALTER TABLE label DROP COLUMN undoes",
                                "ALTER TABLE label DROP COLUMN blinded",
                                "ALTER TABLE label DROP COLUMN evidence",
                                "ALTER TABLE label DROP COLUMN kind",
                                "ALTER TABLE sample_item DROP COLUMN draw",
                                "ALTER TABLE sample_item DROP COLUMN identity",
                                "PRAGMA user_version = 1"})
            database->sqlite().exec(sql);
    }
    const auto migrated = folder.open();
    const auto fresh = folder.open("fresh.db");
    QCOMPARE(schemaOf(*migrated), schemaOf(*fresh));
    QCOMPARE(number(*migrated, "SELECT count(*) FROM kernel"), 1);
    QVERIFY(std::filesystem::exists(folder.path("a.db.v1-backup")));
}

void StoreOpenTest::labelsOfVersionFourKeepTheirWords()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    {
        const auto database = folder.open();
        for (const char* sql : {"ALTER TABLE check_result DROP COLUMN holdout_bound",
                                "DROP INDEX calibration_sample_cell",
                                "DROP TABLE calibration_run_sample",
                                "DROP TABLE calibration_run_judgement",
                                "DROP TABLE calibration_run",
                                "ALTER TABLE calibration DROP COLUMN definition",
                                "ALTER TABLE calibration_sample DROP COLUMN source",
                                "DROP TRIGGER label_kept",
                                "DROP TRIGGER label_fixed",
                                "ALTER TABLE label DROP COLUMN severity",
                                "DROP INDEX label_item",
                                "ALTER TABLE label DROP COLUMN undoes",
                                "ALTER TABLE label DROP COLUMN blinded",
                                "ALTER TABLE label DROP COLUMN evidence",
                                "ALTER TABLE label DROP COLUMN kind",
                                "ALTER TABLE sample_item DROP COLUMN draw",
                                "ALTER TABLE sample_item DROP COLUMN identity",
                                "INSERT INTO sample_plan VALUES (1, 'p', '1', '', 'h', '{}', 'now')",
                                "INSERT INTO sample_item VALUES (1, 1, 1, 's', 1)",
                                "INSERT INTO label VALUES (1, 1, 'confirmed', NULL, 'note', 'me', 'now')",
                                "PRAGMA user_version = 4"})
            database->sqlite().exec(sql);
    }
    const auto migrated = folder.open();
    QCOMPARE(number(*migrated, "PRAGMA user_version"), kSchemaVersion);
    QCOMPARE(text(*migrated, "SELECT label || note || reviewer || created_at || kind || blinded FROM label"),
             QByteArray("confirmednotemenowlabel0"));
    QCOMPARE(number(*migrated, "SELECT draw FROM sample_item"), 1);
    QVERIFY_EXCEPTION_THROWN(migrated->sqlite().exec("DELETE FROM label"), SQLite::Exception);
    QVERIFY(std::filesystem::exists(folder.path("a.db.v4-backup")));
}

void StoreOpenTest::checksOfVersionSevenAreNotCalibrated()
{
    const Folder folder;
    import(*folder.open(),
           {resultRow("1", verdict({gate(contract::Gate::Cmp01, contract::Verdict::Pass, contract::Severity::None)}))});
    {
        const auto database = folder.open();
        for (const char* sql : {"ALTER TABLE check_result DROP COLUMN holdout_bound",
                                "INSERT INTO check_result (verdict_id, gate, ordinal, code, verdict, threshold, threshold_class) "
                                "SELECT id, 'CMP-01', 900, 'CMP-01.value', 'pass', 1.0, 'finite' FROM verdict",
                                "PRAGMA user_version = 7"})
            database->sqlite().exec(sql);
    }
    const auto migrated = folder.open();
    QCOMPARE(number(*migrated, "PRAGMA user_version"), kSchemaVersion);
    QCOMPARE(number(*migrated, "SELECT count(*) FROM check_result WHERE ordinal = 900 AND holdout_bound IS NULL"), 1);
    QVERIFY(std::filesystem::exists(folder.path("a.db.v7-backup")));
}

void StoreOpenTest::labelsOfVersionSixAreUnweighed()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    {
        const auto database = folder.open();
        for (const char* sql :
             {"ALTER TABLE check_result DROP COLUMN holdout_bound", "DROP TABLE calibration_run_sample",
              "DROP TABLE calibration_run_judgement", "DROP TABLE calibration_run", "DROP TRIGGER label_fixed",
              "ALTER TABLE label DROP COLUMN severity", "INSERT INTO sample_plan VALUES (1, 'p', '1', '', 'h', '{}', 'now')",
              "INSERT INTO sample_item VALUES (1, 1, 1, 's', 1, 'one', 1)",
              "INSERT INTO label (item_id, label, reviewer, created_at) VALUES (1, 'confirmed', 'me', 'now')",
              "CREATE TRIGGER label_fixed BEFORE UPDATE OF id, label, reason, note, reviewer, created_at, kind, evidence, "
              "blinded, "
              "undoes ON label BEGIN SELECT RAISE(ABORT, 'as it was'); END",
              "PRAGMA user_version = 6"})
            database->sqlite().exec(sql);
    }
    const auto migrated = folder.open();
    QCOMPARE(number(*migrated, "SELECT count(*) FROM label WHERE severity IS NULL"), 1);
    QVERIFY_EXCEPTION_THROWN(migrated->sqlite().exec("UPDATE label SET severity = 'minor'"), SQLite::Exception);
    const auto fresh = Database::open(folder.path("fresh.db"), OpenMode::ReadWriteCreate);
    const char* const columns = "SELECT group_concat(name, ' ') FROM pragma_table_info('calibration_run_sample')";
    QCOMPARE(text(*migrated, columns), text(*fresh, columns));
}

void StoreOpenTest::everyForeignKeyThatADeleteFollowsHasAnIndex()
{
    const Folder folder;
    const auto database = folder.open();
    // Corpora, audits, plans and imports go seldom or never; kernels and verdicts go by the thousand.
    SQLite::Statement bare(database->sqlite(),
                           "SELECT m.name || '.' || f.\"from\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) f "
                           "WHERE m.type = 'table' AND f.\"table\" IN ('kernel', 'verdict') AND NOT EXISTS "
                           "(SELECT 1 FROM pragma_index_list(m.name) i, pragma_index_info(i.name) c "
                           "WHERE i.partial = 0 AND c.seqno = 0 AND c.name = f.\"from\") AND NOT EXISTS "
                           "(SELECT 1 FROM pragma_table_info(m.name) c WHERE c.name = f.\"from\" AND c.pk = 1)");
    QByteArray without;
    while (bare.executeStep())
        without += QByteArray(bare.getColumn(0).getText()) + ' ';
    QCOMPARE(without, QByteArray());
}

void StoreOpenTest::aMigrationThatFailsChangesNothing()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    const std::array bad = {Migration{kSchemaVersion + 1, "CREATE TABLE extra (id INTEGER); INSERT INTO nowhere VALUES (1)"}};
    QVERIFY(errorOf([&] { Database::open(folder.path(), OpenMode::ReadWrite, {kSchemaVersion + 1, bad}); }));
    const std::array orphan = {Migration{kSchemaVersion + 1, "DELETE FROM corpus"}};
    QCOMPARE(errorOf([&] {
                 Database::open(folder.path(), OpenMode::ReadWrite, {kSchemaVersion + 1, orphan});
             })->kind(),
             Kind::Corrupt);
    QCOMPARE(errorOf([&] {
                 Database::open(folder.path(), OpenMode::ReadWrite, {kSchemaVersion + 1, {}});
             })->kind(),
             Kind::NotAssay);
    const auto database = folder.open();
    QCOMPARE(number(*database, "PRAGMA user_version"), kSchemaVersion);
    QCOMPARE(number(*database, "SELECT count(*) FROM corpus"), 1);
    QCOMPARE(number(*database, "SELECT count(*) FROM sqlite_schema WHERE name = 'extra'"), 0);
}

void StoreOpenTest::anOlderDatabaseThatCannotBeWrittenIsRefused()
{
    const Folder folder;
    folder.open();
    const std::array steps = {Migration{kSchemaVersion + 1, "CREATE TABLE extra (id INTEGER)"}};
    const auto error = errorOf([&] { Database::open(folder.path(), OpenMode::ReadOnly, {kSchemaVersion + 1, steps}); });
    QCOMPARE(error->kind(), Kind::OlderReadOnly);
    QCOMPARE(folder.names().size(), 1U);
}

void StoreOpenTest::readingOnlyLeavesNoFiles()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    QCOMPARE(folder.names().size(), 1U);
    const std::string before = readAll(folder.path());
    const auto database = folder.open("a.db", OpenMode::ReadOnly);
    QVERIFY(database->isReadOnly());
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 1);
    QCOMPARE(folder.names().size(), 1U);
    QVERIFY(readAll(folder.path()) == before);
}

void StoreOpenTest::readingOnlySeesWhatSitsInTheWal()
{
    const Folder folder;
    makeHotWal(folder, "hot.db");
    const std::string before = readAll(folder.path("hot.db"));
    const std::string walBefore = readAll(folder.path("hot.db-wal"));
    const auto names = folder.names();
    {
        const auto database = folder.open("hot.db", OpenMode::ReadOnly);
        QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 2);
        QCOMPARE(errorOf([&] {
                     try {
                         database->sqlite().exec("DELETE FROM kernel");
                     } catch (const SQLite::Exception& error) {
                         database->rethrow(error);
                     }
                 })->kind(),
                 Kind::ReadOnly);
    }
    QVERIFY(folder.names() == names);
    QVERIFY(readAll(folder.path("hot.db")) == before);
    QVERIFY(readAll(folder.path("hot.db-wal")) == walBefore);
}

void StoreOpenTest::aNewFileIsTakenBackOnlyWhileItIsUnused()
{
    const Folder folder;
    QVERIFY(discardUnused(folder.open()));
    QVERIFY(folder.names().empty());
    {
        auto first = folder.open();
        const auto second = folder.open(); // another reader or writer
        QVERIFY(!second->isNew());
        QVERIFY(!discardUnused(std::move(first)));
    }
    QVERIFY(!discardUnused(folder.open())); // was there before
    QVERIFY(std::filesystem::exists(folder.path()));
    auto filled = folder.open("b.db");
    import(*filled, {row("1")});
    QVERIFY(!discardUnused(std::move(filled)));
    QCOMPARE(number(*folder.open("b.db"), "SELECT count(*) FROM kernel"), 1);
}

void StoreOpenTest::aReadOnlyFileOpensWithABanner()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    const Unchangeable file(folder.path());
    if (!file.holds())
        QSKIP("this user may write everything and the file system knows no immutable files");
    const auto database = folder.open();
    QVERIFY(database->isReadOnly());
    QCOMPARE(bytes(database->banner()), QByteArray("read-only: the file cannot be written"));
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 1);
    QCOMPARE(folder.names().size(), 1U);
}

void StoreOpenTest::aReadOnlyFolderOpensWithABanner()
{
    const Folder folder;
    std::filesystem::create_directory(folder.path("inner"));
    import(*folder.open("inner/a.db"), {row("1")});
    const Unchangeable inner(folder.path("inner"));
    if (!inner.holds())
        QSKIP("this user may write everything and the file system knows no immutable folders");
    const auto database = folder.open("inner/a.db");
    QVERIFY(database->isReadOnly());
    QCOMPARE(bytes(database->banner()), QByteArray("read-only: the folder cannot be written"));
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 1);
}

void StoreOpenTest::aReadOnlyFileSystemOpensWithABanner()
{
    const Folder folder;
    std::filesystem::create_directory(folder.path("disk"));
    const Mount disk(folder.path("disk"), Mount::tmpfs(QStringLiteral("32m")));
    if (!disk.isMounted())
        QSKIP("this machine does not let us mount a file system");
    makeHotWal(folder, "disk/hot.db");
    import(*folder.open("disk/a.db"), {row("1")});
    QVERIFY(disk.makeReadOnly());
    const auto database = folder.open("disk/a.db");
    QVERIFY(database->isReadOnly());
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 1);
    QCOMPARE(number(*folder.open("disk/hot.db"), "SELECT count(*) FROM kernel"), 2);
}

void StoreOpenTest::writingToAReadOnlyDatabaseIsRefused()
{
    const Folder folder;
    folder.open();
    const auto database = folder.open("a.db", OpenMode::ReadOnly);
    QCOMPARE(errorOf([&] { import(*database, {row("1")}); })->kind(), Kind::ReadOnly);
}

void StoreOpenTest::networkFileSystemsGetADeleteJournal()
{
    const Folder folder;
    import(*folder.open(), {row("1")}); // in WAL mode
    qputenv("ASSAY_FILE_SYSTEM", "network");
    {
        const auto database = folder.open();
        QCOMPARE(text(*database, "PRAGMA journal_mode"), QByteArray("delete"));
        QVERIFY2(database->banner().find("one writer at a time") != std::string::npos, database->banner().c_str());
        import(*database, {row("2")});
        QCOMPARE(folder.names().size(), 1U); // neither a WAL nor shared memory
        const auto second = folder.open();
        QCOMPARE(number(*second, "SELECT count(*) FROM kernel"), 2);
    }
    qunsetenv("ASSAY_FILE_SYSTEM");
    QCOMPARE(text(*folder.open(), "PRAGMA journal_mode"), QByteArray("wal"));
}

void StoreOpenTest::networkFileSystemsAreKnownByTheirMagic()
{
    QCOMPARE(bytes(networkFileSystemName(0x6969).value_or("")), QByteArray("NFS"));
    QCOMPARE(bytes(networkFileSystemName(0xFF534D42).value_or("")), QByteArray("CIFS"));
    QCOMPARE(bytes(networkFileSystemName(static_cast<std::int32_t>(0xFF534D42)).value_or("")), QByteArray("CIFS"));
    QCOMPARE(bytes(networkFileSystemName(0x65735546).value_or("")), QByteArray("FUSE"));
    QVERIFY(!networkFileSystemName(0xEF53));     // ext4
    QVERIFY(!networkFileSystemName(0x01021994)); // tmpfs
}

void StoreOpenTest::aLockedDatabaseNamesItsHolderAndCanBeBrowsed()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    Child holder(true, [&](const auto& ready) {
        const auto database = folder.open();
        database->sqlite().exec("BEGIN IMMEDIATE");
        database->sqlite().exec("DELETE FROM kernel_fts");
        ready();
        ::pause();
    });
    QVERIFY(holder.waitReady());
    const auto database = folder.open("a.db", OpenMode::ReadWrite);
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 1);
    const auto error = errorOf([&] { import(*database, {row("2")}); });
    QVERIFY(error.has_value());
    QCOMPARE(error->kind(), Kind::Locked);
    QVERIFY2(error->problem().find("(pid " + std::to_string(holder.pid()) + ")") != std::string::npos, error->what());
    holder.kill();
    QCOMPARE(import(*database, {row("2")}).kept, 1);
}

// POSIX locks belong to the process, and closing any descriptor of a file drops them all.
void StoreOpenTest::openingASecondTimeKeepsTheFirstLock()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    const auto first = folder.open();
    first->sqlite().exec("BEGIN IMMEDIATE");
    for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite})
        QCOMPARE(number(*folder.open("a.db", mode), "SELECT count(*) FROM kernel"), 1);
    Child intruder(false, [&](const auto&) {
        // Raw, without a busy timeout: what counts is whether the lock is still there.
        SQLite::Database raw(folder.path().string(), SQLite::OPEN_READWRITE);
        if (raw.tryExec("BEGIN IMMEDIATE") == SQLITE_OK)
            throw std::runtime_error("the lock was lost");
        // The shared lock on the file itself keeps others from taking it out of WAL mode.
        if (raw.tryExec("PRAGMA journal_mode = DELETE") == SQLITE_OK)
            throw std::runtime_error("the shared lock was lost");
    });
    const int status = intruder.wait();
    first->sqlite().exec("ROLLBACK");
    QVERIFY(status == 0 || status == 1);
    QCOMPARE(status, 0);
}

void StoreOpenTest::aKilledImportLeavesWhatWasThere()
{
    const Folder folder;
    import(*folder.open(), {row("1"), sourceRow("2", "c", "r")});
    Child importer(true, [&](const auto& ready) {
        const auto database = folder.open();
        database->sqlite().exec("PRAGMA cache_size = 50"); // spills into the WAL long before the end
        CorpusInfo info;
        info.name = "killed";
        info.format = "test";
        CorpusWriter writer(*database, info, {"rows.jsonl", "sha"});
        for (int i = 0; i < 3000; ++i)
            writer.add(resultRow("k" + std::to_string(i), verdict()));
        ready();
        ::pause();
    });
    QVERIFY(importer.waitReady());
    QVERIFY(std::filesystem::file_size(folder.path("a.db-wal")) > 100000);
    importer.kill();
    const auto database = folder.open();
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 2);
    QCOMPARE(number(*database, "SELECT count(*) FROM corpus"), 1);
    QVERIFY(checkDatabase(*database, {}, {}).ok());
    QCOMPARE(import(*database, {row("3")}).kept, 1);
}

void StoreOpenTest::aKilledFirstImportLeavesAnEmptyDatabase()
{
    const Folder folder;
    Child importer(true, [&](const auto& ready) {
        const auto database = folder.open();
        CorpusInfo info;
        info.name = "killed";
        info.format = "test";
        CorpusWriter writer(*database, info, {"rows.jsonl", "sha"});
        for (int i = 0; i < 1000; ++i)
            writer.add(row("k" + std::to_string(i)));
        ready();
        ::pause();
    });
    QVERIFY(importer.waitReady());
    importer.kill();
    const auto database = folder.open();
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 0);
    QVERIFY(checkDatabase(*database, {}, {}).ok()); // its indexes are there
    QCOMPARE(import(*database, {row("3")}).kept, 1);
}

void StoreOpenTest::twoProcessesWriteAtOnce()
{
    const Folder folder;
    const auto work = [&](const std::string& corpus) {
        return [&folder, corpus](const auto&) {
            const auto database = folder.open();
            for (int file = 0; file < 8; ++file) {
                std::vector<ImportedItem> items;
                for (int i = 0; i < 25; ++i)
                    items.push_back(resultRow(corpus + std::to_string(file * 25 + i), verdict()));
                import(*database, items, "audit", corpus, corpus + std::to_string(file));
            }
        };
    };
    Child one(false, work("one")); // both also race for creating the file
    Child two(false, work("two"));
    QCOMPARE(one.wait(), 0);
    QCOMPARE(two.wait(), 0);
    const auto database = folder.open();
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 400);
    QCOMPARE(number(*database, "SELECT count(*) FROM triage"), 400);
    QVERIFY(checkDatabase(*database, {}, {}).ok());
}

void StoreOpenTest::aFullDiskIsNamedAndLosesNothing()
{
    const Folder folder;
    std::filesystem::create_directory(folder.path("disk"));
    const Mount disk(folder.path("disk"), Mount::tmpfs(QStringLiteral("16m")));
    if (!disk.isMounted())
        QSKIP("this machine does not let us mount a file system");
    const auto database = folder.open("disk/a.db");
    import(*database, {row("1"), sourceRow("2", "c", "r")});
    database->sqlite().exec("PRAGMA cache_size = 100");
    const auto error = errorOf([&] { importMuch(*database, 1000); });
    QVERIFY(error.has_value());
    QCOMPARE(error->kind(), Kind::DiskFull);
    QVERIFY2(error->where().find("disk/a.db") != std::string::npos, error->what());
    QCOMPARE(number(*database, "SELECT count(*) FROM kernel"), 2);
    QVERIFY(checkDatabase(*database, {}, {}).ok());
    QCOMPARE(number(*folder.open("disk/a.db"), "SELECT count(*) FROM corpus"), 1);
}

void StoreOpenTest::aCopyOntoAFullDiskNamesThatDisk()
{
    const Folder folder;
    std::filesystem::create_directory(folder.path("disk"));
    const Mount disk(folder.path("disk"), Mount::tmpfs(QStringLiteral("64k")));
    if (!disk.isMounted())
        QSKIP("this machine does not let us mount a file system");
    const auto database = folder.open();
    import(*database, {row("1")});
    const auto error = errorOf([&] { backupDatabase(*database, folder.path("disk/copy.db")); });
    QVERIFY(error.has_value());
    QCOMPARE(error->kind(), Kind::DiskFull);
    QVERIFY2(error->where().find("disk/copy.db") != std::string::npos, error->what());
    QVERIFY(std::filesystem::is_empty(folder.path("disk")));
}

void StoreOpenTest::anEmptyNameIsRefused()
{
    const auto error = errorOf([] { Database::open("", OpenMode::ReadOnly); });
    QVERIFY(error.has_value());
    QVERIFY2(error->problem().find("no database is named") != std::string::npos, error->what());
}

void StoreOpenTest::aFullTemporaryFolderIsNamed()
{
    const Folder folder;
    std::filesystem::create_directory(folder.path("tmp"));
    const Mount disk(folder.path("tmp"), Mount::tmpfs(QStringLiteral("1m")));
    if (!disk.isMounted())
        QSKIP("this machine does not let us mount a file system");
    writeAll(folder.path("tmp/filler"), std::string(1024 * 1024, 'x'));
    // SQLite looks for its temporary folder once a process, so a fresh one has to do this.
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("SQLITE_TMPDIR"), QString::fromStdString(folder.path("tmp").string()));
    process.setProcessEnvironment(environment);
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--sort-much-in"), QString::fromStdString(folder.path().string())});
    QVERIFY(process.waitForFinished(60000));
    const QByteArray said = process.readAllStandardOutput();
    QVERIFY2(said.startsWith("DiskFull"), said.constData());
    QVERIFY2(said.contains(folder.path("tmp").string().c_str()), said.constData());
}

void StoreOpenTest::namesOfEveryKindWork()
{
    std::setlocale(LC_ALL, "C");
    const Folder folder;
    for (const char* name : {"审计 Ü #1%20", "a?mode=memory&x=1", "file:b.db", "with 'quotes' \"and\" ;.db", "new\nline"}) {
        const std::string inner = std::string(name) + "/" + name;
        std::filesystem::create_directory(folder.path(name));
        import(*folder.open(inner), {row("1")});
        QVERIFY2(std::filesystem::is_regular_file(folder.path(inner)), name);
        QCOMPARE(number(*folder.open(inner, OpenMode::ReadOnly), "SELECT count(*) FROM kernel"), 1);
        backupDatabase(*folder.open(inner), folder.path(inner + ".copy"));
        QCOMPARE(number(*folder.open(inner + ".copy", OpenMode::ReadOnly), "SELECT count(*) FROM kernel"), 1);
    }
}

void StoreOpenTest::dataVersionTellsWhenOthersWrite()
{
    const Folder folder;
    import(*folder.open(), {row("1")});
    const auto writable = folder.open();
    const std::int64_t before = writable->dataVersion();
    QCOMPARE(writable->dataVersion(), before);
    QCOMPARE(Child(false, [&](const auto&) { import(*folder.open(), {row("2")}); }).wait(), 0);
    QVERIFY(writable->dataVersion() != before);
    QCOMPARE(number(*writable, "SELECT count(*) FROM kernel"), 2);
}

void StoreOpenTest::interruptEndsTheRunningStatement()
{
    const Folder folder;
    const auto database = folder.open();
    std::stop_source stop;
    const auto endless = [&] {
        try {
            database->sqlite().execAndGet(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n");
        } catch (const SQLite::Exception& error) {
            database->rethrow(error);
        }
    };
    {
        const InterruptOnStop interrupt(*database, stop.get_token());
        std::jthread later([&stop] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            stop.request_stop();
        });
        QVERIFY_EXCEPTION_THROWN(endless(), Cancelled);
        QVERIFY_EXCEPTION_THROWN(endless(), Cancelled); // a stop that came between two statements counts as well
        QVERIFY_EXCEPTION_THROWN(database->throwIfStopped(), Cancelled);
    }
    QCOMPARE(number(*database, "SELECT 1"), 1);
    database->throwIfStopped();
}

namespace {

/// Sorts more than fits into memory and tells what becomes of it: the second process of aFullTemporaryFolderIsNamed().
int sortMuch(const char* path)
{
    const auto database = Database::open(path, OpenMode::ReadWriteCreate);
    try {
        database->sqlite().exec("PRAGMA cache_size = 10");
        database->sqlite().execAndGet(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) "
            "SELECT count(*) FROM (SELECT hex(i * 7919 % 300007) || 'some more text' AS t FROM n ORDER BY t LIMIT -1 OFFSET 10)");
    } catch (const SQLite::Exception& error) {
        const auto told = errorOf([&] { database->rethrow(error); });
        std::printf("%s %s\n", told->kind() == Kind::DiskFull ? "DiskFull" : "other", told->what());
        return 0;
    }
    std::printf("nothing happened\n");
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 3 && std::string_view(argv[1]) == "--sort-much-in")
        return sortMuch(argv[2]);
    QCoreApplication application(argc, argv);
    StoreOpenTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_store_open.moc"
