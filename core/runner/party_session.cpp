// SPDX-License-Identifier: Apache-2.0
#include "core/runner/party_session.h"

#include <algorithm>
#include <utility>

namespace assay::runner {

namespace {

using contract::PartyFailure;
using contract::StimulusPtr;

std::int64_t bytesOf(const contract::Stimulus& stimulus)
{
    std::int64_t bytes = 0;
    for (const tensor::HostTensor& leaf : stimulus.leaves)
        bytes += leaf.count() * tensor::sizeOf(leaf.dtype());
    return bytes;
}

/// After these the CUDA context of a process fails every call until the process ends.
bool losesContext(const PartyFailure& failure)
{
    static constexpr std::string_view kTexts[]
        = {"illegal memory access", "misaligned address",      "unspecified launch failure", "device-side assert",
           "illegal instruction",   "invalid program counter", "hardware stack error"};
    const auto names = [&](std::string_view text) { return failure.message.find(text) != std::string::npos; };
    return names("CUDA") && std::any_of(std::begin(kTexts), std::end(kTexts), names);
}

/// Adds its own life to a request's time.
class StopWatch {
public:
    explicit StopWatch(RequestTime& time)
        : m_time(time)
    {
    }
    StopWatch(const StopWatch&) = delete;
    StopWatch& operator=(const StopWatch&) = delete;
    ~StopWatch()
    {
        ++m_time.requests;
        m_time.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
    }

private:
    RequestTime& m_time;
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
};

std::vector<StimulusPtr> stimuliOf(const contract::Script& script)
{
    std::vector<StimulusPtr> stimuli;
    for (const contract::Step& step : script.steps) {
        if (step.stimulus)
            stimuli.push_back(step.stimulus);
    }
    return stimuli;
}

} // namespace

PartySession::PartySession(ForkServer& server, PartySetup setup, Replay replay)
    : m_server(&server)
    , m_setup(std::move(setup))
    , m_replay(std::move(replay))
{
}

std::optional<PartyFailure> PartySession::start()
{
    return open();
}

std::optional<PartyFailure> PartySession::open()
{
    m_link.reset();
    m_held.clear();
    m_gone.reset();
    m_hasBuilt = false;
    m_contextLost = false;
    const StopWatch watch(m_time["start"]);
    m_link = m_server->fork();
    const std::vector<std::string> isolation = m_link->awaitConfined(m_setup.limits.hello, m_setup.stop);
    Request request("hello");
    request.text("device", m_setup.device);
    const contract::Asked<PartyHello> hello = ask<PartyHello>(request, m_setup.limits.hello, [&](Answer& answer) {
        return PartyHello{json::toText(memberOf(answer.document, "versions")), json::toText(memberOf(answer.document, "device")),
                          isolation};
    });
    if (!hello)
        return hello.failure();
    m_hello = *hello;
    return std::nullopt;
}

std::optional<PartyFailure> PartySession::renew(PartySetup setup)
{
    m_setup = std::move(setup);
    m_states.clear();
    m_complexNames.clear();
    m_time.clear();
    std::vector<std::uint64_t> stimuli;
    for (const Held& held : m_held)
        stimuli.push_back(held.stimulus->id);
    m_held.clear();
    return drop(stimuli);
}

std::optional<PartyFailure> PartySession::restart()
{
    if (auto failure = open())
        return failure;
    if (auto failure = m_replay())
        return failure;
    for (const auto& [instance, values] : m_states) {
        if (auto failure = sendState(instance, values))
            return failure;
    }
    return std::nullopt;
}

/// A process's first instance is told apart: what it pays for is the context on the device and the libraries that it loads.
std::string PartySession::timedAs(const Request& request)
{
    const bool isFirst = request.op() == "build" && !std::exchange(m_hasBuilt, true);
    return isFirst ? "first build" : std::string(request.op());
}

contract::Asked<Answer> PartySession::exchange(Request& request, std::chrono::milliseconds limit)
{
    if (m_gone)
        return *m_gone;
    const StopWatch watch(m_time[timedAs(request)]);
    const std::uint64_t sequence = ++m_sequence;
    contract::Asked<Answer> answer
        = m_link->ask(request.finish(sequence), sequence, limit, m_setup.stop, m_setup.limits.answerBytes);
    if (answer)
        return answer;
    if (answer.failure().isGone())
        m_gone = answer.failure();
    m_contextLost = m_contextLost || losesContext(answer.failure());
    return answer;
}

std::optional<PartyFailure> PartySession::ask(Request& request, std::chrono::milliseconds limit)
{
    const contract::Asked<Answer> answer = exchange(request, limit);
    return answer ? std::nullopt : std::optional(answer.failure());
}

PartyFailure PartySession::broken(const std::exception& nonsense)
{
    PartyFailure failure;
    failure.kind = PartyFailure::Kind::Nonsense;
    failure.message = std::string("the process answered with ") + nonsense.what();
    m_link.reset();
    m_gone = failure;
    return failure;
}

std::optional<PartyFailure> PartySession::setState(int instance, const contract::ModuleState& values)
{
    auto failure = sendState(instance, values);
    if (!failure || failure->isGone())
        m_states[instance] = values;
    return failure;
}

std::optional<PartyFailure> PartySession::sendState(int instance, const contract::ModuleState& values)
{
    Request request("state");
    request.integer("instance", instance);
    request.state("values", values, complexNames(instance));
    return ask(request, m_setup.limits.put);
}

contract::Asked<std::vector<contract::StepResult>> PartySession::run(const contract::Script& script)
{
    if (m_contextLost && !m_gone) {
        if (auto failure = restart())
            return *failure;
    }
    if (auto failure = put(stimuliOf(script)))
        return *failure;
    Request request("run");
    request.integer("instance", script.instance);
    request.text("precision", script.precision);
    request.writer().Key("steps");
    request.writer().StartArray();
    for (const contract::Step& step : script.steps)
        request.step(step, complexNames(script.instance));
    request.writer().EndArray();
    auto results = ask<std::vector<contract::StepResult>>(request, m_setup.limits.run,
                                                          [&](Answer& answer) { return readSteps(answer, script.steps.size()); });
    if (results) {
        for (const contract::StepResult& result : *results)
            m_contextLost = m_contextLost || (result.failure && losesContext(*result.failure));
    }
    return results;
}

std::optional<PartyFailure> PartySession::put(const std::vector<StimulusPtr>& stimuli)
{
    if (auto failure = makeRoom(stimuli))
        return failure;
    for (const StimulusPtr& stimulus : stimuli) {
        const auto there
            = std::find_if(m_held.begin(), m_held.end(), [&](const Held& held) { return held.stimulus->id == stimulus->id; });
        if (there != m_held.end()) {
            m_held.splice(m_held.end(), m_held, there);
            continue;
        }
        if (auto failure = putOne(stimulus))
            return failure;
    }
    return std::nullopt;
}

std::optional<PartyFailure> PartySession::putOne(const StimulusPtr& stimulus)
{
    Request request("put");
    request.unsignedInteger("stimulus", stimulus->id);
    request.tensors("leaves", stimulus->leaves);
    if (auto failure = ask(request, m_setup.limits.put))
        return failure;
    m_held.push_back({stimulus, bytesOf(*stimulus)});
    return std::nullopt;
}

/// Drops the least recently used stimuli that @p needed does not name while more are held than may be.
std::optional<PartyFailure> PartySession::makeRoom(const std::vector<StimulusPtr>& needed)
{
    std::int64_t bytes = 0;
    for (const Held& held : m_held)
        bytes += held.bytes;
    std::vector<std::uint64_t> dropped;
    for (auto held = m_held.begin(); held != m_held.end() && bytes > m_setup.limits.stimulusBytes;) {
        const bool keep = std::any_of(needed.begin(), needed.end(),
                                      [&](const StimulusPtr& stimulus) { return stimulus->id == held->stimulus->id; });
        if (keep) {
            ++held;
            continue;
        }
        bytes -= held->bytes;
        dropped.push_back(held->stimulus->id);
        held = m_held.erase(held);
    }
    return drop(dropped);
}

std::optional<PartyFailure> PartySession::drop(const std::vector<std::uint64_t>& stimuli)
{
    if (stimuli.empty())
        return std::nullopt;
    Request request("drop");
    request.writer().Key("stimuli");
    request.writer().StartArray();
    for (const std::uint64_t id : stimuli)
        request.writer().Uint64(id);
    request.writer().EndArray();
    return ask(request, m_setup.limits.put);
}

const std::set<std::string>& PartySession::complexNames(int instance) const
{
    static const std::set<std::string> kNone;
    const auto found = m_complexNames.find(instance);
    return found == m_complexNames.end() ? kNone : found->second;
}

} // namespace assay::runner
