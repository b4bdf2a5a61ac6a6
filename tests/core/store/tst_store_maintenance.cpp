// SPDX-License-Identifier: Apache-2.0
#include "tests/core/store/store_fixture.h"

#include "core/store/maintenance.h"
#include "core/store/schema.h"
#include "core/text/json.h"

#include <algorithm>
#include <random>

#include <unistd.h>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;
using contract::Gate;
using contract::Severity;
using contract::Verdict;
using Kind = DatabaseError::Kind;

namespace {

/// Enough rows that damage in the middle of the file hits them and not the schema.
void importMany(Database& database, int rows = 1500)
{
    std::vector<ImportedItem> items;
    for (int i = 0; i < rows; ++i)
        items.push_back(resultRow(std::to_string(i),
                                  verdict({gate(Gate::Cmp01), gate(Gate::Exc01, Verdict::Fail, Severity::Hard, "nan_mask")})));
    items.push_back(sourceRow("with sources", "candidate text", "reference text"));
    import(database, items);
}

json::Document parsed(const std::string& text)
{
    json::Document document;
    if (json::parse(text, document))
        qFatal("not JSON: %s", text.c_str());
    return document;
}

bool finds(const CheckReport& report, const std::string& check)
{
    return std::any_of(report.findings.begin(), report.findings.end(), [&](const CheckFinding& f) { return f.check == check; });
}

/// 4 KiB of noise at @p fraction of the file.
void flipBytes(const std::filesystem::path& path, double fraction)
{
    std::string content = readAll(path);
    std::mt19937 random(7);
    const auto start = static_cast<std::size_t>(static_cast<double>(content.size()) * fraction) / 4096 * 4096;
    for (std::size_t i = start; i < start + 4096 && i < content.size(); ++i)
        content[i] = static_cast<char>(random());
    writeAll(path, content);
}

std::int64_t rowsOf(const std::vector<TableRescue>& tables, const std::string& name)
{
    for (const TableRescue& table : tables) {
        if (table.table == name)
            return table.rows;
    }
    return -1;
}

} // namespace

class StoreMaintenanceTest : public QObject {
    Q_OBJECT

private slots:
    void infoTellsWhatIsInTheFile();
    void aCheckBesideAWriterLooksAtAllButTheTextIndexesAndNamesTheWriter();
    void readingTellsTheJournalModeAndNoBanner();
    void aSoundDatabaseHasNoFindings();
    void everyKindOfDamageIsFound_data();
    void everyKindOfDamageIsFound();
    void rebuildingMendsWhatIsDerived();
    void aReadOnlyDatabaseCanBeChecked();
    void aBackupIsWholeAndReplacesNothing();
    void aBackupOfADatabaseInUseIsConsistent();
    void aDamagedMiddleIsFoundAndTheRestSalvaged();
    void aTruncatedFileIsNamedAndItsRestSalvaged();
    void salvageEndsWhereNothingHasASource();
    void mergingBringsEverythingOnce();
    void mergingKeepsTheClaimOfEitherSideWhole();
    void mergingJoinsByIdentity();
    void anAuditOfOtherContentGetsAnotherName();
    void mergingRefusesWhatItCannotRead();
};

void StoreMaintenanceTest::aCheckBesideAWriterLooksAtAllButTheTextIndexesAndNamesTheWriter()
{
    const Folder folder;
    const auto database = folder.open();
    import(*database, {resultRow("1", verdict())});
    const auto other = folder.open();
    other->sqlite().exec("BEGIN IMMEDIATE; UPDATE kernel SET title = 'half-way'");
    database->sqlite().setBusyTimeout(0);
    const CheckReport report = checkDatabase(*database, {}, {});
    QVERIFY(report.ok());
    QVERIFY(std::find(report.checks.begin(), report.checks.end(), "triage") != report.checks.end());
    QVERIFY(std::find(report.checks.begin(), report.checks.end(), "full_text") == report.checks.end());
    QCOMPARE(report.skipped.size(), 1U);
    const std::string who = "by this program (pid " + std::to_string(::getpid()) + ")";
    QVERIFY2(report.skipped[0].find(who) != std::string::npos, report.skipped[0].c_str());
    other->sqlite().exec("ROLLBACK");
    QCOMPARE(checkDatabase(*database, {}, {}).skipped.size(), 0U);
}

