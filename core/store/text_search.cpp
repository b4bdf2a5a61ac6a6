// SPDX-License-Identifier: Apache-2.0
#include "core/store/text_search.h"

#include "core/store/statement.h"

#include <sqlite3.h>

namespace assay::store {

namespace {

constexpr const char* kSearch
    = "SELECT rowid FROM kernel_fts WHERE kernel_fts MATCH ?1"
      " UNION ALL SELECT n.kernel_id FROM note n WHERE n.id IN (SELECT rowid FROM note_fts WHERE note_fts MATCH ?1)"
      " UNION ALL SELECT k.id FROM kernel k WHERE k.candidate_source_id IN (SELECT rowid FROM source_fts WHERE source_fts MATCH "
      "?1)"
      " UNION ALL SELECT k.id FROM kernel k WHERE k.reference_source_id IN (SELECT rowid FROM source_fts WHERE source_fts MATCH "
      "?1)";

constexpr const char* kFindings
    = "SELECT t.kernel_id FROM finding_fts f CROSS JOIN triage t INDEXED BY triage_verdict ON t.verdict_id = f.rowid"
      " WHERE f.finding_fts MATCH ?1 AND t.scope_id = ?2";

void addFound(Statement& search, const std::string& phrase, std::vector<std::int64_t>& kernels)
{
    search.text(1, phrase);
    while (search.step())
        kernels.push_back(search.integerAt(0));
    search.reset();
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
    searchFindings.integer(2, scopeId);
    std::vector<IdSet> sets;
    for (const std::string& phrase : phrases) {
        std::vector<std::int64_t> kernels;
        addFound(search, phrase, kernels);
        addFound(searchFindings, phrase, kernels);
        sets.emplace_back(std::move(kernels));
    }
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
