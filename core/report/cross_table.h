// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"
#include "core/report/rule_engine.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace assay::report {

/// True where @p auditId has verdicts of other harnesses to compare with.
bool hasBaselines(store::Database& database, std::int64_t auditId);

/// Cross tables of every baseline mode against the flags stored in @p scopeId, over audited rows.
std::vector<CrossTable> recomputedTables(store::Database& database, std::int64_t scopeId, std::int64_t auditId);

/// The same against outcomes that a rule set gave: @p anyViolation holds the audited verdicts alone.
std::vector<CrossTable> recomputedTables(store::Database& database, std::int64_t auditId,
                                         const std::map<std::int64_t, bool>& anyViolation);

/// Tables that the corpus' aggregate files published: four figures under one parent, named like "ext_pass_our_fail".
std::vector<CrossTable> publishedTables(store::Database& database, std::int64_t corpusId);

} // namespace assay::report
