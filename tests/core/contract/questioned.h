// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"
#include "tests/core/contract/fake_party.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

namespace assay::test {

/// One gate's result for one fake pair, with the flags it raised and the calls it cost.
struct Questioned {
    contract::GateResult result;
    std::vector<contract::Flag> flags;
    int calls = 0; ///< of the candidate, by the gate
    int restarts = 0;

    bool hasFlag(std::string_view code) const
    {
        return std::ranges::any_of(flags, [code](const contract::Flag& flag) { return flag.code == code; });
    }
    const contract::CheckResult* failure() const
    {
        const auto it = std::ranges::find_if(
            result.checks, [](const contract::CheckResult& check) { return contract::countsAgainstCandidate(check.verdict); });
        return it == result.checks.end() ? nullptr : &*it;
    }
    std::string failureCode() const { return failure() == nullptr ? "" : failure()->code; }
};

/// @p task with sizes that are its parameters' as well.
inline Task sizedByItsModel(Task task)
{
    for (contract::SizeSlot& slot : task.slots)
        slot.inParameters = true;
    return task;
}

/// [4, 8], of two sizes of the model that are 8 both; the larger one shows in the inputs.
inline Task sizedTwiceByItsModel()
{
    Task task = taskOfSize(8, [](std::int64_t size) { return std::vector{normal({4, size})}; });
    task.slots.push_back({1, 8, 1, false, false, "value 0 in get_init_inputs"});
    task.inputsAt = [](const contract::SizeChoice& sizes) {
        std::int64_t largest = 8;
        for (const auto& [slot, size] : sizes.slots)
            largest = std::max(largest, size);
        return std::vector{normal({4, largest})};
    };
    return sizedByItsModel(std::move(task));
}

/// @throws std::runtime_error  where no gate can run
inline Questioned question(contract::GateResult (*gate)(contract::Session&), const Task& task, const Operation& reference,
                           const Operation& candidate, const contract::Contract& contract = {},
                           const contract::ModuleState& candidateState = {})
{
    FakeReference right(task, reference);
    FakeCandidate subject(candidate, candidateState);
    contract::JudgeOptions options;
    options.seed = 7;
    options.kernelIdentity = "fake pair";
    contract::Session session(right, subject, contract, options);
    if (const auto stop = session.open())
        throw std::runtime_error(stop->reason);
    const int before = subject.calls();
    Questioned asked;
    asked.result = gate(session);
    asked.flags = session.flags();
    asked.calls = subject.calls() - before;
    asked.restarts = subject.restarts();
    return asked;
}

} // namespace assay::test
