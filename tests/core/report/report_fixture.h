// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/report.h"
#include "core/text/json.h"
#include "tests/core/ingest/import_fixture.h"

#include <string>
#include <vector>

namespace assay::tests {

/// A row that never reached the gates.
inline std::string preGateRow(int id, const std::string& status, const std::string& error, const std::string& speedup = "1.5",
                              const std::string& family = "scan")
{
    return R"({"elapsed_s": 2.0, "error": ")" + error + R"(", "final_speedup": )" + speedup + R"(, "id": ")" + std::to_string(id)
        + R"(", "op_class": ")" + family + R"(", "status": ")" + status + "\"}";
}

/// A gated row with everything that differs spelled out.
inline std::string gatedRow(int id, const std::string& gates, const std::string& family = "scan",
                            const std::string& speedup = "1.5", bool aliasing = false, const std::string& elapsed = "9.5")
{
    return R"({"elapsed_s": )" + elapsed + R"(, "final_speedup": )" + speedup + R"(, "gates": {)" + gates + R"(}, "id": ")"
        + std::to_string(id) + R"(", "multi_output": false, "native_shape": [64, 128], "op_class": ")" + family
        + R"(", "output_aliasing": )" + (aliasing ? "true" : "false") + R"(, "primary_idx": 0, "status": "gated"})";
}

inline std::string lines(const std::vector<std::string>& rows, const std::string& lineEnding = "\n")
{
    std::string text;
    for (const std::string& row : rows)
        text += row + lineEnding;
    return text;
}

/// A kernel with sources and a claim that no audit judged.
inline std::string unjudgedRow(const std::string& id)
{
    return R"({"id": ")" + id
        + R"(", "problem_name": "19_ReLU", "op_family": "elementwise", "reference_source": "import torch\n", "candidate_source": "import triton\n", )"
        + R"("claimed_correct": true, "claim": {}, "claimed_speedup": 0.75})" + "\n";
}

inline const report::RuleSet& builtIn(const std::string& name)
{
    for (const report::RuleSet& rules : report::builtInRuleSets()) {
        if (rules.name == name)
            return rules;
    }
    qFatal("no built-in rule set %s", name.c_str());
}

inline const report::GateCounts& gateCounts(const report::AuditReport& report, contract::Gate gate)
{
    return report.perGate[static_cast<std::size_t>(gate)];
}

inline std::int64_t funnelCount(const report::AuditReport& report, const std::string& key)
{
    for (const report::FunnelStep& step : report.funnel) {
        if (step.key == key)
            return step.count;
    }
    return -1;
}

} // namespace assay::tests