void StoreMaintenanceTest::infoTellsWhatIsInTheFile()
{
    const Folder folder;
    const auto database = folder.open();
    import(*database, {resultRow("1", verdict()), sourceRow("2", "c", "r")});
    const auto document = parsed(infoToJson(databaseInfo(*database)));
    QCOMPARE(document["schema"].GetString(), "assay.db.info/1");
    QCOMPARE(document["schema_version"].GetInt(), kSchemaVersion);
    QCOMPARE(document["journal_mode"].GetString(), "wal");
    QVERIFY(!document["read_only"].GetBool());
    QCOMPARE(document["counts"]["kernel"].GetInt(), 2);
    QCOMPARE(document["counts"]["verdict"].GetInt(), 1);
    QVERIFY(!document["counts"].HasMember("triage"));
    QVERIFY(!document["counts"].HasMember("kernel_fts"));
    QCOMPARE(document["corpora"][0]["name"].GetString(), "corpus");
    QCOMPARE(document["corpora"][0]["kernels"].GetInt(), 2);
    QCOMPARE(document["audits"][0]["verdicts"].GetInt(), 1);
    QVERIFY(document["bytes"].GetInt64() + document["wal_bytes"].GetInt64() > 4096);
}

void StoreMaintenanceTest::readingTellsTheJournalModeAndNoBanner()
{
    const Folder folder;
    for (const std::string mode : {"wal", "delete"}) {
        {
            const auto database = folder.open();
            import(*database, {row("1")});
            database->sqlite().execAndGet("PRAGMA journal_mode = " + mode);
            const DatabaseInfo besideAWriter = databaseInfo(*folder.open("a.db", OpenMode::ReadOnly));
            QCOMPARE(bytes(besideAWriter.journalMode), bytes(mode));
        }
        const DatabaseInfo info = databaseInfo(*folder.open("a.db", OpenMode::ReadOnly));
        QVERIFY(info.readOnly);
        QCOMPARE(bytes(info.banner), QByteArray());
        QCOMPARE(bytes(info.journalMode), bytes(mode));
    }
}

void StoreMaintenanceTest::aSoundDatabaseHasNoFindings()
{
    const Folder folder;
    const auto database = folder.open();
    importMany(*database, 20);
    database->sqlite().exec("INSERT INTO note (kernel_id, body, author, created_at) VALUES (1, 'x', 'me', 'now')");
    database->sqlite().exec("INSERT INTO note_fts (rowid, body) SELECT id, body FROM note");
    database->sqlite().exec("UPDATE triage SET has_note = 1 WHERE kernel_id = 1");
    const CheckReport report = checkDatabase(*database, {}, {});
    QVERIFY2(report.ok(), checkToJson(report).c_str());
    QCOMPARE(report.checks.size(), 8U);
    QVERIFY(parsed(checkToJson(report))["ok"].GetBool());
}

