// SPDX-License-Identifier: Apache-2.0
#include "core/runner/judge_series.h"

#include "core/text/error.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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

void judgeEach(std::size_t count, int jobs, const WorkerOptions& options, const std::stop_token& stop,
               const std::function<void(JudgeSeries& series, std::size_t index)>& one)
{
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto threads = std::min(count, static_cast<std::size_t>(std::max(1, jobs)));
    WorkerOptions shared = options;
    shared.neighbours = static_cast<int>(threads);
    const auto work = [&] {
        JudgeSeries series(shared, stop);
        for (std::size_t index = next++; index < count; index = next++) {
            try {
                one(series, index);
            } catch (...) {
                const std::lock_guard lock(mutex);
                failure = failure ? failure : std::current_exception();
                next = count;
                return;
            }
        }
    };
    {
        std::vector<std::jthread> pool;
        for (std::size_t thread = 0; thread < threads; ++thread)
            pool.emplace_back(work);
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace assay::runner
