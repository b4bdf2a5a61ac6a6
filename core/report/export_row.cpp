// SPDX-License-Identifier: Apache-2.0
#include "core/report/export_row.h"

#include "core/report/sql.h"
#include "core/text/json.h"

#include <SQLiteCpp/Column.h>

namespace assay::report {

namespace {

// The id a corpus gave its row: a kernel that several corpora share has one for each.
constexpr std::string_view kKernelColumns = R"sql(
    k.id, COALESCE((SELECT o.external_id FROM origin o WHERE o.kernel_id = k.id AND o.corpus_id = ?1 ORDER BY o.id LIMIT 1), k.external_id),
    k.title, k.family, k.language, k.claim_status, k.claimed_speedup, k.claimed_correct
)sql";

constexpr std::string_view kVerdictColumns = R"sql(,
    v.id, v.status, v.outcome, v.severity, v.elapsed_seconds, v.native_shape, v.primary_index, v.multi_output, v.output_aliasing,
    v.speedup, v.error, v.finding, v.extra, t.accepted, t.audited, t.tolerance_free, t.any_violation
)sql";

// ORDER BY the row id with the filter on a computed audit id: the rows come in order from the table itself, unsorted.
constexpr std::string_view kJudged = R"sql(
    FROM verdict v CROSS JOIN kernel k ON k.id = v.kernel_id CROSS JOIN triage t ON t.kernel_id = v.kernel_id AND t.scope_id = ?2
    WHERE +v.audit_id = ?3 ORDER BY v.id
)sql";

constexpr std::string_view kUnjudged = R"sql(
    FROM triage t CROSS JOIN kernel k ON k.id = t.kernel_id WHERE t.scope_id = ?2 ORDER BY t.kernel_id
)sql";

constexpr int kFirstVerdictColumn = 8;

std::optional<bool> optionalFlag(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getInt() != 0;
}

std::optional<int> optionalInt(const SQLite::Column& column)
{
    if (column.isNull())
        return std::nullopt;
    return column.getInt();
}

std::optional<std::vector<std::int64_t>> shapeFrom(const SQLite::Column& column)
{
    json::Document document;
    const std::string text = column.getString();
    if (column.isNull() || json::parse(text, document) || !document.IsArray())
        return std::nullopt;
    std::vector<std::int64_t> shape;
    for (const auto& size : document.GetArray())
        shape.push_back(size.IsInt64() ? size.GetInt64() : 0);
    return shape;
}

store::KernelRecord kernelFrom(SQLite::Statement& row)
{
    store::KernelRecord kernel;
    kernel.externalId = row.getColumn(1).getString();
    kernel.title = row.getColumn(2).getString();
    kernel.family = row.getColumn(3).getString();
    kernel.language = row.getColumn(4).getString();
    kernel.claimStatus = row.getColumn(5).getString();
    kernel.claimedSpeedup = sql::optionalNumber(row.getColumn(6));
    kernel.claimedCorrect = optionalFlag(row.getColumn(7));
    return kernel;
}

store::VerdictRecord verdictFrom(SQLite::Statement& row)
{
    int at = kFirstVerdictColumn + 1;
    store::VerdictRecord verdict;
    verdict.status = row.getColumn(at++).getString();
    verdict.outcome = contract::verdictFromName(row.getColumn(at++).getText()).value_or(contract::Verdict::Unknown);
    verdict.severity = contract::severityFromName(row.getColumn(at++).getText()).value_or(contract::Severity::None);
    verdict.elapsedSeconds = sql::optionalNumber(row.getColumn(at++));
    verdict.nativeShape = shapeFrom(row.getColumn(at++));
    verdict.primaryIndex = sql::optionalInteger(row.getColumn(at++));
    verdict.multiOutput = optionalFlag(row.getColumn(at++));
    verdict.outputAliasing = optionalFlag(row.getColumn(at++));
    verdict.speedup = sql::optionalNumber(row.getColumn(at++));
    verdict.error = sql::optionalText(row.getColumn(at++));
    verdict.finding = row.getColumn(at++).getString();
    verdict.extra = row.getColumn(at++).getString();
    verdict.accepted = row.getColumn(at++).getInt() != 0;
    verdict.audited = row.getColumn(at++).getInt() != 0;
    verdict.toleranceFree = row.getColumn(at++).getInt() != 0;
    verdict.anyViolation = row.getColumn(at++).getInt() != 0;
    return verdict;
}

void readGates(SQLite::Statement& gates, std::int64_t verdictId, store::VerdictRecord& verdict)
{
    gates.reset();
    gates.bind(1, verdictId);
    while (gates.executeStep()) {
        const auto gate = contract::gateFromId(gates.getColumn(0).getText());
        if (!gate)
            continue;
        store::GateRecord record;
        record.gate = *gate;
        record.verdict = contract::verdictFromName(gates.getColumn(1).getText()).value_or(contract::Verdict::Unknown);
        record.severity = contract::severityFromName(gates.getColumn(2).getText()).value_or(contract::Severity::None);
        record.legacyStatus = gates.getColumn(3).getString();
        record.skipped = optionalInt(gates.getColumn(4));
        record.exercised = optionalInt(gates.getColumn(5));
        record.total = optionalInt(gates.getColumn(6));
        record.value = sql::measuredColumns(gates.getColumn(7), gates.getColumn(8));
        record.threshold = sql::measuredColumns(gates.getColumn(9), gates.getColumn(10));
        record.relative = sql::measuredColumns(gates.getColumn(11), gates.getColumn(12));
        record.reason = gates.getColumn(13).getString();
        verdict.gates.push_back(std::move(record));
    }
}

} // namespace

const store::GateRecord* ExportRow::gate(contract::Gate wanted) const
{
    if (!verdict)
        return nullptr;
    for (const store::GateRecord& record : verdict->gates) {
        if (record.gate == wanted)
            return &record;
    }
    return nullptr;
}

std::optional<double> ExportRow::speedup() const
{
    return verdict && verdict->speedup ? verdict->speedup : kernel.claimedSpeedup;
}

void forEachExportRow(store::Database& database, const store::Scope& scope,
                      const std::optional<std::unordered_set<std::int64_t>>& wanted,
                      const std::function<void(const ExportRow&)>& each)
{
    sql::guarded(database, [&] {
        std::string query = "SELECT " + std::string(kKernelColumns);
        query += scope.auditId ? std::string(kVerdictColumns) + std::string(kJudged) : std::string(kUnjudged);
        SQLite::Statement rows(database.sqlite(), query);
        rows.bind(1, scope.corpusId);
        rows.bind(2, scope.id);
        if (scope.auditId)
            rows.bind(3, *scope.auditId);
        SQLite::Statement gates(database.sqlite(), R"sql(
            SELECT gate, verdict, severity, legacy_status, skipped, exercised, total, value, value_class, threshold, threshold_class,
                   relative, relative_class, reason
            FROM gate_result WHERE verdict_id = ? ORDER BY gate)sql");
        while (rows.executeStep()) {
            ExportRow row;
            row.kernelId = rows.getColumn(0).getInt64();
            if (wanted && !wanted->contains(row.kernelId))
                continue;
            row.kernel = kernelFrom(rows);
            if (scope.auditId) {
                row.verdict = verdictFrom(rows);
                row.verdictId = rows.getColumn(kFirstVerdictColumn).getInt64();
                readGates(gates, row.verdictId, *row.verdict);
            }
            each(row);
        }
    });
}

} // namespace assay::report