void StoreMaintenanceTest::everyKindOfDamageIsFound_data()
{
    QTest::addColumn<QString>("damage");
    QTest::addColumn<QString>("check");
    QTest::newRow("a changed list row") << "UPDATE triage SET title = 'other' WHERE kernel_id = 1"
                                        << "triage";
    QTest::newRow("a lost list row") << "DELETE FROM triage WHERE kernel_id = 1"
                                     << "triage";
    QTest::newRow("a changed verdict") << "UPDATE gate_result SET verdict = 'pass' WHERE gate = 'EXC-01'"
                                       << "triage";
    QTest::newRow("a wrong scope count") << "UPDATE scope SET kernels = 99"
                                         << "scopes";
    QTest::newRow("a changed source") << "UPDATE source SET data = x'00', codec = 'raw', bytes = 1"
                                      << "sources";
    QTest::newRow("a source with a wrong length") << "UPDATE source SET bytes = 9000000000000"
                                                  << "sources";
    QTest::newRow("a row that points nowhere") << "PRAGMA foreign_keys = OFF; UPDATE verdict SET audit_id = 99 WHERE id = 1"
                                               << "foreign_keys";
    QTest::newRow("a kernel without origin") << "DELETE FROM origin WHERE kernel_id = 1"
                                             << "accounting";
    QTest::newRow("rows that do not add up") << "UPDATE import_file SET kept = kept + 1"
                                             << "accounting";
    QTest::newRow("a lost index") << "DROP INDEX triage_kernel"
                                  << "accounting";
    QTest::newRow("a title that the index does not know") << "UPDATE kernel SET title = 'renamed' WHERE id = 2"
                                                          << "full_text";
    QTest::newRow("a source that is not indexed") << "INSERT INTO source_fts (source_fts) VALUES ('delete-all')"
                                                  << "full_text";
    QTest::newRow("a finding that is not indexed") << "INSERT INTO finding_fts (finding_fts) VALUES ('delete-all')"
                                                   << "full_text";
}

void StoreMaintenanceTest::everyKindOfDamageIsFound()
{
    QFETCH(QString, damage);
    QFETCH(QString, check);
    const Folder folder;
    {
        const auto database = folder.open();
        importMany(*database, 3);
        VerdictRecord found = verdict();
        found.finding = "differs";
        import(*database, {resultRow("found", found)});
        QVERIFY(checkDatabase(*database, {}, {}).ok());
        database->sqlite().exec(damage.toStdString());
    }
    const CheckReport report = checkFile(folder.path(), {}, {});
    QVERIFY2(!report.ok(), qPrintable(damage));
    QVERIFY2(finds(report, check.toStdString()), checkToJson(report).c_str());
}

void StoreMaintenanceTest::rebuildingMendsWhatIsDerived()
{
    const Folder folder;
    const auto database = folder.open();
    importMany(*database, 10);
    SQLite::Database& sqlite = database->sqlite();
    sqlite.exec("DELETE FROM triage WHERE kernel_id < 4");
    sqlite.exec("UPDATE scope SET kernels = 0");
    sqlite.exec("DROP INDEX triage_kernel");
    sqlite.exec("INSERT INTO kernel_fts (kernel_fts) VALUES ('delete-all')");
    sqlite.exec("INSERT INTO source_fts (source_fts) VALUES ('delete-all')");
    QVERIFY(!checkDatabase(*database, {}, {}).ok());
    const CheckReport report = checkDatabase(*database, {.rebuild = true}, {});
    QVERIFY2(report.ok(), checkToJson(report).c_str());
    QVERIFY(report.rebuilt);
    QCOMPARE(number(*database, "SELECT count(*) FROM triage"), 11);
    QCOMPARE(number(*database, "SELECT count(*) FROM source_fts WHERE source_fts MATCH 'candidate'"), 1);
}

void StoreMaintenanceTest::aReadOnlyDatabaseCanBeChecked()
{
    const Folder folder;
    importMany(*folder.open(), 3);
    const auto database = folder.open("a.db", OpenMode::ReadOnly);
    const CheckReport report = checkDatabase(*database, {}, {});
    QVERIFY2(report.ok(), checkToJson(report).c_str());
    QCOMPARE(report.skipped.size(), 1U);
    QCOMPARE(errorOf([&] { checkDatabase(*database, {.rebuild = true}, {}); })->kind(), Kind::ReadOnly);
}

void StoreMaintenanceTest::aBackupIsWholeAndReplacesNothing()
{
    const Folder folder;
    const auto database = folder.open();
    importMany(*database, 10);
    const BackupResult result = backupDatabase(*database, folder.path("copy.db"));
    QCOMPARE(result.bytes, static_cast<std::int64_t>(std::filesystem::file_size(folder.path("copy.db"))));
    QVERIFY(checkFile(folder.path("copy.db"), {}, {}).ok());
    writeAll(folder.path("taken"), "mine");
    QCOMPARE(errorOf([&] { backupDatabase(*database, folder.path("taken")); })->kind(), Kind::Io);
    QCOMPARE(bytes(readAll(folder.path("taken"))), QByteArray("mine"));
    QVERIFY(errorOf([&] { backupDatabase(*database, folder.path("no such folder/copy.db")); }).has_value());
    for (const std::string& name : folder.names())
        QVERIFY2(name.find(".part-") == std::string::npos, name.c_str());
}

