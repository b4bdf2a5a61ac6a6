// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/verdict_summary.h"
#include "core/runner/verify_ask.h"
#include "core/runner/worker_client.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>

namespace assay::runner {

/// Judges one candidate after the other in one worker, which is started anew where a candidate brought it down.
class JudgeSeries {
public:
    explicit JudgeSeries(WorkerOptions options, std::stop_token stop);

    /// @return what came out; where it could not be judged, a verdict "error" with the reason
    /// @throws Error  where the worker has never answered yet: it is the machine then, not the candidate
    /// @throws Cancelled
    VerdictSummary judge(const VerifyAsk& ask);

private:
    WorkerOptions m_options;
    std::stop_token m_stop;
    std::optional<WorkerClient> m_client;
    bool m_everAnswered = false;
};

/// Calls @p one with every number below @p count, up to @p jobs at a time, each on a thread with a worker of its own; returns
/// when all are done. After the first exception no new one is begun, and that exception is thrown.
void judgeEach(std::size_t count, int jobs, const WorkerOptions& options, const std::stop_token& stop,
               const std::function<void(JudgeSeries& series, std::size_t index)>& one);

} // namespace assay::runner
