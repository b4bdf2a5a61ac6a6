// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/verdict.h"
#include "core/store/database.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::report {

struct GateFlip {
    contract::Gate gate = contract::Gate::Cmp01;
    contract::Verdict before = contract::Verdict::Absent;
    contract::Verdict after = contract::Verdict::Absent;
    std::string reasonBefore; ///< verbatim, else the finding
    std::string reasonAfter;
};

/// A kernel that two audits judge differently, as a whole or at some gate.
struct KernelFlip {
    std::int64_t kernelId = 0;
    std::string externalId;
    std::string title;
    contract::Verdict before = contract::Verdict::Absent;
    contract::Verdict after = contract::Verdict::Absent;
    std::string findingBefore;
    std::string findingAfter;
    std::vector<GateFlip> gates; ///< gates that both audits ran and that differ

    bool verdictFlipped() const { return before != after; }
};

struct GateFlipCounts {
    std::int64_t failToPass = 0; ///< fail, crash or timeout before, none of them after
    std::int64_t passToFail = 0;
    std::int64_t other = 0;
};

struct Comparison {
    std::string before; ///< "corpus/audit"
    std::string after;
    std::int64_t joined = 0; ///< kernels that both audits judged
    std::int64_t onlyBefore = 0;
    std::int64_t onlyAfter = 0;
    std::int64_t verdictFlips = 0;
    std::array<GateFlipCounts, contract::kGateCount> perGate;
    std::vector<KernelFlip> flips; ///< in kernel order

    /// Gates that only one of the audits ran say nothing about the kernel; they are named here instead of counted as flips.
    std::vector<contract::Gate> gatesOfOneAudit;
};

/// Joins the audits of two scopes by kernel. A flip is a change of the verdict itself; a change of severity alone is none.
/// @throws Error when a scope has no audit, Cancelled
Comparison compareAudits(store::Database& database, std::int64_t scopeBefore, std::int64_t scopeAfter);

/// "schema": "assay.compare/1".
std::string toJson(const Comparison& comparison);
std::string toText(const Comparison& comparison);

} // namespace assay::report
