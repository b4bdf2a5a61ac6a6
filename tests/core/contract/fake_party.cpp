// SPDX-License-Identifier: Apache-2.0
#include "tests/core/contract/fake_party.h"

#include "kernels/random/philox.h"

#include <algorithm>
#include <cmath>

namespace assay::test {

using namespace contract;
using tensor::DType;

namespace {

template <typename T> Array<T> arrayOf(const HostTensor& value)
{
    const std::vector<double> doubles = value.toDoubles();
    return {value.shape(), {doubles.begin(), doubles.end()}, std::nullopt};
}

template <typename T> Arguments<T> argumentsOf(const std::vector<HostTensor>& leaves, const ModuleState& state)
{
    Arguments<T> given;
    for (const HostTensor& leaf : leaves)
        given.inputs.push_back(arrayOf<T>(leaf));
    for (const StateEntry& entry : state)
        given.state.emplace(entry.name, arrayOf<T>(entry.value));
    return given;
}

template <typename T> HostTensor tensorOfArray(const Array<T>& array, DType dtype)
{
    return HostTensor::fromDoubles(array.dtype.value_or(dtype), array.shape,
                                   std::vector<double>(array.values.begin(), array.values.end()));
}

template <typename T>
CallRecord record(const std::function<Outputs<T>(Arguments<T>&)>& f, const std::vector<HostTensor>& leaves,
                  const ModuleState& state, DType dtype, const Step& step)
{
    Arguments<T> given = argumentsOf<T>(leaves, state);
    const Outputs<T> outputs = f(given);
    CallRecord made;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        OutputLeaf leaf;
        leaf.path = outputs.size() > 1 ? std::to_string(i) : "";
        leaf.value = tensorOfArray(outputs[i], dtype);
        leaf.layout = leaf.value.strides();
        leaf.storage = static_cast<int>(leaves.size() + i);
        made.outputs.push_back(std::move(leaf));
    }
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        made.inputStorages.push_back(static_cast<int>(i));
        if (step.inputsAfter)
            made.inputsAfter.push_back(tensorOfArray(given.inputs[i], leaves[i].dtype()));
    }
    if (step.stateAfter)
        made.stateAfter = state;
    return made;
}

PartyFailure raised(const Raises& what)
{
    return {PartyFailure::Kind::Raised, what.type, what.message, "", "call", false};
}

PartyFailure died()
{
    return {PartyFailure::Kind::Died, "SIGSEGV", "", "", "call", true};
}

void assign(ModuleState& state, const ModuleState& values)
{
    for (const StateEntry& value : values) {
        const auto it = std::ranges::find(state, value.name, &StateEntry::name);
        if (it != state.end())
            it->value = value.value;
    }
}

} // namespace

Task taskOfSize(std::int64_t native, const std::function<std::vector<HostTensor>(std::int64_t)>& inputsAt)
{
    Task task;
    task.inputs = inputsAt(native);
    task.slots = {{0, native, 1, true, false, "dim of randn in get_inputs"}};
    task.inputsAt = [inputsAt](const SizeChoice& sizes) { return inputsAt(sizes.slots.at(0)); };
    return task;
}

HostTensor normal(std::vector<std::int64_t> shape, std::uint64_t seed)
{
    HostTensor made(DType::Float32, shape);
    std::vector<double> values(static_cast<std::size_t>(made.count()));
    random::Stream({seed, "test", "", "", 0}).normal(0, values);
    return HostTensor::fromDoubles(DType::Float32, std::move(shape), values);
}

HostTensor tensorOf(std::vector<std::int64_t> shape, std::vector<double> values, DType dtype)
{
    return HostTensor::fromDoubles(dtype, std::move(shape), values);
}

StateEntry parameter(std::string name, HostTensor value)
{
    return {std::move(name), true, true, std::move(value)};
}

StepResult FakeProcess::call(const Step& step, const Stimulus& stimulus, const Operation& operation, bool exact)
{
    StepResult result;
    try {
        for (int i = 0; i < step.times; ++i) {
            ++calls;
            if (beforeCall)
                beforeCall(m_memory);
            result.calls.push_back(exact ? record<double>(operation.exact, stimulus.leaves, m_present, DType::Float64, step)
                                         : record<float>(operation.single, stimulus.leaves, m_present, DType::Float32, step));
            CallRecord& made = result.calls.back();
            for (OutputLeaf& leaf : made.outputs)
                leaf.device = device;
            made.residency.counted = (step.residency || m_memory == Step::Memory::Guarded) && bearsCounting;
            if (made.residency.counted)
                made.residency.tf32Ops = tf32Ops;
            made.residency.hostCopies = made.residency.counted ? hostCopies : 0;
        }
    } catch (const Raises& what) {
        result.failure = raised(what);
        result.calls.clear();
    }
    return result;
}

