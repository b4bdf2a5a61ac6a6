// SPDX-License-Identifier: Apache-2.0
#include "core/contract/trials.h"

#include "core/contract/script_builder.h"

#include <cstdint>
#include <functional>

namespace assay::contract {

namespace {

/// Calls and input bytes that share one script: tensors of a script are alive together.
constexpr std::size_t kCallsPerScript = 16;
constexpr std::int64_t kBytesPerScript = std::int64_t{64} << 20;

using Ask = std::function<Asked<std::vector<StepResult>>(const Script&)>;
using States = std::function<ModuleState(const ModuleState&)>;

struct Side {
    std::string precision;
    Ask ask;
    States states; ///< this side's names for the reference's values
};

std::int64_t bytesOf(const Trial& trial)
{
    std::int64_t bytes = 0;
    for (const HostTensor& leaf : trial.stimulus->leaves)
        bytes += leaf.count() * tensor::sizeOf(leaf.dtype());
    return bytes;
}

Asked<CallRecord> answerOf(std::vector<StepResult>& results, std::size_t at)
{
    StepResult& result = results[at];
    if (result.failure)
        return *result.failure;
    if (result.calls.empty())
        return PartyFailure{PartyFailure::Kind::Nonsense, "", "a call came back without outputs", "", "call", true};
    return std::move(result.calls.front());
}

/// @return what became of the process as a whole, where the script as a whole failed
std::optional<PartyFailure> askOnce(Session& session, const ShapePtr& shape, std::span<const Trial> trials, const Side& side,
                                    std::vector<Asked<CallRecord>>& answers)
{
    ScriptBuilder builder(session, shape, side.precision);
    std::vector<std::size_t> calls;
    for (const Trial& trial : trials) {
        if (!trial.state.empty())
            builder.state(side.states(trial.state), false);
        builder.input("a", trial.stimulus);
        calls.push_back(builder.call("a"));
        if (!trial.state.empty())
            builder.restore();
    }
    auto results = side.ask(builder.script());
    if (!results)
        return results.failure();
    for (const std::size_t call : calls)
        answers.push_back(answerOf(*results, call));
    return std::nullopt;
}

std::vector<Asked<CallRecord>> askAll(Session& session, const ShapePtr& shape, std::span<const Trial> trials, const Side& side)
{
    std::vector<Asked<CallRecord>> answers;
    answers.reserve(trials.size());
    while (answers.size() < trials.size()) {
        const std::size_t first = answers.size();
        std::size_t count = 0;
        for (std::int64_t bytes = 0; first + count < trials.size() && count < kCallsPerScript; ++count) {
            bytes += bytesOf(trials[first + count]);
            if (count > 0 && bytes > kBytesPerScript)
                break;
        }
        if (!askOnce(session, shape, trials.subspan(first, count), side, answers))
            continue;
        // Which of the calls was it? Each alone, until one of them is.
        for (std::size_t i = first; i < first + count; ++i) {
            const auto lost = askOnce(session, shape, trials.subspan(i, 1), side, answers);
            if (!lost)
                continue;
            answers.emplace_back(*lost);
            if (lost->isGone())
                return answers;
        }
    }
    return answers;
}

} // namespace

std::vector<Asked<CallRecord>> askReferenceAll(Session& session, const ShapePtr& shape, std::span<const Trial> trials,
                                               const std::string& precision)
{
    const bool asCandidate = precision == "r32" && shape->isCast();
    return askAll(session, shape, trials,
                  {asCandidate ? std::string() : precision,
                   [&session](const Script& script) { return session.runReference(script); },
                   [](const ModuleState& state) { return state; }});
}

std::vector<Asked<CallRecord>> askCandidateAll(Session& session, const ShapePtr& shape, std::span<const Trial> trials)
{
    return askAll(session, shape, trials,
                  {"", [&session](const Script& script) { return session.runCandidate(script); },
                   [&shape](const ModuleState& state) { return stateForCandidate(shape->alignment, state); }});
}

} // namespace assay::contract
