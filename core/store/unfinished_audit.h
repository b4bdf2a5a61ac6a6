// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <string>
#include <vector>

/// What a run of the judge was asked for, kept beside its audit: it outlives a process that is killed.
namespace assay::store {

/// Adds @p kernels to what the audit was asked for. An audit that was finished and lacks one of them is unfinished again.
/// Begins no transaction.
void addToSelection(SQLite::Database& db, std::int64_t auditId, const std::vector<std::int64_t>& kernels);

/// Kernels that the audit was asked for, in the order of asking; none where nothing is known.
std::vector<std::int64_t> selectionOf(SQLite::Database& db, std::int64_t auditId);

/// Forgets what the audit was asked for.
void forgetSelection(SQLite::Database& db, std::int64_t auditId);

/// Notes that this process is judging the audit, so that no other offers to go on with it; forgetJudge() takes it back, and so
/// does the end of the process.
void noteJudge(SQLite::Database& db, std::int64_t auditId);
void forgetJudge(SQLite::Database& db, std::int64_t auditId);

/// Notes that the audit was judged elsewhere and came in by the file @p path: nothing goes on with it here.
void noteImport(SQLite::Database& db, std::int64_t auditId, const std::string& path);
void forgetImport(SQLite::Database& db, std::int64_t auditId);

/// The file that the audit came in by, "" where it was judged into this database.
/// @param schema  "main", or an attached database that the audit is of
std::string importOf(SQLite::Database& db, std::int64_t auditId, const std::string& schema = "main");

/// True where every kernel that the audit was asked for has a verdict.
bool isSelectionJudged(SQLite::Database& db, std::int64_t auditId);

/// A run of the judge that did not come to its end.
struct UnfinishedAudit {
    std::int64_t auditId = 0;
    std::string corpus;
    std::string name;
    std::string contract; ///< canonical JSON
    std::string device;
    std::uint64_t seed = 0;
    std::vector<std::int64_t> kernels; ///< what it was asked for
    std::int64_t judged = 0;           ///< of these
};

/// Those that know what they were asked for, have not judged all of it and that no process of this machine is at, newest first.
/// @throws DatabaseError
std::vector<UnfinishedAudit> unfinishedAudits(Database& database);

/// Calls an audit finished as it is. @throws DatabaseError
void finishAudit(Database& database, std::int64_t auditId);

} // namespace assay::store
