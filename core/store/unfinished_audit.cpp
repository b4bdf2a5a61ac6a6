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
#include <fstream>
#include <iterator>
#include <unordered_set>

#include <unistd.h>

namespace assay::store {

namespace {

std::string keyOf(std::int64_t auditId)
{
    return fmt::format("audit/{}/selection", auditId);
}

std::string judgeKeyOf(std::int64_t auditId)
{
    return fmt::format("audit/{}/judge", auditId);
}

std::string importKeyOf(std::int64_t auditId)
{
    return fmt::format("audit/{}/imported", auditId);
}

/// Tells a process from every other one, also from a later one of the same number: "" where there is none of this number.
std::string markOf(std::int64_t process)
{
    constexpr int kStartTime = 20; // fields behind the name, which ends with the last bracket: proc(5), /proc/pid/stat
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    const std::string stat{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::size_t at = stat.rfind(')');
    for (int field = 0; field < kStartTime && at != std::string::npos; ++field)
        at = stat.find(' ', at + 1);
    if (at == std::string::npos)
        return "";
    std::ifstream boot("/proc/sys/kernel/random/boot_id");
    std::string bootId;
    boot >> bootId;
    return fmt::format("{} {} {}", process, stat.substr(at + 1, stat.find(' ', at + 1) - at - 1), bootId);
}

std::string valueAt(SQLite::Database& db, const std::string& key, const std::string& schema = "main")
{
    Statement find(db, "SELECT value FROM " + schema + ".meta WHERE key = ?1");
    return find.text(1, key).step() ? std::string(find.textAt(0)) : std::string();
}

void setValue(SQLite::Database& db, const std::string& key, const std::string& value)
{
    Statement write(db, "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value");
    write.text(1, key).text(2, value).run();
}

void removeValue(SQLite::Database& db, const std::string& key)
{
    Statement forget(db, "DELETE FROM meta WHERE key = ?1");
    forget.text(1, key).run();
}

bool isBeingJudged(SQLite::Database& db, std::int64_t auditId)
{
    const std::string mark = valueAt(db, judgeKeyOf(auditId));
    std::int64_t process = 0;
    std::from_chars(mark.data(), mark.data() + mark.size(), process);
    return process > 0 && markOf(process) == mark;
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
    std::vector<std::int64_t> kernels;
    json::Document list;
    if (json::parse(valueAt(db, keyOf(auditId)), list) || !list.IsArray())
        return kernels;
    for (const json::Value& kernel : list.GetArray()) {
        if (kernel.IsInt64())
            kernels.push_back(kernel.GetInt64());
    }
    return kernels;
}

void noteImport(SQLite::Database& db, std::int64_t auditId, const std::string& path)
{
    setValue(db, importKeyOf(auditId), path);
}

void forgetImport(SQLite::Database& db, std::int64_t auditId)
{
    removeValue(db, importKeyOf(auditId));
}

std::string importOf(SQLite::Database& db, std::int64_t auditId, const std::string& schema)
{
    return valueAt(db, importKeyOf(auditId), schema);
}

void addToSelection(SQLite::Database& db, std::int64_t auditId, const std::vector<std::int64_t>& kernels)
{
    std::vector<std::int64_t> all = selectionOf(db, auditId);
    std::unordered_set<std::int64_t> known(all.begin(), all.end());
    for (const std::int64_t kernel : kernels) {
        if (known.insert(kernel).second)
            all.push_back(kernel);
    }
    setValue(db, keyOf(auditId), fmt::format("[{}]", fmt::join(all, ",")));
    if (judgedOf(db, auditId, all) == static_cast<std::int64_t>(all.size()))
        return;
    Statement reopen(db, "UPDATE audit SET finished_at = NULL WHERE id = ?1");
    reopen.integer(1, auditId).run();
}

void forgetSelection(SQLite::Database& db, std::int64_t auditId)
{
    removeValue(db, keyOf(auditId));
}

void noteJudge(SQLite::Database& db, std::int64_t auditId)
{
    setValue(db, judgeKeyOf(auditId), markOf(::getpid()));
}

void forgetJudge(SQLite::Database& db, std::int64_t auditId)
{
    removeValue(db, judgeKeyOf(auditId));
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
            if (isBeingJudged(db, audit.auditId))
                continue;
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