void StoreMaintenanceTest::aBackupOfADatabaseInUseIsConsistent()
{
    const Folder folder;
    const auto database = folder.open();
    importMany(*database, 10);
    const auto writer = folder.open();
    writer->sqlite().exec("BEGIN IMMEDIATE; DELETE FROM triage");
    backupDatabase(*database, folder.path("copy.db"));
    writer->sqlite().exec("ROLLBACK");
    QCOMPARE(number(*folder.open("copy.db", OpenMode::ReadOnly), "SELECT count(*) FROM triage"), 11);
}

void StoreMaintenanceTest::aDamagedMiddleIsFoundAndTheRestSalvaged()
{
    const Folder folder;
    importMany(*folder.open());
    int damaged = 0;
    for (const double fraction : {0.3, 0.5, 0.7}) {
        const std::string name = "damaged" + std::to_string(damaged++) + ".db";
        std::filesystem::copy_file(folder.path(), folder.path(name));
        flipBytes(folder.path(name), fraction);
        const std::string before = readAll(folder.path(name));
        const CheckReport report = checkFile(folder.path(name), {}, {});
        QVERIFY(!report.ok());
        const SalvageResult result = salvageDatabase(folder.path(name), folder.path(name + ".salvaged"), {});
        QVERIFY(readAll(folder.path(name)) == before);
        QVERIFY2(rowsOf(result.tables, "gate_result") > 2500, salvageToJson(result).c_str());
        QVERIFY2(rowsOf(result.tables, "kernel") > 1300, salvageToJson(result).c_str());
        const CheckReport salvaged = checkFile(folder.path(name + ".salvaged"), {}, {});
        QVERIFY2(salvaged.ok(), checkToJson(salvaged).c_str());
    }
}

void StoreMaintenanceTest::aTruncatedFileIsNamedAndItsRestSalvaged()
{
    const Folder folder;
    importMany(*folder.open());
    std::filesystem::resize_file(folder.path(), std::filesystem::file_size(folder.path()) * 6 / 10);
    const auto error = errorOf([&] { folder.open(); });
    QCOMPARE(error->kind(), Kind::Corrupt);
    QVERIFY2(error->problem().find("bytes") != std::string::npos, error->what());
    QVERIFY2(error->remedy().find("salvage") != std::string::npos, error->what());
    const CheckReport report = checkFile(folder.path(), {}, {});
    QVERIFY(finds(report, "open"));
    const auto tables = readableTables(folder.path(), {});
    QCOMPARE(rowsOf(tables, "corpus"), 1);
    const SalvageResult result = salvageDatabase(folder.path(), folder.path("salvaged.db"), {});
    QVERIFY2(rowsOf(result.tables, "verdict") > 100, salvageToJson(result).c_str());
    const CheckReport salvaged = checkFile(folder.path("salvaged.db"), {}, {});
    QVERIFY2(salvaged.ok(), checkToJson(salvaged).c_str());
    QVERIFY(parsed(salvageToJson(result))["tables"].Size() > 5);
    QCOMPARE(errorOf([&] { salvageDatabase(folder.path(), folder.path("salvaged.db"), {}); })->kind(), Kind::Io);
}

void StoreMaintenanceTest::salvageEndsWhereNothingHasASource()
{
    const Folder folder;
    import(*folder.open(), {row("1"), row("2")});
    const SalvageResult result = salvageDatabase(folder.path(), folder.path("salvaged.db"), {});
    QCOMPARE(rowsOf(result.tables, "kernel"), 2);
    QCOMPARE(result.dropped, 0);
}

