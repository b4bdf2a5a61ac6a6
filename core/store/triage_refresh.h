// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/triage_row.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

/// Keeps the derived tables (scope, triage) in step with what they are derived from. None of these begins a transaction.
namespace assay::store {

/// Scope of an audit, or with nothing of the unjudged kernels of a corpus; created where it is missing.
std::int64_t scopeOf(SQLite::Database& database, std::int64_t corpusId, std::optional<std::int64_t> auditId);

/// Calls @p each with every row that the triage table should hold for @p scopeId, in the order of verdicts (or kernels).
/// @param kernelId  that kernel alone, where not 0
void deriveTriage(SQLite::Database& database, std::int64_t scopeId, std::int64_t kernelId,
                  const std::function<void(const TriageValues&)>& each);

/// Writes the rows of every scope that a kernel belongs to, and takes it out of the scopes it no longer belongs to.
/// Keeps its statements prepared, so one object serves many kernels.
class TriageRefresher {
public:
    explicit TriageRefresher(SQLite::Database& database);
    ~TriageRefresher();
    void refresh(std::int64_t kernelId);
    /// Scopes that rows were written to or taken out of so far.
    const std::set<std::int64_t>& touchedScopes() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

/// TriageRefresher for one kernel.
void refreshTriageKernel(SQLite::Database& database, std::int64_t kernelId);

/// The INSERT that bindTriage() fills.
std::string insertTriageSql();

/// Writes all rows of one scope anew.
void refreshTriageScope(SQLite::Database& database, std::int64_t scopeId);

/// Counts scope.kernels anew and drops the scopes of unjudged kernels that have become empty.
void refreshScopeCounts(SQLite::Database& database);
/// The same for @p scopes alone, from the counts of their combinations: a commit then costs what it wrote, not what is there.
void refreshScopeCounts(SQLite::Database& database, const std::set<std::int64_t>& scopes);

/// Scopes whose list holds @p kernelId now.
std::set<std::int64_t> scopesHolding(SQLite::Database& database, std::int64_t kernelId);

/// Creates missing scopes, drops needless ones and writes every triage row anew: `assay db check --rebuild`.
void rebuildTriage(SQLite::Database& database);

} // namespace assay::store
