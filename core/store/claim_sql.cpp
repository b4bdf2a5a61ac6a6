// SPDX-License-Identifier: Apache-2.0
#include "core/store/claim_sql.h"

namespace assay::store {

std::string takeClaimWhereNone(const ClaimSql& arriving)
{
    static const std::string kNone = "kernel.claim IS NULL AND kernel.claimed_correct IS NULL AND kernel.claimed_speedup IS NULL "
                                     "AND coalesce(kernel.claim_status, 'unknown') = 'unknown'";
    const auto assignment = [](const std::string& column, const std::string& value) {
        return column + " = CASE WHEN " + kNone + " THEN " + value + " ELSE kernel." + column + " END";
    };
    return assignment("claim", arriving.claim) + ", " + assignment("claimed_correct", arriving.correct) + ", "
        + assignment("claimed_speedup", arriving.speedup) + ", " + assignment("claim_status", arriving.status);
}

} // namespace assay::store
