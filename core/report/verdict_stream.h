// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/rule_engine.h"
#include "core/store/database.h"

#include <cstdint>
#include <functional>

namespace assay::report {

/// Hands every verdict of @p auditId to @p each, in kernel order, one at a time: memory does not grow with the audit.
/// Ends with Cancelled when the connection is interrupted.
void forEachVerdict(store::Database& database, std::int64_t auditId, const std::function<void(const VerdictFacts&)>& each);

} // namespace assay::report
