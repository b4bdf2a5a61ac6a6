// SPDX-License-Identifier: Apache-2.0
#include "core/contract/script_builder.h"

namespace assay::contract {

ScriptBuilder::ScriptBuilder(const Session& session, const ShapePtr& shape, std::string precision)
    : m_seed(session.seed())
{
    m_script.instance = shape->id();
    m_script.precision
        = !precision.empty() ? std::move(precision) : (shape->isCast() ? std::string(tensor::name(shape->castTo)) : "native");
}

ScriptBuilder& ScriptBuilder::input(const std::string& name, const StimulusPtr& stimulus, Step::Memory memory)
{
    Step step;
    step.action = Step::Do::Input;
    step.input = name;
    step.stimulus = stimulus;
    step.memory = memory;
    m_script.steps.push_back(std::move(step));
    return *this;
}

ScriptBuilder& ScriptBuilder::inputWithGradient(const std::string& name, const StimulusPtr& stimulus)
{
    input(name, stimulus);
    m_script.steps.back().requiresGrad = true;
    return *this;
}

ScriptBuilder& ScriptBuilder::refill(const std::string& name, const StimulusPtr& stimulus)
{
    Step step;
    step.action = Step::Do::Refill;
    step.input = name;
    step.stimulus = stimulus;
    m_script.steps.push_back(std::move(step));
    return *this;
}

std::size_t ScriptBuilder::call(const std::string& input, const std::string& keep, bool fresh, bool inputsAfter, bool stateAfter)
{
    seed();
    Step step;
    step.input = input;
    step.keep = keep;
    step.freshInputs = fresh;
    step.inputsAfter = inputsAfter;
    step.stateAfter = stateAfter;
    m_script.steps.push_back(std::move(step));
    return m_script.steps.size() - 1;
}

std::size_t ScriptBuilder::vjp(const std::string& input, const StimulusPtr& cotangents)
{
    seed();
    Step step;
    step.action = Step::Do::Vjp;
    step.input = input;
    step.stimulus = cotangents;
    m_script.steps.push_back(std::move(step));
    return m_script.steps.size() - 1;
}

void ScriptBuilder::seed()
{
    Step step;
    step.action = Step::Do::Seed;
    step.seed = m_seed;
    m_script.steps.push_back(std::move(step));
}

std::size_t ScriptBuilder::read(const std::string& kept)
{
    Step step;
    step.action = Step::Do::Read;
    step.keep = kept;
    m_script.steps.push_back(std::move(step));
    return m_script.steps.size() - 1;
}

ScriptBuilder& ScriptBuilder::train(bool on)
{
    Step step;
    step.action = Step::Do::Train;
    step.training = on;
    m_script.steps.push_back(std::move(step));
    return *this;
}

ScriptBuilder& ScriptBuilder::state(const ModuleState& values, bool loadStateDict)
{
    Step step;
    step.action = Step::Do::State;
    step.state = values;
    step.loadStateDict = loadStateDict;
    m_script.steps.push_back(std::move(step));
    return *this;
}

ScriptBuilder& ScriptBuilder::restore()
{
    Step step;
    step.action = Step::Do::Restore;
    m_script.steps.push_back(std::move(step));
    return *this;
}

const CallRecord* callOf(const std::vector<StepResult>& results, std::size_t index)
{
    return index >= results.size() || results[index].failure || results[index].calls.empty() ? nullptr
                                                                                             : &results[index].calls.front();
}

} // namespace assay::contract