Asked<std::vector<StepResult>> FakeProcess::run(const Script& script, const Operation& operation, bool exact)
{
    if (dead)
        return died();
    m_present = state;
    std::map<std::string, StimulusPtr> sets;
    std::map<std::string, CallRecord> kept;
    std::vector<StepResult> results;
    try {
        for (const Step& step : script.steps) {
            StepResult result;
            switch (step.action) {
            case Step::Do::Input:
            case Step::Do::Refill:
                sets[step.input] = step.stimulus;
                if (step.action == Step::Do::Input)
                    m_memory = step.memory;
                break;
            case Step::Do::State:
                assign(m_present, step.state);
                break;
            case Step::Do::Restore:
                m_present = state;
                break;
            case Step::Do::Call:
                result = call(step, *sets.at(step.input), operation, exact);
                if (!step.keep.empty() && !result.calls.empty())
                    kept[step.keep] = result.calls.back();
                break;
            case Step::Do::Read:
                result.calls.push_back(kept.at(step.keep));
                break;
            case Step::Do::Vjp:
                result.failure = raised({"RuntimeError", "no gradients here"});
                break;
            case Step::Do::Seed:
            case Step::Do::Train:
                break;
            }
            results.push_back(std::move(result));
        }
    } catch (const Dies&) {
        dead = true;
        return died();
    }
    return results;
}

void FakeProcess::setState(const ModuleState& values)
{
    assign(state, values);
}

void FakeProcess::restart()
{
    dead = false;
    ++restarts;
}

FakeReference::FakeReference(Task task, Operation operation, std::map<std::string, Operation> conforming)
    : m_task(std::move(task))
    , m_operation(std::move(operation))
    , m_conforming(std::move(conforming))
{
    m_process.state = m_task.state;
}

Asked<std::vector<SizeSlot>> FakeReference::load()
{
    if (loadFailure)
        return *loadFailure;
    return m_task.slots;
}

Asked<contract::Footprint> FakeReference::footprint(const SizeChoice& sizes, std::uint64_t)
{
    if (!m_task.footprint)
        return PartyFailure{PartyFailure::Kind::Raised, "NotImplementedError", "no kernels without memory", "", "build", false};
    return m_task.footprint(sizes);
}

Asked<Instance> FakeReference::build(int instance, const SizeChoice& sizes, std::uint64_t)
{
    if (buildFailure)
        return *buildFailure;
    Instance made;
    made.id = instance;
    made.init = made.inputs = "{}";
    try {
        made.inputLeaves = m_task.inputsAt && !sizes.slots.empty() ? m_task.inputsAt(sizes) : m_task.inputs;
    } catch (const Raises& refusal) {
        return PartyFailure{PartyFailure::Kind::Raised, refusal.type, refusal.message, "", "build", false};
    }
    made.state = m_task.state;
    for (const auto& [name, unused] : m_conforming)
        made.conforming.push_back(name);
    return made;
}

std::optional<PartyFailure> FakeReference::setState(int, const ModuleState& values)
{
    m_process.setState(values);
    return std::nullopt;
}

Asked<std::vector<StepResult>> FakeReference::run(const Script& script)
{
    constexpr std::string_view kConforming = "conforming:";
    const bool other = script.precision.starts_with(kConforming);
    return m_process.run(script, other ? m_conforming.at(script.precision.substr(kConforming.size())) : m_operation,
                         script.precision == "r64");
}

std::optional<PartyFailure> FakeReference::restart()
{
    m_process.restart();
    return std::nullopt;
}

Outputs<double> FakeReference::exact(const std::vector<HostTensor>& leaves, const ModuleState& state) const
{
    Arguments<double> given = argumentsOf<double>(leaves, state);
    return m_operation.exact(given);
}

