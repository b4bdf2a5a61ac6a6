// SPDX-License-Identifier: Apache-2.0
#include "core/report/threshold_note.h"

#include "core/report/numbers_text.h"
#include "core/store/guarded.h"
#include "core/store/statement.h"
#include "core/store/threshold_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::report {

namespace {

store::AuditRecord auditOf(store::Database& database, std::int64_t auditId)
{
    store::AuditRecord audit;
    store::Statement query(database.sqlite(), "SELECT origin, coalesce(gate_config, '') FROM audit WHERE id = ?1");
    if (query.integer(1, auditId).step()) {
        audit.origin = query.textAt(0);
        audit.gateConfig = query.textAt(1);
    }
    return audit;
}

} // namespace

std::string thresholdNote(store::Database& database, std::int64_t auditId)
{
    return store::guarded(database, [&]() -> std::string {
        const store::AuditRecord audit = auditOf(database, auditId);
        if (audit.origin != "judged")
            return {};
        const contract::ThresholdTableName table = store::thresholdTableOf(audit);
        std::string gates;
        double bound = 0;
        if (!table.isEmpty()) {
            store::Statement query(database.sqlite(),
                                   "SELECT gate, count(DISTINCT verdict_id), max(holdout_bound) FROM check_result WHERE "
                                   "holdout_bound IS NOT NULL AND verdict_id IN (SELECT id FROM verdict WHERE audit_id = ?1) "
                                   "GROUP BY gate ORDER BY gate");
            query.integer(1, auditId);
            while (query.step()) {
                const std::int64_t kernels = query.integerAt(1);
                gates += fmt::format("{}{} of {} kernel{}", gates.empty() ? "" : ", ", query.textAt(0), grouped(kernels),
                                     kernels == 1 ? "" : "s");
                bound = std::max(bound, query.realAt(2));
            }
        }
        if (gates.empty())
            return "No threshold is calibrated.";
        return fmt::format("Thresholds {}: {}. Every other threshold is not calibrated.",
                           store::calibratedWords(bound, table.device), gates);
    });
}

} // namespace assay::report