void StoreMaintenanceTest::mergingBringsEverythingOnce()
{
    const Folder folder;
    const auto here = folder.open("here.db");
    {
        const auto there = folder.open("there.db");
        ImportedItem judged = sourceRow("7", "c", "r");
        judged.verdict = verdict({gate(Gate::Cmp01, Verdict::Fail, Severity::Soft, "value", tensor::measured(2.0))});
        judged.verdict->finding = "differs by 2";
        judged.verdict->baselines = {{"kernelbench", "pass", "", ""}};
        CheckRecord check;
        check.code = "random[0]";
        check.verdict = Verdict::Fail;
        judged.verdict->gates[0].checks = {check};
        import(*there, {judged, row("8")});
        SQLite::Database& sqlite = there->sqlite();
        sqlite.exec("INSERT INTO note (kernel_id, body, author, created_at) VALUES (1, 'odd', 'me', '2026')");
        sqlite.exec("INSERT INTO note_fts (rowid, body) SELECT id, body FROM note");
        sqlite.exec(
            "INSERT INTO waiver (kernel_id, gate, reason, author, created_at) VALUES (1, 'CMP-01', 'known', 'me', '2026')");
        sqlite.exec("INSERT INTO bookmark VALUES (2, 'me', '2026')");
        sqlite.exec("INSERT INTO sample_plan VALUES (1, 'plan', '1', '', 'h', '{}', 'now')");
        sqlite.exec("INSERT INTO sample_item (id, plan_id, kernel_id, stratum, position) VALUES (1, 1, 1, 's', 1)");
        sqlite.exec("INSERT INTO label (id, item_id, label, reason, note, reviewer, created_at) VALUES (1, 1, 'broken', NULL, "
                    "'note', 'me', 'now')");
        sqlite.exec("INSERT INTO saved_view (name, filter, sort, position) VALUES ('mine', 'family:scan', '', 1)");
        sqlite.exec("INSERT INTO calibration VALUES (1, 'hash', 't', NULL, NULL, NULL, 'now', '{\"rule\":1}')");
        sqlite.exec(
            "INSERT INTO calibration_sample VALUES (1, 1, 'CMP-01', 'scan', 'fp32', 'perturbed', 'k', 1e-3, 2.5, 'finite', "
            "'spike')");
        sqlite.exec("INSERT INTO threshold VALUES (1, 1, 'CMP-01', 'scan', 'fp32', 0.5)");
        sqlite.exec("INSERT INTO artifact VALUES (1, 1, 'CMP-01', 0, 'log', 'log', NULL, NULL, 'raw', 'x', x'00', NULL)");
    }
    const MergeResult first = mergeDatabase(*here, folder.path("there.db"), {});
    QCOMPARE(first.kernels, 2);
    QCOMPARE(first.sources, 2);
    QCOMPARE(first.verdicts, 1);
    QCOMPARE(first.notes, 1);
    QCOMPARE(first.waivers, 1);
    QCOMPARE(first.labels, 1);
    const auto there = folder.open("there.db", OpenMode::ReadOnly);
    const auto counts = databaseInfo(*here).counts;
    QVERIFY(counts == databaseInfo(*there).counts);
    const CheckReport report = checkDatabase(*here, {}, {});
    QVERIFY2(report.ok(), checkToJson(report).c_str());
    QCOMPARE(text(*here,
                  "SELECT outcome || has_note || waived || has_source || baseline || error FROM triage WHERE external_id = '7'"),
             QByteArray("fail_soft111pass2.0"));
    QCOMPARE(number(*here, "SELECT bookmarked FROM triage WHERE external_id = '8'"), 1);
    QCOMPARE(text(*here,
                  "SELECT definition || source || value FROM calibration c JOIN calibration_sample s ON s.calibration_id = c.id"),
             QByteArray("{\"rule\":1}spike2.5"));
    QCOMPARE(number(*here, "SELECT count(*) FROM note_fts WHERE note_fts MATCH 'odd'"), 1);

    const MergeResult second = mergeDatabase(*here, folder.path("there.db"), {});
    QCOMPARE(second.kernels + second.sources + second.verdicts + second.notes + second.waivers + second.labels + second.documents,
             0);
    QVERIFY(databaseInfo(*here).counts == counts);
    QVERIFY(second.renamedAudits.empty() && second.conflicts.empty());
    QCOMPARE(parsed(mergeToJson(second))["kernels"].GetInt(), 0);
}

