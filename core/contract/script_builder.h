// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"

namespace assay::contract {

/// Writes scripts step by step; every call is seeded alike unless told otherwise.
class ScriptBuilder {
public:
    /// @p precision empty: the one that @p shape asks for of the candidate.
    ScriptBuilder(const Session& session, const ShapePtr& shape, std::string precision = {});

    ScriptBuilder& input(const std::string& name, const StimulusPtr& stimulus, Step::Memory memory = Step::Memory::Fresh);
    /// An input set that gradients are asked of.
    ScriptBuilder& inputWithGradient(const std::string& name, const StimulusPtr& stimulus);
    ScriptBuilder& refill(const std::string& name, const StimulusPtr& stimulus);
    /// Seeds and calls. @return the index of the call's result
    std::size_t call(const std::string& input, const std::string& keep = {}, bool fresh = true, bool inputsAfter = false,
                     bool stateAfter = false);
    /// Seeds and asks for the vector-Jacobian product with @p cotangents, one per output. @return the index of its result
    std::size_t vjp(const std::string& input, const StimulusPtr& cotangents);
    std::size_t read(const std::string& kept);
    ScriptBuilder& train(bool on);
    ScriptBuilder& state(const ModuleState& values, bool loadStateDict);
    ScriptBuilder& restore();

    const Script& script() const { return m_script; }

private:
    void seed();

    Script m_script;
    std::uint64_t m_seed;
};

/// The call of step @p index, or nothing where it failed.
const CallRecord* callOf(const std::vector<StepResult>& results, std::size_t index);

} // namespace assay::contract
