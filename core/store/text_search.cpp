// SPDX-License-Identifier: Apache-2.0
#include "core/store/text_search.h"

#include "core/store/statement.h"

#include <sqlite3.h>

#include <algorithm>

namespace assay::store {

namespace {

constexpr const char* kSearch
    = "SELECT rowid FROM kernel_fts WHERE kernel_fts MATCH ?1"
      " UNION ALL SELECT n.kernel_id FROM note n WHERE n.id IN (SELECT rowid FROM note_fts WHERE note_fts MATCH ?1)"
      " UNION ALL SELECT k.id FROM kernel k WHERE k.candidate_source_id IN (SELECT rowid FROM source_fts WHERE source_fts MATCH "
      "?1)"
      " UNION ALL SELECT k.id FROM kernel k WHERE k.reference_source_id IN (SELECT rowid FROM source_fts WHERE source_fts MATCH "
      "?1)";

constexpr const char* kFindings = "SELECT rowid FROM finding_fts WHERE finding_fts MATCH ? ORDER BY rowid";

// The unary plus: SQLite would look through every verdict of the audit rather than look up the few that were found.
constexpr const char* kKernelsOfFindings
    = "SELECT v.id, v.kernel_id FROM finding_fts f CROSS JOIN verdict v ON v.id = f.rowid WHERE f.finding_fts MATCH ?1"
      " AND +v.audit_id = (SELECT s.audit_id FROM scope s WHERE s.id = ?2) ORDER BY f.rowid";

std::vector<std::int64_t> found(Statement& search, const std::string& phrase)
{
    std::vector<std::int64_t> ids;
    search.text(1, phrase);
    while (search.step())
        ids.push_back(search.integerAt(0));
    return ids;
}

void idInSet(sqlite3_context* context, int, sqlite3_value** arguments)
{
    const auto* set = static_cast<const IdSet*>(sqlite3_value_pointer(arguments[1], kIdSetPointer));
    const bool found = set != nullptr && set->contains(sqlite3_value_int64(arguments[0]));
    sqlite3_result_int(context, found ? 1 : 0);
}

} // namespace

std::vector<IdSet> kernelsWithTexts(SQLite::Database& database, std::int64_t scopeId, const std::vector<std::string>& phrases)
{
    Statement search(database, kSearch);
    Statement searchFindings(database, kFindings);
    std::vector<std::vector<std::int64_t>> kernels;
    std::vector<std::vector<std::int64_t>> verdicts;
    std::string any;
    for (const std::string& phrase : phrases) {
        kernels.push_back(found(search, phrase));
        verdicts.push_back(found(searchFindings, phrase));
        if (!verdicts.back().empty())
            any += (any.empty() ? "" : " OR ") + phrase;
    }
    if (!any.empty()) {
        Statement lookUp(database, kKernelsOfFindings);
        lookUp.text(1, any).integer(2, scopeId);
        std::vector<std::size_t> at(phrases.size(), 0);
        while (lookUp.step()) {
            const std::int64_t verdictId = lookUp.integerAt(0);
            for (std::size_t i = 0; i < phrases.size(); ++i) {
                while (at[i] < verdicts[i].size() && verdicts[i][at[i]] < verdictId)
                    ++at[i];
                if (at[i] < verdicts[i].size() && verdicts[i][at[i]] == verdictId)
                    kernels[i].push_back(lookUp.integerAt(1));
            }
        }
    }
    std::vector<IdSet> sets;
    for (auto& ids : kernels)
        sets.emplace_back(std::move(ids));
    return sets;
}

std::string ftsPhrase(std::string_view text, bool prefix)
{
    std::string out = "\"";
    for (const char c : text) {
        // FTS5 reads its query as a C string: behind a NUL nothing would count, not even the closing quote.
        out += c == '\0' ? ' ' : c;
        if (c == '"')
            out += '"';
    }
    out += '"';
    return prefix ? out + " *" : out;
}

void registerFunction(SQLite::Database& database, const char* name, int flags,
                      void (*function)(sqlite3_context*, int, sqlite3_value**))
{
    // Defining a function again is refused while statements run, so it is defined once a connection.
    sqlite3_stmt* probe = nullptr;
    const std::string call = std::string("SELECT ") + name + "(0, NULL)";
    const bool known = sqlite3_prepare_v2(database.getHandle(), call.c_str(), -1, &probe, nullptr) == SQLITE_OK;
    sqlite3_finalize(probe);
    if (known)
        return;
    const int result = sqlite3_create_function_v2(database.getHandle(), name, 2, SQLITE_UTF8 | SQLITE_DIRECTONLY | flags, nullptr,
                                                  function, nullptr, nullptr, nullptr);
    if (result != SQLITE_OK)
        throw SQLite::Exception(database.getHandle(), result);
}

void registerIdSets(SQLite::Database& database)
{
    registerFunction(database, "id_in_set", SQLITE_DETERMINISTIC, idInSet);
}

} // namespace assay::store
