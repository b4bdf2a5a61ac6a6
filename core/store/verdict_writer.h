// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"
#include "core/store/statement.h"
#include "core/store/triage_row.h"

namespace assay::store {

/// Writes verdicts with their gates, checks and baselines, and tells whether two of them say the same.
/// Lives inside the transaction of whoever uses it.
class VerdictWriter {
public:
    explicit VerdictWriter(SQLite::Database& database);

    /// @param gates  summary of @p verdict
    /// @return row id
    std::int64_t insert(std::int64_t auditId, std::int64_t kernelId, const VerdictRecord& verdict, const GateSummary& gates);

    /// Id of the verdict of @p auditId on @p kernelId, or nothing.
    std::optional<std::int64_t> find(std::int64_t auditId, std::int64_t kernelId);

    /// True when storing @p verdict would give the rows that @p verdictId has.
    /// @param sameRun  true: timings count too; false: two measurements of one thing may differ in time and speedup
    bool equals(std::int64_t verdictId, const VerdictRecord& verdict, bool sameRun);

    /// Takes a verdict out with everything that hangs on it; artifacts and GDN runs go over to @p heirId.
    void remove(std::int64_t verdictId, std::int64_t heirId);

private:
    std::int64_t insertRow(std::int64_t auditId, std::int64_t kernelId, const VerdictRecord& verdict, const GateSummary& gates);
    void insertGate(std::int64_t verdictId, const GateRecord& gate);
    void insertCheck(std::int64_t verdictId, const GateRecord& gate, int ordinal, const CheckRecord& check);

    SQLite::Database& m_database;
    Statement m_find;
    Statement m_verdict;
    Statement m_gate;
    Statement m_check;
    Statement m_baseline;
    Statement m_finding;
};

/// True when two stored verdicts say the same.
/// @param sameRun       see VerdictWriter::equals()
/// @param secondSchema  where @p second lives: "main", or the name of an attached database
bool sameVerdict(SQLite::Database& database, std::int64_t first, std::int64_t second, bool sameRun,
                 const char* secondSchema = "main");

/// Columns of gate_result, check_result and baseline_verdict that make up a verdict's content, comma separated.
extern const char* const kGateColumns;
extern const char* const kCheckColumns;
extern const char* const kBaselineColumns;

} // namespace assay::store
