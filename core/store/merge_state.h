// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/maintenance.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace assay::store {

/// What the parts of a merge of the attached database `other` into `main` share. Ids of the two databases have nothing to do with
/// each other, so every parent gets a map from there to here.
struct MergeState {
    using Ids = std::map<std::int64_t, std::int64_t>;

    MergeState(SQLite::Database& database, MergeResult& merged)
        : sqlite(database)
        , result(merged)
    {
    }

    SQLite::Database& sqlite;
    MergeResult& result;
    Ids corporaHere;
    Ids kernelsHere;
    std::set<std::int64_t> touched; ///< kernels whose triage rows have to be derived again
};

/// The row here that @p id of `other` is mapped to; 0 where it is NULL or unknown.
std::int64_t mapped(const MergeState::Ids& ids, std::int64_t id);

/// Maps rows that are the same thing where @p same says so, and inserts the others with @p insert (both take the other's
/// row id as ?1, and ?2 where @p parents is given: the mapped parent). @return how many were new
std::int64_t mapRows(SQLite::Database& sqlite, const std::string& list, const std::string& same, const std::string& insert,
                     MergeState::Ids& ids, const MergeState::Ids* parents = nullptr);

/// Notes, waivers and bookmarks.
void mergeAnnotations(MergeState& state);
/// Sample plans, their items and the labels given to them.
void mergeLabels(MergeState& state);
/// Aggregates that audits published, and their figures.
void mergeDocuments(MergeState& state);
/// What hangs on nothing: rule sets, saved views, calibrations.
void mergeStandalone(MergeState& state);

} // namespace assay::store
