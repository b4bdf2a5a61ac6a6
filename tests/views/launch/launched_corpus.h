// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/store/store_fixture.h"

#include <filesystem>

namespace assay::tests {

/// A launch that shows every state a tile may end in. Its numbers are made up for the picture.
inline void writeLaunchedCorpus(const std::filesystem::path& path)
{
    using contract::Gate;
    using contract::Severity;
    using contract::Verdict;
    const auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    struct State {
        Gate gate;
        Verdict verdict;
        Severity severity;
        double value;
        double threshold;
        int exercised;
        int total;
    };
    const State states[] = {
        {Gate::Cmp01, Verdict::Pass, Severity::None, 0.31, 1, 48, 48},
        {Gate::Cmp02, Verdict::Pass, Severity::Note, 0.012, 1, 3, 3},
        {Gate::Cmp03, Verdict::Fail, Severity::Hard, 14, 1, 20, 20},
        {Gate::Exc01, Verdict::Fail, Severity::Hard, 3, 0, 44, 44},
        {Gate::Exc02, Verdict::Pass, Severity::None, 0, 0, 20, 24},
        {Gate::Ord01, Verdict::Fail, Severity::Soft, 2.4, 1, 3, 3},
        {Gate::Ord02, Verdict::Pass, Severity::None, 0, 0, 8, 8},
        {Gate::Ord03, Verdict::NotExercised, Severity::None, 0, 0, 0, 9},
        {Gate::Prc01, Verdict::Unsupported, Severity::None, 0, 0, 0, 6},
        {Gate::Prc02, Verdict::Error, Severity::None, 0, 0, 2, 9},
        {Gate::Res01, Verdict::Crash, Severity::None, 0, 0, 1, 2},
        {Gate::Res02, Verdict::Inapplicable, Severity::None, 0, 0, 0, 0},
    };
    std::vector<store::GateRecord> gates;
    for (const State& state : states) {
        store::GateRecord record = gate(state.gate, state.verdict, state.severity);
        record.exercised = state.exercised;
        record.total = state.total;
        record.finding = "dk differs from the reference at 3 of 4,096 elements, the worst at (0, 130, 1, 17).";
        if (state.verdict == Verdict::Pass || state.verdict == Verdict::Fail) {
            record.metric = state.threshold > 0 ? "error over bound" : "elements";
            record.value = tensor::measured(state.value);
            record.threshold = tensor::measured(state.threshold);
        }
        gates.push_back(record);
    }
    store::VerdictRecord record = verdict(std::move(gates));
    record.finding = "dk differs from the reference at 3 of 4,096 elements.";
    record.elapsedSeconds = 41;
    import(*database, {resultRow("1", std::move(record))}, "cpu", "launch");
    database->sqlite().exec(
        "INSERT INTO gdn_run (verdict_id, family, shape, dtype, device, timings, errors, created_at) VALUES (1, 'gdn2', "
        "'[8,2048,16,128,128]', 'bfloat16', 'cuda:0', '{\"device\":\"NVIDIA H200\",\"kernel\":\"sm_90a, "
        "bf16\",\"forward_ms\":1.02,"
        "\"backward_ms\":1.58,\"bytes_min\":1e9,\"flops\":1e11,\"floor_ms\":0.234,\"floor_with_states_ms\":0.36,"
        "\"floor_source\":\"4.3 TB/s and 790 TFLOP/s\",\"samples\":20}', "
        "'{\"errors\":{\"o\":3.4e-3,\"dq\":3.1e-3,\"dk\":9.2e-3,\"dv\":3.1e-3,\"db\":4.3e-3,\"dw\":3e-3,\"dg\":2.7e-3,"
        "\"dS0\":2e-3,\"ST\":2.9e-3},\"tolerance\":{\"o\":8e-3,\"dq\":8e-3,\"dk\":8e-3,\"dv\":8e-3,\"db\":1.5e-2,\"dw\":8e-3,"
        "\"dg\":8.1e-3,\"dS0\":8e-3,\"ST\":8e-3}}', '2026-12-01T12:00:00Z')");
}

} // namespace assay::tests
