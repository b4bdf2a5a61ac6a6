// SPDX-License-Identifier: Apache-2.0
// Facts about a database, and how the results of its maintenance are written as JSON.
#include "core/store/maintenance.h"

#include "core/store/file_system.h"
#include "core/store/guarded.h"
#include "core/store/migration.h"
#include "core/store/schema.h"
#include "core/store/statement.h"
#include "core/store/table_list.h"
#include "core/text/object_text.h"

#include <sqlite3.h>

namespace assay::store {

namespace {

std::int64_t sizeOf(const std::filesystem::path& path)
{
    std::error_code absent;
    const auto size = std::filesystem::file_size(path, absent);
    return absent ? 0 : static_cast<std::int64_t>(size);
}

std::vector<CorpusFacts> corpusFacts(SQLite::Database& sqlite)
{
    std::vector<CorpusFacts> corpora;
    Statement query(sqlite,
                    "SELECT name, origin, format, licence, imported_at, "
                    "(SELECT count(DISTINCT kernel_id) FROM origin o WHERE o.corpus_id = c.id) FROM corpus c ORDER BY id");
    while (query.step())
        corpora.push_back({std::string(query.textAt(0)), std::string(query.textAt(1)), std::string(query.textAt(2)),
                           std::string(query.textAt(3)), std::string(query.textAt(4)), query.integerAt(5)});
    return corpora;
}

std::vector<AuditFacts> auditFacts(SQLite::Database& sqlite)
{
    std::vector<AuditFacts> audits;
    Statement query(sqlite,
                    "SELECT a.name, c.name, a.origin, a.device, (SELECT count(*) FROM verdict v WHERE v.audit_id = a.id) "
                    "FROM audit a JOIN corpus c ON c.id = a.corpus_id ORDER BY a.id");
    while (query.step())
        audits.push_back({std::string(query.textAt(0)), std::string(query.textAt(1)), std::string(query.textAt(2)),
                          std::string(query.textAt(3)), query.integerAt(4)});
    return audits;
}

/// PRAGMA journal_mode says "delete" of every file that is opened as immutable. The write version in the file's header tells
/// the mode it is kept in (https://sqlite.org/fileformat2.html, section 1.3.3); it is read through SQLite's own handle because
/// another descriptor of the file would take its locks away when closed.
std::string journalMode(Database& database)
{
    if (!database.isReadOnly())
        return database.sqlite().execAndGet("PRAGMA journal_mode").getString();
    constexpr sqlite3_int64 kWriteVersionAt = 18;
    constexpr unsigned char kWal = 2;
    sqlite3_file* file = nullptr;
    unsigned char version = 0;
    if (sqlite3_file_control(database.sqlite().getHandle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK
        || file == nullptr || file->pMethods == nullptr || file->pMethods->xRead(file, &version, 1, kWriteVersionAt) != SQLITE_OK)
        return "";
    return version == kWal ? "wal" : "delete";
}

void writeRescues(json::ObjectText& object, const std::vector<TableRescue>& tables)
{
    object.objects("tables", tables, [&object](const TableRescue& table) {
        object.text("table", table.table);
        object.integer("rows", table.rows);
        object.text("problem", table.problem);
    });
}

} // namespace

DatabaseInfo databaseInfo(Database& database)
{
    return guarded(database, [&database] {
        SQLite::Database& sqlite = database.sqlite();
        DatabaseInfo info;
        info.path = database.path();
        info.schemaVersion = schemaVersion(sqlite);
        info.programSchemaVersion = kSchemaVersion;
        info.bytes = sizeOf(database.path());
        info.walBytes = sizeOf(besides(database.path(), "-wal"));
        info.journalMode = journalMode(database);
        info.readOnly = database.isReadOnly();
        info.banner = database.banner();
        for (const std::string& table : primaryTables(sqlite))
            info.counts[table] = sqlite.execAndGet("SELECT count(*) FROM \"" + table + "\"").getInt64();
        info.corpora = corpusFacts(sqlite);
        info.audits = auditFacts(sqlite);
        return info;
    });
}

std::string infoToJson(const DatabaseInfo& info)
{
    json::ObjectText object("assay.db.info/1");
    object.text("path", info.path.string());
    object.integer("schema_version", info.schemaVersion);
    object.integer("program_schema_version", info.programSchemaVersion);
    object.integer("bytes", info.bytes);
    object.integer("wal_bytes", info.walBytes);
    object.text("journal_mode", info.journalMode);
    object.flag("read_only", info.readOnly);
    object.text("banner", info.banner);
    object.object("counts", [&] {
        for (const auto& [table, rows] : info.counts)
            object.integer(table, rows);
    });
    object.objects("corpora", info.corpora, [&object](const CorpusFacts& corpus) {
        object.text("name", corpus.name);
        object.text("origin", corpus.origin);
        object.text("format", corpus.format);
        object.text("licence", corpus.licence);
        object.text("imported_at", corpus.importedAt);
        object.integer("kernels", corpus.kernels);
    });
    object.objects("audits", info.audits, [&object](const AuditFacts& audit) {
        object.text("name", audit.name);
        object.text("corpus", audit.corpus);
        object.text("origin", audit.origin);
        object.text("device", audit.device);
        object.integer("verdicts", audit.verdicts);
    });
    return object.finish();
}

std::string checkToJson(const CheckReport& report)
{
    json::ObjectText object("assay.db.check/1");
    object.text("path", report.path.string());
    object.flag("ok", report.ok());
    object.integer("problems", report.problems);
    object.texts("checks", report.checks);
    object.texts("skipped", report.skipped);
    object.objects("findings", report.findings, [&object](const CheckFinding& finding) {
        object.text("check", finding.check);
        object.text("problem", finding.problem);
    });
    object.flag("rebuilt", report.rebuilt);
    return object.finish();
}

std::string backupToJson(const BackupResult& result)
{
    json::ObjectText object("assay.db.backup/1");
    object.text("target", result.target.string());
    object.integer("bytes", result.bytes);
    return object.finish();
}

std::string salvageToJson(const SalvageResult& result)
{
    json::ObjectText object("assay.db.salvage/1");
    object.text("target", result.target.string());
    writeRescues(object, result.tables);
    object.integer("dropped", result.dropped);
    return object.finish();
}

std::string mergeToJson(const MergeResult& result)
{
    json::ObjectText object("assay.db.merge/1");
    object.text("source", result.source.string());
    object.integer("kernels", result.kernels);
    object.integer("sources", result.sources);
    object.integer("verdicts", result.verdicts);
    object.integer("notes", result.notes);
    object.integer("waivers", result.waivers);
    object.integer("labels", result.labels);
    object.integer("documents", result.documents);
    object.texts("renamed_audits", result.renamedAudits);
    object.texts("conflicts", result.conflicts);
    return object.finish();
}

} // namespace assay::store
