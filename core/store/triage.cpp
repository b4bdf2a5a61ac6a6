// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage.h"

#include "core/store/guarded.h"
#include "core/store/triage_order.h"
#include "core/store/triage_sql.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <array>
#include <utility>

namespace assay::store {

namespace {

constexpr std::array<std::pair<TriageColumn, std::string_view>, 18> kColumns = {{
    {TriageColumn::Id, "id"},
    {TriageColumn::Title, "title"},
    {TriageColumn::Family, "family"},
    {TriageColumn::Language, "language"},
    {TriageColumn::Outcome, "outcome"},
    {TriageColumn::Status, "status"},
    {TriageColumn::Claim, "claim"},
    {TriageColumn::Baseline, "baseline"},
    {TriageColumn::Gates, "gates"},
    {TriageColumn::Reason, "reason"},
    {TriageColumn::HardFailures, "hard"},
    {TriageColumn::SoftFailures, "soft"},
    {TriageColumn::Exercised, "exercised"},
    {TriageColumn::Error, "error"},
    {TriageColumn::Relative, "relative"},
    {TriageColumn::Speedup, "speedup"},
    {TriageColumn::Elapsed, "elapsed"},
    {TriageColumn::Flags, "flags"},
}};

std::optional<int> optionalInt(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getInt();
}

std::optional<double> optionalDouble(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getDouble();
}

tensor::Measured measuredFrom(const SQLite::Column& value, const SQLite::Column& valueClass)
{
    tensor::Measured out;
    out.valueClass = tensor::valueClassFromName(valueClass.getString());
    if (out.isFinite())
        out.value = value.getDouble();
    return out;
}

constexpr const char* kRowSql
    = "SELECT kernel_id, verdict_id, external_id, title, family, language, outcome, status, claim, baseline, lead_reason, "
      "lead_gate,"
      " strip, hard_failures, soft_failures, exercised, total, error, error_class, relative, relative_class, speedup,"
      " elapsed_seconds, has_source, has_note, bookmarked, waived FROM triage WHERE kernel_id = ? AND scope_id = ?";

TriageRow rowFrom(SQLite::Statement& query)
{
    TriageRow row;
    int i = 0;
    row.kernelId = query.getColumn(i++).getInt64();
    row.verdictId = query.getColumn(i++).getInt64();
    for (std::string* text : {&row.externalId, &row.title, &row.family, &row.language, &row.outcome, &row.status, &row.claim,
                              &row.baseline, &row.leadReason, &row.leadGate})
        *text = query.getColumn(i++).getString();
    row.strip = contract::GateStrip(query.getColumn(i++).getInt64());
    row.hardFailures = query.getColumn(i++).getInt();
    row.softFailures = query.getColumn(i++).getInt();
    row.exercised = optionalInt(query.getColumn(i++));
    row.total = optionalInt(query.getColumn(i++));
    row.error = measuredFrom(query.getColumn(i), query.getColumn(i + 1));
    row.relative = measuredFrom(query.getColumn(i + 2), query.getColumn(i + 3));
    i += 4;
    row.speedup = optionalDouble(query.getColumn(i++));
    row.elapsedSeconds = optionalDouble(query.getColumn(i++));
    for (bool* flag : {&row.hasSource, &row.hasNote, &row.bookmarked, &row.waived})
        *flag = query.getColumn(i++).getInt() != 0;
    return row;
}

} // namespace

std::string toText(const TriageSort& sort)
{
    const auto found = std::ranges::find(kColumns, sort.column, [](const auto& entry) { return entry.first; });
    return (sort.descending ? "-" : "") + std::string(found->second);
}

std::optional<TriageSort> parseSort(std::string_view text)
{
    TriageSort sort;
    sort.descending = text.starts_with('-');
    if (sort.descending)
        text.remove_prefix(1);
    const auto found = std::ranges::find(kColumns, text, [](const auto& entry) { return entry.second; });
    if (found == kColumns.end())
        return std::nullopt;
    sort.column = found->first;
    return sort;
}

std::vector<Scope> scopes(Database& database)
{
    return guarded(database, [&] {
        SQLite::Statement query(
            database.sqlite(),
            "SELECT s.id, s.corpus_id, s.audit_id, c.name, c.origin, a.name, a.origin, a.device, s.kernels FROM scope s"
            " JOIN corpus c ON c.id = s.corpus_id LEFT JOIN audit a ON a.id = s.audit_id ORDER BY s.audit_id IS NULL, s.id");
        std::vector<Scope> out;
        while (query.executeStep()) {
            Scope scope;
            scope.id = query.getColumn(0).getInt64();
            scope.corpusId = query.getColumn(1).getInt64();
            if (!query.getColumn(2).isNull())
                scope.auditId = query.getColumn(2).getInt64();
            scope.corpusName = query.getColumn(3).getString();
            scope.corpusOrigin = query.getColumn(4).getString();
            scope.auditName = query.getColumn(5).getString();
            scope.auditOrigin = query.getColumn(6).getString();
            scope.device = query.getColumn(7).getString();
            scope.kernels = query.getColumn(8).getInt64();
            out.push_back(std::move(scope));
        }
        return out;
    });
}

std::vector<std::int64_t> triageIds(Database& database, std::int64_t scopeId, const TriageFilter& filter, const TriageSort& sort,
                                    std::int64_t limit)
{
    return guarded(database,
                   [&] { return orderedIds(database.sqlite(), filterParts(database.sqlite(), scopeId, filter), sort, limit); });
}

std::int64_t triageCount(Database& database, std::int64_t scopeId, const TriageFilter& filter)
{
    return guarded(database, [&] {
        const FilterParts parts = withFewLookUps(database.sqlite(), filterParts(database.sqlite(), scopeId, filter));
        const Lead lead = leadFor(parts);
        const SqlCondition where = parts.asksRows() ? rowCondition(parts, lead) : groupCondition(parts);
        Statement query(
            database.sqlite(),
            (parts.asksRows() ? "SELECT count(*) FROM " + rowSource(parts, lead) : "SELECT sum(g.kernels) FROM triage_facet g")
                + " WHERE " + where.sql);
        bindValues(query, where.values);
        return singleInteger(query).value_or(0);
    });
}

std::vector<TriageRow> triageRows(Database& database, std::int64_t scopeId, std::span<const std::int64_t> kernelIds)
{
    return guarded(database, [&] {
        SQLite::Statement query(database.sqlite(), kRowSql);
        std::vector<TriageRow> rows;
        rows.reserve(kernelIds.size());
        for (const std::int64_t kernelId : kernelIds) {
            query.bind(1, kernelId);
            query.bind(2, scopeId);
            if (query.executeStep())
                rows.push_back(rowFrom(query));
            query.reset();
        }
        return rows;
    });
}

std::vector<TriageRow> unjudgedRows(Database& database, std::span<const std::int64_t> kernelIds)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(),
                        "SELECT k.external_id, k.title, k.family, k.language, coalesce(k.claim_status, 'unknown'), "
                        "k.claimed_speedup, k.candidate_source_id IS NOT NULL, "
                        "EXISTS (SELECT 1 FROM note n WHERE n.kernel_id = k.id), "
                        "EXISTS (SELECT 1 FROM bookmark b WHERE b.kernel_id = k.id), "
                        "EXISTS (SELECT 1 FROM waiver w WHERE w.kernel_id = k.id AND w.withdrawn_at IS NULL) "
                        "FROM kernel k WHERE k.id = ?1");
        std::vector<TriageRow> rows;
        rows.reserve(kernelIds.size());
        for (const std::int64_t kernelId : kernelIds) {
            if (!query.integer(1, kernelId).step())
                continue;
            TriageRow row;
            row.kernelId = kernelId;
            int i = 0;
            for (std::string* text : {&row.externalId, &row.title, &row.family, &row.language, &row.claim})
                *text = query.textAt(i++);
            row.outcome = "not_judged";
            row.baseline = "none";
            row.speedup = query.isNull(i) ? std::nullopt : std::optional(query.realAt(i));
            for (bool* flag : {&row.hasSource, &row.hasNote, &row.bookmarked, &row.waived})
                *flag = query.integerAt(++i) != 0;
            rows.push_back(std::move(row));
            query.reset();
        }
        return rows;
    });
}

} // namespace assay::store
