// SPDX-License-Identifier: Apache-2.0
#include "core/contract/failing_check.h"

#include "core/contract/gate_run.h"
#include "core/contract/gates/clean_classes.h"
#include "core/contract/gates/injected_classes.h"
#include "core/contract/gates/judge_trials.h"
#include "core/contract/gates/subnormal_answers.h"
#include "core/contract/simpler_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay::contract {

namespace {

/// What stands for an injected NaN or infinity where the stimulus without it is needed.
constexpr double kFinite = 0.37;

bool carriesNonFinite(const std::vector<HostTensor>& leaves)
{
    return std::ranges::any_of(leaves, [](const HostTensor& leaf) { return firstNonFinite(leaf) >= 0; });
}

/// The non-finite elements of @p value as an injection.
Injection injectionIn(const HostTensor& value)
{
    Injection injection;
    injection.shape = value.shape();
    const std::vector<double> values = value.toDoubles();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]))
            injection.places.push_back({static_cast<std::int64_t>(i), values[i]});
    }
    return injection;
}

/// The one leaf or parameter of @p call that carries NaN or Inf; nothing where several do or none does.
std::optional<Injection> injectionOf(const CallCase& call)
{
    std::vector<Injection> found;
    for (std::size_t i = 0; i < call.stimulus->leaves.size(); ++i) {
        if (firstNonFinite(call.stimulus->leaves[i]) < 0)
            continue;
        found.push_back(injectionIn(call.stimulus->leaves[i]));
        found.back().input = static_cast<int>(i);
    }
    for (const StateEntry& entry : call.state) {
        if (firstNonFinite(entry.value) < 0)
            continue;
        found.push_back(injectionIn(entry.value));
        found.back().parameter = entry.name;
    }
    if (found.size() != 1)
        return std::nullopt;
    return found.front();
}

/// @p stimulus with a finite number in place of every other.
StimulusPtr withoutNonFinite(Session& session, const StimulusPtr& stimulus)
{
    std::vector<HostTensor> leaves = stimulus->leaves;
    for (HostTensor& leaf : leaves) {
        if (firstNonFinite(leaf) < 0)
            continue;
        std::vector<double> values = leaf.toDoubles();
        std::ranges::replace_if(
            values, [](double value) { return !std::isfinite(value); }, kFinite);
        leaf = laidOutAs(HostTensor::fromDoubles(leaf.dtype(), leaf.shape(), values), leaf);
    }
    return session.stimuli().wrap(std::move(leaves), stimulus->label, stimulus->isUneven);
}

bool isSame(const HostTensor& a, const HostTensor& b)
{
    const HostTensor x = a.contiguous();
    const HostTensor y = b.contiguous();
    return x.dtype() == y.dtype() && x.shape() == y.shape() && std::ranges::equal(x.bytes(), y.bytes());
}

tensor::DType castOf(const CallSetup& call)
{
    return tensor::dtypeFromName(call.cast).value_or(tensor::DType::Float64);
}

} // namespace

FailingCheck::FailingCheck(Session& session, Gate gate, const CheckResult& failed)
    : m_session(session)
    , m_gate(gate)
    , m_failed(failed)
    , m_code(failed.code.substr(std::min(failed.code.size(), id(gate).size() + 1)))
{
    findKind();
    if (m_obstacle.empty())
        findOriginal();
}

void FailingCheck::findKind()
{
    const CallSetup* const call = m_failed.stimulus.call.get();
    if (m_failed.verdict == Verdict::Timeout)
        m_obstacle = "every question to a candidate that hangs would cost the whole time limit";
    else if (call == nullptr || m_gate == Gate::Cmp02)
        m_obstacle = "the check is not about one forward call";
    else if (m_failed.verdict == Verdict::Crash || m_failed.reason == "exception")
        m_kind = Kind::Refusal;
    else if (call->values)
        m_kind = Kind::Values;
    else if (m_gate == Gate::Exc01)
        m_kind = Kind::Clean; // until the call shows a NaN
    else if (m_gate == Gate::Exc02 && (m_code == "n" || m_code == "flush"))
        m_kind = Kind::Subnormal;
    else
        m_obstacle = "the check weighs more than the values of one call";
}

