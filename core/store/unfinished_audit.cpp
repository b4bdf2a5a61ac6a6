// SPDX-License-Identifier: Apache-2.0
#include "core/store/unfinished_audit.h"

#include "core/store/guarded.h"
#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/text/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

namespace assay::store {

namespace {

std::string keyOf(std::int64_t auditId)
{
    return fmt::format("audit/{}/selection", auditId);
}

std::int64_t judgedOf(SQLite::Database& db, std::int64_t auditId, const std::vector<std::int64_t>& kernels)
{
    Statement find(db, "SELECT 1 FROM verdict WHERE audit_id = ?1 AND kernel_id = ?2");
    return std::ranges::count_if(
        kernels, [&](std::int64_t kernel) { return singleInteger(find.integer(1, auditId).integer(2, kernel)).has_value(); });
}

} // namespace

std::vector<std::int64_t> selectionOf(SQLite::Database& db, std::int64_t auditId)
{
    const std::string key = keyOf(auditId);
    Statement find(db, "SELECT value FROM meta WHERE key = ?1");
    std::vector<std::int64_t> kernels;
    json::Document list;
    if (!find.text(1, key).step() || json::parse(find.textAt(0), list) || !list.IsArray())
        return kernels;
    for (const json::Value& kernel : list.GetArray()) {
        if (kernel.IsInt64())
            kernels.push_back(kernel.GetInt64());
    }
    find.reset();
    return kernels;
}

void addToSelection(SQLite::Database& db, std::int64_t auditId, const std::vector<std::int64_t>& kernels)
{
    std::vector<std::int64_t> all = selectionOf(db, auditId);
    std::unordered_set<std::int64_t> known(all.begin(), all.end());
    for (const std::int64_t kernel : kernels) {
        if (known.insert(kernel).second)
            all.push_back(kernel);
    }
    const std::string key = keyOf(auditId);
    const std::string value = fmt::format("[{}]", fmt::join(all, ","));
    Statement write(db, "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value");
    write.text(1, key).text(2, value).run();
    if (judgedOf(db, auditId, all) == static_cast<std::int64_t>(all.size()))
        return;
    Statement reopen(db, "UPDATE audit SET finished_at = NULL WHERE id = ?1");
    reopen.integer(1, auditId).run();
}

void forgetSelection(SQLite::Database& db, std::int64_t auditId)
{
    const std::string key = keyOf(auditId);
    Statement forget(db, "DELETE FROM meta WHERE key = ?1");
    forget.text(1, key).run();
}

bool isSelectionJudged(SQLite::Database& db, std::int64_t auditId)
{
    const std::vector<std::int64_t> kernels = selectionOf(db, auditId);
    return judgedOf(db, auditId, kernels) == static_cast<std::int64_t>(kernels.size());
}

std::vector<UnfinishedAudit> unfinishedAudits(Database& database)
{
    return guarded(database, [&] {
        SQLite::Database& db = database.sqlite();
        Statement query(db,
                        "SELECT a.id, c.name, a.name, coalesce(a.gate_config, ''), coalesce(a.device, ''), coalesce(a.seed, '0') "
                        "FROM audit a JOIN corpus c ON c.id = a.corpus_id WHERE a.origin = 'judged' AND a.finished_at IS NULL "
                        "ORDER BY a.id DESC");
        std::vector<UnfinishedAudit> found;
        while (query.step()) {
            UnfinishedAudit audit;
            audit.auditId = query.integerAt(0);
            audit.corpus = query.textAt(1);
            audit.name = query.textAt(2);
            audit.contract = query.textAt(3);
            audit.device = query.textAt(4);
            const std::string_view seed = query.textAt(5);
            std::from_chars(seed.data(), seed.data() + seed.size(), audit.seed);
            audit.kernels = selectionOf(db, audit.auditId);
            audit.judged = judgedOf(db, audit.auditId, audit.kernels);
            if (audit.judged < static_cast<std::int64_t>(audit.kernels.size()))
                found.push_back(std::move(audit));
        }
        return found;
    });
}

void finishAudit(Database& database, std::int64_t auditId)
{
    guarded(database, [&] {
        const std::string now = utcNow();
        Statement done(database.sqlite(), "UPDATE audit SET finished_at = ?2 WHERE id = ?1");
        done.integer(1, auditId).text(2, now).run();
    });
}

} // namespace assay::store
