// SPDX-License-Identifier: Apache-2.0
#include "core/runner/judge_series.h"

#include "core/text/error.h"

#include <utility>

namespace assay::runner {

JudgeSeries::JudgeSeries(WorkerOptions options, std::stop_token stop)
    : m_options(std::move(options))
    , m_stop(std::move(stop))
{
}

VerdictSummary JudgeSeries::judge(const VerifyAsk& ask)
{
    try {
        if (!m_client)
            m_client.emplace(m_options);
        const json::Document verdict = m_client->ask(membersOf(ask), "verdict", {}, m_stop);
        m_everAnswered = true;
        return summaryOf(readVerdict(verdict));
    } catch (const Error& error) {
        m_client.reset();
        if (!m_everAnswered)
            throw;
        VerdictSummary none;
        none.reason = error.what();
        return none;
    }
}

} // namespace assay::runner
