// SPDX-License-Identifier: Apache-2.0
#include "core/store/verdict_writer.h"

#include "core/text/json.h"
#include "core/text/raw_json.h"

#include <string>
#include <utility>

namespace assay::store {

const char* const kGateColumns = "gate, verdict, severity, legacy_status, skipped, exercised, total, metric, value, value_class, "
                                 "threshold, threshold_class, relative, relative_class, reason_code, reason, finding, power";
const char* const kCheckColumns = "gate, ordinal, code, verdict, severity, stimulus, metric, value, value_class, threshold, "
                                  "threshold_class, relative, relative_class, reason_code, finding, recipe, stimulus_sha256, "
                                  "output, worst_index, holdout_bound";
const char* const kBaselineColumns = "mode, verdict, trials, detail";

namespace {

constexpr const char* kContentColumns
    = "status, outcome, severity, hard_failures, soft_failures, exercised, total, native_shape, "
      "primary_index, multi_output, output_aliasing, error, finding, extra, membership, alignment, flags, isolation";

std::string numbersText(const std::vector<std::int64_t>& shape)
{
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
    return text + "]";
}

std::string flagsText(const std::vector<FlagRecord>& flags)
{
    if (flags.empty())
        return {};
    rapidjson::StringBuffer buffer;
    json::Writer writer(buffer);
    writer.StartArray();
    for (const FlagRecord& flag : flags) {
        writer.StartObject();
        for (const auto& [key, value] : {std::pair("code", &flag.code), {"gate", &flag.gate}, {"sentence", &flag.sentence}}) {
            writer.Key(key);
            writer.String(value->data(), static_cast<rapidjson::SizeType>(value->size()));
        }
        writer.EndObject();
    }
    writer.EndArray();
    return {buffer.GetString(), buffer.GetSize()};
}

std::string wordsText(const std::vector<std::string>& words)
{
    if (words.empty())
        return {};
    std::string text = "[";
    for (const std::string& word : words)
        text += (text.size() == 1 ? "" : ",") + json::quoted(word);
    return text + "]";
}

/// Compares the rows of two verdicts in one table. EXCEPT treats NULLs as equal, which is what comparing contents wants.
class Comparison {
public:
    Comparison(SQLite::Database& database, std::int64_t first, std::int64_t second, const char* secondSchema)
        : m_database(database)
        , m_first(first)
        , m_second(second)
        , m_secondSchema(secondSchema)
    {
    }

