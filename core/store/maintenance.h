// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

/// What `assay db info|check|backup|merge` do. Every failure is a DatabaseError; Cancelled after a stop.
namespace assay::store {

// ---------------------------------------------------------------- info

struct CorpusFacts {
    std::string name;
    std::string origin;
    std::string format;
    std::string licence;
    std::string importedAt;
    std::int64_t kernels = 0; ///< with an origin in this corpus
};

struct AuditFacts {
    std::string name;
    std::string corpus;
    std::string origin;
    std::string device;
    std::int64_t verdicts = 0;
};

struct DatabaseInfo {
    std::filesystem::path path;
    int schemaVersion = 0;
    int programSchemaVersion = 0;
    std::int64_t bytes = 0;    ///< of the database file
    std::int64_t walBytes = 0; ///< still waiting in the WAL
    std::string journalMode;   ///< "wal", "delete"; "" where it cannot be told
    bool readOnly = false;
    std::string banner;
    std::map<std::string, std::int64_t> counts; ///< rows by table, derived tables left out
    std::vector<CorpusFacts> corpora;
    std::vector<AuditFacts> audits;
};

DatabaseInfo databaseInfo(Database& database);
std::string infoToJson(const DatabaseInfo& info);

// ---------------------------------------------------------------- check

struct CheckFinding {
    std::string
        check; ///< "integrity", "foreign_keys", "sources", "documents", "triage", "scopes", "full_text", "accounting", "open"
    std::string problem; ///< one line
};

struct CheckReport {
    std::filesystem::path path;
    std::vector<std::string> checks;    ///< what was looked at
    std::vector<std::string> skipped;   ///< what could not be, each with the reason
    std::vector<CheckFinding> findings; ///< the first kMaxListed
    std::int64_t problems = 0;          ///< all of them
    bool rebuilt = false;               ///< derived tables and indexes were written anew
    static constexpr std::size_t kMaxListed = 200;

    bool ok() const { return problems == 0; }
};

struct CheckOptions {
    /// Writes what is derived (triage, scopes, full-text indexes, indexes) anew first. Never touches what was imported or
    /// written.
    bool rebuild = false;
};

CheckReport checkDatabase(Database& database, const CheckOptions& options, std::stop_token stop);

/// The same for a file that perhaps cannot even be opened: then the report says so under "open" and names the tables that can
/// still be read. @throws DatabaseError for every lack that is not damage (not found, locked, newer ...)
CheckReport checkFile(const std::filesystem::path& path, const CheckOptions& options, std::stop_token stop);
std::string checkToJson(const CheckReport& report);

// ---------------------------------------------------------------- backup

struct BackupResult {
    std::filesystem::path target;
    std::int64_t bytes = 0;
};

/// Copies a database that may be in use; @p target must not exist and appears whole or not at all.
BackupResult backupDatabase(Database& database, const std::filesystem::path& target);
std::string backupToJson(const BackupResult& result);

struct TableRescue {
    std::string table;
    std::int64_t rows = 0; ///< rescued
    std::string problem;   ///< "" where the table was read to its end
};

/// Tables of a damaged file with the rows that can still be read. Works on a private copy.
std::vector<TableRescue> readableTables(const std::filesystem::path& path, std::stop_token stop);

struct SalvageResult {
    std::filesystem::path target;
    std::vector<TableRescue> tables;
    std::int64_t dropped = 0; ///< rescued rows whose parent row is lost
};

/// Writes a sound database with every row of @p damaged that can still be read; derived tables are made anew.
SalvageResult salvageDatabase(const std::filesystem::path& damaged, const std::filesystem::path& target, std::stop_token stop);
std::string salvageToJson(const SalvageResult& result);

// ---------------------------------------------------------------- merge

struct MergeResult {
    std::filesystem::path source;
    std::int64_t kernels = 0; ///< new here; likewise below
    std::int64_t sources = 0;
    std::int64_t verdicts = 0;
    std::int64_t notes = 0;
    std::int64_t waivers = 0;
    std::int64_t labels = 0;
    std::int64_t documents = 0;
    std::vector<std::string> renamedAudits; ///< "old -> new": an audit of that name with other content was here already
    std::vector<std::string> conflicts;     ///< verdicts that could not be kept, one line each
};

/// Brings what @p other holds into @p database, by stable identity and in one transaction: corpora by name, sources by hash,
/// kernels by (candidate, reference) or (corpus, external id), audits by name and content. A second merge adds nothing.
MergeResult mergeDatabase(Database& database, const std::filesystem::path& other, std::stop_token stop);
std::string mergeToJson(const MergeResult& result);

} // namespace assay::store
