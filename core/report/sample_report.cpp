// SPDX-License-Identifier: Apache-2.0
#include "core/report/sample_report.h"

#include "core/report/sql.h"

#include <algorithm>
#include <map>

namespace assay::report {

namespace {

/// What the plan's audit said of one kernel.
class EvidenceReader {
public:
    EvidenceReader(store::Database& database, const store::SamplePlan& plan)
        : m_verdict(database.sqlite(),
                    "SELECT v.id, coalesce(v.finding, ''), k.claim_status, coalesce(v.speedup, k.claimed_speedup) FROM kernel k "
                    "LEFT JOIN verdict v ON v.kernel_id = k.id AND v.audit_id = (SELECT a.id FROM audit a JOIN corpus c "
                    "ON c.id = a.corpus_id WHERE c.name = ?2 AND a.name = ?3) WHERE k.id = ?1")
        , m_gates(database.sqlite(),
                  "SELECT gate, coalesce(reason, finding, '') FROM gate_result WHERE verdict_id = ? "
                  "AND verdict IN ('fail', 'crash', 'timeout') ORDER BY gate")
        , m_plan(plan)
    {
    }

    void read(ReportItem& item)
    {
        m_verdict.bind(1, item.item.kernelId);
        m_verdict.bind(2, m_plan.corpus);
        m_verdict.bind(3, m_plan.audit);
        if (m_verdict.executeStep()) {
            item.finding = m_verdict.getColumn(1).getString();
            item.claim = m_verdict.getColumn(2).getString();
            item.speedup = sql::optionalNumber(m_verdict.getColumn(3));
            if (!m_verdict.getColumn(0).isNull())
                readGates(m_verdict.getColumn(0).getInt64(), item);
        }
        m_verdict.reset();
    }

private:
    void readGates(std::int64_t verdictId, ReportItem& item)
    {
        m_gates.bind(1, verdictId);
        while (m_gates.executeStep())
            item.gates.push_back({m_gates.getColumn(0).getString(), m_gates.getColumn(1).getString()});
        m_gates.reset();
    }

    SQLite::Statement m_verdict;
    SQLite::Statement m_gates;
    const store::SamplePlan& m_plan;
};

} // namespace

SampleReport buildSampleReport(store::Database& database, const std::string& planName)
{
    SampleReport report;
    report.estimate = estimateSample(database, planName);
    const store::SamplePlan& plan = report.estimate.plan;
    const std::vector<store::LabelRow> history = store::labelHistory(database, plan.id);
    const auto finals = store::finalLabels(history);
    std::map<std::int64_t, std::vector<store::LabelRow>> labels;
    for (store::LabelRow& row : store::holdingLabels(history))
        labels[row.itemId].push_back(std::move(row));
    sql::guarded(database, [&] {
        EvidenceReader evidence(database, plan);
        for (store::SampleItem& item : store::sampleItems(database, plan.id)) {
            ReportItem entry;
            entry.item = std::move(item);
            if (const auto final = finals.find(entry.item.id); final != finals.end())
                entry.final = final->second;
            entry.labels = labels[entry.item.id];
            evidence.read(entry);
            report.items.push_back(std::move(entry));
        }
    });
    return report;
}

} // namespace assay::report