    bool same(const std::string& columns, const std::string& table, const std::string& key) const
    {
        const std::string select = "SELECT " + columns + " FROM ";
        const std::string first = select + "main." + table + " WHERE " + key + " = ?1";
        const std::string second = select + m_secondSchema + '.' + table + " WHERE " + key + " = ?2";
        for (const std::string& sql : {first + " EXCEPT " + second, second + " EXCEPT " + first}) {
            Statement query(m_database, sql);
            if (query.integer(1, m_first).integer(2, m_second).step())
                return false;
        }
        return true;
    }

private:
    SQLite::Database& m_database;
    std::int64_t m_first;
    std::int64_t m_second;
    std::string m_secondSchema;
};

} // namespace

VerdictWriter::VerdictWriter(SQLite::Database& database)
    : m_database(database)
    , m_find(database, "SELECT id FROM verdict WHERE audit_id = ?1 AND kernel_id = ?2")
    , m_verdict(
          database,
          "INSERT INTO verdict (audit_id, kernel_id, status, outcome, severity, hard_failures, soft_failures, exercised, total, "
          "elapsed_seconds, native_shape, primary_index, multi_output, output_aliasing, speedup, error, finding, extra, "
          "membership, alignment, flags, isolation) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)")
    , m_gate(database,
             std::string("INSERT INTO gate_result (verdict_id, ") + kGateColumns
                 + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)")
    , m_check(database,
              std::string("INSERT INTO check_result (verdict_id, ") + kCheckColumns
                  + ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)")
    , m_baseline(
          database,
          "INSERT OR REPLACE INTO baseline_verdict (verdict_id, mode, verdict, trials, detail) VALUES (?1, ?2, ?3, ?4, ?5)")
    , m_finding(database, "INSERT INTO finding_fts (rowid, finding) VALUES (?1, ?2)")
{
}

std::int64_t VerdictWriter::insertRow(std::int64_t auditId, std::int64_t kernelId, const VerdictRecord& verdict,
                                      const GateSummary& gates)
{
    const std::string shape = verdict.nativeShape ? numbersText(*verdict.nativeShape) : std::string();
    m_verdict.integer(1, auditId).integer(2, kernelId).text(3, verdict.status).text(4, contract::name(verdict.outcome));
    m_verdict.textOrNull(5, contract::name(verdict.severity));
    m_verdict.integer(6, std::int64_t{gates.hardFailures()}).integer(7, std::int64_t{gates.softFailures()});
    m_verdict.integer(8, gates.exercised()).integer(9, gates.total()).real(10, verdict.elapsedSeconds).textOrNull(11, shape);
    m_verdict.integer(12, verdict.primaryIndex)
        .flag(13, verdict.multiOutput)
        .flag(14, verdict.outputAliasing)
        .real(15, verdict.speedup);
    if (verdict.error)
        m_verdict.text(16, *verdict.error);
    else
        m_verdict.null(16);
    const std::string flags = flagsText(verdict.flags);
    const std::string isolation = wordsText(verdict.isolation);
    m_verdict.textOrNull(17, verdict.finding).textOrNull(18, verdict.extra).integer(19, std::int64_t{membership(verdict)});
    m_verdict.textOrNull(20, verdict.alignment).textOrNull(21, flags).textOrNull(22, isolation).run();
    const std::int64_t id = m_database.getLastInsertRowid();
    for (const GateRecord& gate : verdict.gates)
        insertGate(id, gate);
    for (const BaselineRecord& baseline : verdict.baselines) {
        m_baseline.integer(1, id).text(2, baseline.mode).text(3, baseline.verdict);
        m_baseline.textOrNull(4, baseline.trials).textOrNull(5, baseline.detail).run();
    }
    return id;
}

void VerdictWriter::insertGate(std::int64_t verdictId, const GateRecord& gate)
{
    m_gate.integer(1, verdictId).text(2, contract::id(gate.gate)).text(3, contract::name(gate.verdict));
    m_gate.textOrNull(4, contract::name(gate.severity)).textOrNull(5, gate.legacyStatus);
    m_gate.integer(6, gate.skipped).integer(7, gate.exercised).integer(8, gate.total).textOrNull(9, gate.metric);
    m_gate.measured(10, gate.value).measured(12, gate.threshold).measured(14, gate.relative);
    m_gate.textOrNull(16, gate.reasonCode).textOrNull(17, gate.reason).textOrNull(18, gate.finding);
    m_gate.textOrNull(19, gate.power).run();
    int ordinal = 0;
    for (const CheckRecord& check : gate.checks)
        insertCheck(verdictId, gate, ordinal++, check);
}

void VerdictWriter::insertCheck(std::int64_t verdictId, const GateRecord& gate, int ordinal, const CheckRecord& check)
{
    m_check.integer(1, verdictId).text(2, contract::id(gate.gate)).integer(3, std::int64_t{ordinal}).text(4, check.code);
    m_check.text(5, contract::name(check.verdict)).textOrNull(6, contract::name(check.severity));
    m_check.textOrNull(7, check.stimulus).textOrNull(8, check.metric);
    m_check.measured(9, check.value).measured(11, check.threshold).measured(13, check.relative);
    const std::string index = check.worstIndex.empty() ? std::string() : numbersText(check.worstIndex);
    m_check.textOrNull(15, check.reasonCode).textOrNull(16, check.finding).textOrNull(17, check.recipe);
    m_check.textOrNull(18, check.stimulusSha256).textOrNull(20, index);
    if (check.output)
        m_check.text(19, *check.output);
    else
        m_check.null(19);
    m_check.real(21, check.holdOutBound).run();
}

std::int64_t VerdictWriter::insert(std::int64_t auditId, std::int64_t kernelId, const VerdictRecord& verdict,
                                   const GateSummary& gates)
{
    const std::int64_t id = insertRow(auditId, kernelId, verdict, gates);
    if (!verdict.finding.empty())
        m_finding.integer(1, id).text(2, verdict.finding).run();
    return id;
}

std::optional<std::int64_t> VerdictWriter::find(std::int64_t auditId, std::int64_t kernelId)
{
    return singleInteger(m_find.integer(1, auditId).integer(2, kernelId));
}

// The new verdict is stored beside the old one for a moment, so that what is compared is what would be in the file.
bool VerdictWriter::equals(std::int64_t verdictId, const VerdictRecord& verdict, bool sameRun)
{
    Statement kernel(m_database, "SELECT kernel_id FROM verdict WHERE id = ?1");
    const std::int64_t kernelId = singleInteger(kernel.integer(1, verdictId)).value_or(0);
    GateSummary gates;
    gates.addAll(verdict);
    m_database.exec("SAVEPOINT compare_verdicts");
    m_database.exec("INSERT INTO audit (corpus_id, name, origin, taxonomy) SELECT id, char(31) || 'comparing', 'scratch', "
                    "'scratch' FROM corpus LIMIT 1 "
                    "ON CONFLICT DO NOTHING");
    Statement audit(m_database, "SELECT id FROM audit WHERE name = char(31) || 'comparing' AND origin = 'scratch'");
    const auto auditId = singleInteger(audit);
    const bool same = auditId && sameVerdict(m_database, verdictId, insertRow(*auditId, kernelId, verdict, gates), sameRun);
    m_database.exec("ROLLBACK TO compare_verdicts");
    m_database.exec("RELEASE compare_verdicts");
    return same;
}

void VerdictWriter::remove(std::int64_t verdictId, std::int64_t heirId)
{
    for (const char* table : {"artifact", "gdn_run"}) {
        Statement move(m_database, std::string("UPDATE ") + table + " SET verdict_id = ?1 WHERE verdict_id = ?2");
        move.integer(1, heirId).integer(2, verdictId).run();
    }
    Statement unindex(m_database,
                      "INSERT INTO finding_fts (finding_fts, rowid, finding) SELECT 'delete', id, finding FROM verdict "
                      "WHERE id = ?1 AND finding IS NOT NULL");
    unindex.integer(1, verdictId).run();
    Statement erase(m_database, "DELETE FROM verdict WHERE id = ?1");
    erase.integer(1, verdictId).run();
}

bool sameVerdict(SQLite::Database& database, std::int64_t first, std::int64_t second, bool sameRun, const char* secondSchema)
{
    const std::string content = std::string(kContentColumns) + (sameRun ? ", elapsed_seconds, speedup" : "");
    const Comparison comparison(database, first, second, secondSchema);
    return comparison.same(content, "verdict", "id") && comparison.same(kGateColumns, "gate_result", "verdict_id")
        && comparison.same(kCheckColumns, "check_result", "verdict_id")
        && comparison.same(kBaselineColumns, "baseline_verdict", "verdict_id");
}

} // namespace assay::store
