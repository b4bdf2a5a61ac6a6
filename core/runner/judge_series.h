// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/verdict_summary.h"
#include "core/runner/verify_ask.h"
#include "core/runner/worker_client.h"

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

} // namespace assay::runner