Asked<std::vector<HostTensor>> FakeReference::condition(int, const StimulusPtr& stimulus, int draws, double unit,
                                                        std::uint64_t seed)
{
    try {
        const Outputs<double> still = exact(stimulus->leaves, m_process.state);
        std::vector<HostTensor> scales;
        std::vector<std::vector<double>> worst;
        for (const Array<double>& output : still)
            worst.emplace_back(output.values.size(), 0.0);
        for (int draw = 0; draw < draws; ++draw) {
            std::uint32_t number = 0;
            const auto shaken = [&](const HostTensor& value) {
                if (!tensor::isFloating(value.dtype()))
                    return value;
                std::vector<double> values = value.toDoubles();
                std::vector<double> signs(values.size());
                random::Stream({seed, "condition", "", std::to_string(draw), number++}).uniform(0, signs);
                for (std::size_t i = 0; i < values.size(); ++i)
                    values[i] *= 1 + (signs[i] < 0.5 ? -unit : unit);
                return HostTensor::fromDoubles(DType::Float64, value.shape(), values);
            };
            std::vector<HostTensor> leaves = stimulus->leaves;
            ModuleState state = m_process.state;
            std::ranges::transform(leaves, leaves.begin(), shaken);
            for (StateEntry& entry : state)
                entry.value = shaken(entry.value);
            const Outputs<double> moved = exact(leaves, state);
            for (std::size_t k = 0; k < worst.size(); ++k) {
                for (std::size_t i = 0; i < worst[k].size(); ++i)
                    worst[k][i] = std::max(worst[k][i], std::abs(moved[k].values[i] - still[k].values[i]) / unit);
            }
        }
        for (std::size_t k = 0; k < worst.size(); ++k)
            scales.push_back(HostTensor::fromDoubles(DType::Float64, still[k].shape, worst[k]));
        return scales;
    } catch (const Raises& what) {
        return raised(what);
    }
}

Asked<std::vector<std::int64_t>> FakeReference::extent(int, const StimulusPtr& stimulus)
{
    try {
        return countExtents(stimulus);
    } catch (const Raises& what) {
        return raised(what);
    }
}

std::vector<std::int64_t> FakeReference::countExtents(const StimulusPtr& stimulus) const
{
    const Outputs<double> still = exact(stimulus->leaves, m_process.state);
    if (m_task.extent)
        return std::vector<std::int64_t>(still.size(), *m_task.extent);
    // How many input elements the first element of every output follows.
    std::vector<std::int64_t> found(still.size(), 0);
    for (std::size_t leaf = 0; leaf < stimulus->leaves.size(); ++leaf) {
        const HostTensor& value = stimulus->leaves[leaf];
        for (std::int64_t i = 0; i < value.count() && tensor::isFloating(value.dtype()); ++i) {
            std::vector<double> values = value.toDoubles();
            values[static_cast<std::size_t>(i)] += 1e3;
            std::vector<HostTensor> leaves = stimulus->leaves;
            leaves[leaf] = HostTensor::fromDoubles(value.dtype(), value.shape(), values);
            const Outputs<double> moved = exact(leaves, m_process.state);
            for (std::size_t k = 0; k < found.size(); ++k)
                found[k] += !still[k].values.empty() && moved[k].values[0] != still[k].values[0];
        }
    }
    for (std::int64_t& extent : found)
        extent = std::max<std::int64_t>(extent, 1);
    return found;
}

FakeCandidate::FakeCandidate(Operation operation, ModuleState state)
    : m_operation(std::move(operation))
    , m_native(std::move(state))
{
}

std::optional<PartyFailure> FakeCandidate::load()
{
    return loadFailure;
}

Asked<ModuleState> FakeCandidate::build(int, const Instance&, std::uint64_t)
{
    if (buildFailure)
        return *buildFailure;
    m_process.state = m_native;
    return m_native;
}

std::optional<PartyFailure> FakeCandidate::setState(int, const ModuleState& values)
{
    m_process.setState(values);
    return std::nullopt;
}

Asked<std::vector<StepResult>> FakeCandidate::run(const Script& script)
{
    auto results = m_process.run(script, m_operation, false);
    if (results) {
        for (StepResult& result : *results) {
            for (CallRecord& call : result.calls)
                call.residency.launches = launches;
        }
    }
    return results;
}

std::optional<PartyFailure> FakeCandidate::restart()
{
    m_process.restart();
    return std::nullopt;
}

Asked<KernelEvidence> FakeCandidate::resources(int, bool)
{
    if (resourcesFailure)
        return *resourcesFailure;
    return evidence;
}

} // namespace assay::test