void StoreMaintenanceTest::mergingKeepsTheClaimOfEitherSideWhole()
{
    const Folder folder;
    const auto here = folder.open("here.db");
    ImportedItem mine = sourceRow("7", "c", "r");
    mine.kernel.claimedCorrect = true;
    mine.kernel.claim = "\"mine\"";
    import(*here, {mine});
    {
        const auto there = folder.open("there.db");
        ImportedItem other = sourceRow("8", "c", "r");
        other.kernel.claimedSpeedup = 3;
        other.kernel.claim = "\"theirs\"";
        import(*there, {other});
    }
    mergeDatabase(*here, folder.path("there.db"), {});
    QCOMPARE(number(*here, "SELECT count(*) FROM kernel WHERE claim = '\"mine\"' AND claimed_speedup IS NULL"), 1);
    QCOMPARE(number(*here, "SELECT count(*) FROM origin WHERE external_id = '8' AND claim = '\"theirs\"'"), 1);
}

void StoreMaintenanceTest::mergingJoinsByIdentity()
{
    const Folder folder;
    const auto here = folder.open("here.db");
    import(*here, {sourceRow("a", "c", "r"), resultRow("b", verdict())});
    {
        const auto there = folder.open("there.db");
        import(*there, {sourceRow("b", "c", "r")}); // shows that "a" and "b" are one
        import(*there, {resultRow("z", verdict())});
    }
    const MergeResult result = mergeDatabase(*here, folder.path("there.db"), {});
    QCOMPARE(result.kernels, 1);
    QCOMPARE(result.verdicts, 1);
    QCOMPARE(number(*here, "SELECT count(*) FROM audit"), 1);
    const CheckReport report = checkDatabase(*here, {}, {});
    QVERIFY2(report.ok(), checkToJson(report).c_str());
}

void StoreMaintenanceTest::anAuditOfOtherContentGetsAnotherName()
{
    const Folder folder;
    const auto here = folder.open("here.db");
    import(*here, {resultRow("1", verdict()), resultRow("2", verdict())});
    const VerdictRecord failed = verdict({gate(Gate::Exc01, Verdict::Fail, Severity::Hard)});
    import(*folder.open("gpu01.db"), {resultRow("1", failed), resultRow("2", verdict())});
    const MergeResult result = mergeDatabase(*here, folder.path("gpu01.db"), {});
    QCOMPARE(result.renamedAudits.size(), 1U);
    QCOMPARE(bytes(result.renamedAudits[0]), QByteArray("audit -> audit (gpu01)"));
    QCOMPARE(result.verdicts, 2);
    QCOMPARE(text(*here,
                  "SELECT outcome FROM triage t JOIN scope s ON s.id = t.scope_id JOIN audit a ON a.id = s.audit_id "
                  "WHERE a.name = 'audit (gpu01)' AND external_id = '1'"),
             QByteArray("fail_hard"));
    QCOMPARE(mergeDatabase(*here, folder.path("gpu01.db"), {}).verdicts, 0);
    QCOMPARE(number(*here, "SELECT count(*) FROM audit"), 2);
    QVERIFY(checkDatabase(*here, {}, {}).ok());
}

void StoreMaintenanceTest::mergingRefusesWhatItCannotRead()
{
    const Folder folder;
    const auto here = folder.open("here.db");
    import(*here, {row("1")});
    writeAll(folder.path("text"), "not a database");
    QCOMPARE(errorOf([&] { mergeDatabase(*here, folder.path("text"), {}); })->kind(), Kind::NotADatabase);
    QCOMPARE(errorOf([&] { mergeDatabase(*here, folder.path("missing"), {}); })->kind(), Kind::NotFound);
    QCOMPARE(number(*here, "SELECT count(*) FROM kernel"), 1);
}

QTEST_GUILESS_MAIN(StoreMaintenanceTest)
#include "tst_store_maintenance.moc"