void FailingCheck::findOriginal()
{
    const CallSetup& call = *m_failed.stimulus.call;
    m_original.shape = m_session.shape(call.sizes, castOf(call));
    if (!m_original.shape->isReady()) {
        m_obstacle = "the pair cannot be constructed again at the check's sizes";
        return;
    }
    m_original.stimulus = m_session.stimuli().wrap(call.inputs, m_failed.stimulus.label, call.isUneven);
    // The gate may have asked under other parameters than the session's own.
    for (const StateEntry& entry : call.referenceState) {
        const ModuleState& now = m_session.state(m_original.shape);
        const auto it = std::ranges::find(now, entry.name, &StateEntry::name);
        if (it == now.end() || !isSame(it->value, entry.value))
            m_original.state.push_back(entry);
    }
    if (m_kind != Kind::Clean)
        return;
    const bool inState
        = std::ranges::any_of(m_original.state, [](const StateEntry& entry) { return firstNonFinite(entry.value) >= 0; });
    if (inState || carriesNonFinite(call.inputs))
        m_kind = Kind::Injected;
}

StimulusRecord FailingCheck::recordOf(const CallCase& other) const
{
    StimulusRecord record = m_session.record(other.shape, {}, *other.stimulus);
    record.recipe = m_failed.stimulus.recipe;
    if (!other.state.empty()) {
        auto call = std::make_shared<CallSetup>(*record.call);
        const auto assign = [](ModuleState& state, const ModuleState& values) {
            for (const StateEntry& value : values) {
                const auto it = std::ranges::find(state, value.name, &StateEntry::name);
                if (it != state.end())
                    it->value = value.value;
            }
        };
        assign(call->referenceState, other.state);
        assign(call->candidateState, stateForCandidate(other.shape->alignment, other.state));
        record.call = std::move(call);
    }
    return record;
}

void FailingCheck::askValues(GateRun& run, const CallCase& other, const StimulusRecord& record)
{
    const auto truth = m_session.truth(other.shape, other.stimulus);
    if (!truth)
        return;
    const auto answer = m_session.askCandidate(other.shape, other.stimulus);
    if (!answer)
        return;
    ValueVerdictOptions options = *m_failed.stimulus.call->values;
    options.code = m_code;
    judgeAnswer(run, other.shape, record, other.stimulus, **truth, *answer, options);
}

void FailingCheck::askRefusal(GateRun& run, const CallCase& other, const StimulusRecord& record)
{
    if (!m_session.askReference(other.shape, other.stimulus))
        return;
    const auto answer = m_session.askCandidate(other.shape, other.stimulus);
    if (answer || (m_failureType && answer.failure().type != *m_failureType))
        return;
    run.failure(m_code, answer.failure(), m_failed.severity, record);
    if (!m_failureType)
        m_failureType = answer.failure().type;
}

void FailingCheck::askClasses(GateRun& run, const CallCase& other, const StimulusRecord& record)
{
    const std::vector<gates::PlannedTrial> planned{{{other.stimulus, other.state}, record}};
    if (m_kind == Kind::Clean) {
        gates::judgeTrials(run, other.shape, m_code, planned,
                           [&](std::size_t, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer) {
                               gates::judgeClean(run, other.shape, m_code, other.stimulus, record, exact, shipped, answer);
                           });
        return;
    }
    const auto injection = injectionOf(other);
    if (!injection)
        return;
    gates::InjectedClasses classes(run, other.shape, withoutNonFinite(m_session, other.stimulus));
    gates::judgeTrials(run, other.shape, m_code, planned,
                       [&](std::size_t, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer) {
                           classes.judge(m_code, *injection, planned.front().trial, record, exact, shipped, answer);
                       });
}

std::optional<CheckResult> FailingCheck::failsOn(const CallCase& other)
{
    GateRun run(m_session, m_gate);
    const StimulusRecord record = recordOf(other);
    // Questions about values know no state of their own: it is set for the call and taken back.
    const bool changesState = !other.state.empty() && m_kind != Kind::Injected && m_kind != Kind::Clean;
    const ModuleState before = changesState ? m_session.state(other.shape) : ModuleState();
    if (changesState)
        m_session.setState(other.shape, record.call->referenceState);
    if (m_kind == Kind::Values)
        askValues(run, other, record);
    else if (m_kind == Kind::Refusal)
        askRefusal(run, other, record);
    else if (m_kind == Kind::Subnormal)
        gates::judgeSubnormals(run, other.shape,
                               {{other.stimulus, withoutSubnormals(m_session, other.shape, other.stimulus), record}});
    else
        askClasses(run, other, record);
    if (changesState)
        m_session.setState(other.shape, before);
    GateResult result = run.finish("");
    const auto it = std::ranges::find_if(result.checks, [this](const CheckResult& check) {
        return check.verdict == m_failed.verdict && check.code == m_failed.code && check.reason == m_failed.reason;
    });
    if (it == result.checks.end())
        return std::nullopt;
    return std::move(*it);
}

} // namespace assay::contract
