// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/launch.h"
#include "core/text/error.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

namespace assay::tests {

/// A run of the operator whose every step a test allows, one by one.
class StagedLaunch {
public:
    using Step = std::function<void(const launch::LaunchWatch&)>;

    /// The steps of the run, and how it ends.
    void plan(std::vector<Step> steps, launch::LaunchResult result)
    {
        m_state->steps = std::move(steps);
        m_state->result = std::move(result);
    }
    /// Lets one more step happen; the last one lets the run end.
    void next()
    {
        const std::lock_guard lock(m_state->mutex);
        ++m_state->allowed;
        m_state->changed.notify_all();
    }
    void finish()
    {
        for (std::size_t i = 0; i <= m_state->steps.size(); ++i)
            next();
    }
    const launch::LaunchRequest& request() const { return m_state->request; }

    /// What the page is given; outlives this object.
    auto function() const
    {
        return [state = m_state](const launch::LaunchRequest& request, const launch::LaunchWatch& watch, std::stop_token stop) {
            state->request = request;
            for (const Step& step : state->steps) {
                if (!state->waitForTurn(stop))
                    return state->stopped();
                step(watch);
            }
            return state->waitForTurn(stop) ? state->result : state->stopped();
        };
    }

private:
    struct State {
        std::mutex mutex;
        std::condition_variable_any changed;
        std::vector<Step> steps;
        launch::LaunchResult result;
        launch::LaunchRequest request;
        int allowed = 0;

        bool waitForTurn(const std::stop_token& stop)
        {
            std::unique_lock lock(mutex);
            if (!changed.wait(lock, stop, [this] { return allowed > 0; }))
                return false;
            --allowed;
            return true;
        }
        static launch::LaunchResult stopped()
        {
            launch::LaunchResult result;
            result.end = launch::LaunchResult::End::Stopped;
            return result;
        }
    };
    std::shared_ptr<State> m_state = std::make_shared<State>();
};

/// A gate that was asked @p checks times.
inline contract::GateResult gateOf(contract::Gate gate, contract::Verdict verdict = contract::Verdict::Pass,
                                   contract::Severity severity = contract::Severity::None, int checks = 12)
{
    contract::GateResult result;
    result.gate = gate;
    result.verdict = verdict;
    result.severity = severity;
    if (verdict == contract::Verdict::Inapplicable) {
        result.finding = "the operator reduces over no dimension that could be reordered";
        return result;
    }
    result.exercised = checks;
    result.total = verdict == contract::Verdict::NotExercised ? checks + 4 : checks;
    result.finding = verdict == contract::Verdict::Fail ? "dk differs from the reference at 3 of 4,096 elements"
                                                        : "every output stays within its bound";
    contract::CheckResult check;
    check.verdict = verdict;
    check.value = tensor::measured(verdict == contract::Verdict::Fail ? 14 : 0.31);
    check.threshold = tensor::measured(1);
    result.checks.push_back(check);
    return result;
}

} // namespace assay::tests
