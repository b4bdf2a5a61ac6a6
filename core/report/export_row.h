// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/records.h"
#include "core/store/triage.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_set>

namespace assay::report {

/// One kernel with its verdict as exports show it; sources and checks are left out.
struct ExportRow {
    std::int64_t kernelId = 0;
    store::KernelRecord kernel;
    std::optional<store::VerdictRecord> verdict;
    std::int64_t verdictId = 0; ///< 0 where there is none

    /// The result of @p gate, or nullptr.
    const store::GateRecord* gate(contract::Gate gate) const;
    /// As measured, else as the corpus claims it.
    std::optional<double> speedup() const;
};

/// Hands the rows of @p scope to @p each in the order they were imported; only those in @p wanted where it is given.
void forEachExportRow(store::Database& database, const store::Scope& scope,
                      const std::optional<std::unordered_set<std::int64_t>>& wanted,
                      const std::function<void(const ExportRow&)>& each);

} // namespace assay::report
