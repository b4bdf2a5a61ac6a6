// SPDX-License-Identifier: Apache-2.0
#include "core/report/extremes.h"

#include <SQLiteCpp/SQLiteCpp.h>

namespace assay::report {

namespace {

// SQLite takes the bare columns of a group from the row that holds max(); documented for a query with a single max().
constexpr const char* kLargestPerFamily = R"sql(
SELECT t.family, t.kernel_id, t.external_id, g.gate, max(g.value), g.threshold, g.threshold_class, g.relative, g.relative_class
FROM triage t JOIN gate_result g ON g.verdict_id = t.verdict_id
WHERE t.scope_id = ? AND t.audited = 1 AND g.verdict = 'fail' AND g.value_class = 'finite'
GROUP BY t.family ORDER BY t.family
)sql";

tensor::Measured measuredAt(const SQLite::Statement& row, int column)
{
    tensor::Measured result;
    if (!row.isColumnNull(column + 1))
        result.valueClass = tensor::valueClassFromName(row.getColumn(column + 1).getString());
    if (result.isFinite())
        result.value = row.getColumn(column).getDouble();
    return result;
}

} // namespace

std::vector<LargestError> largestErrors(store::Database& database, std::int64_t scopeId)
{
    try {
        std::vector<LargestError> result;
        SQLite::Statement query(database.sqlite(), kLargestPerFamily);
        query.bind(1, scopeId);
        while (query.executeStep()) {
            const auto gate = contract::gateFromId(query.getColumn(3).getString());
            if (!gate)
                continue;
            result.push_back({query.getColumn(0).getString(), query.getColumn(1).getInt64(), query.getColumn(2).getString(),
                              *gate, query.getColumn(4).getDouble(), measuredAt(query, 5), measuredAt(query, 7)});
        }
        return result;
    } catch (const SQLite::Exception& error) {
        database.rethrow(error);
    }
}

} // namespace assay::report
