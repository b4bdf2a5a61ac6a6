// SPDX-License-Identifier: Apache-2.0
#include "core/contract/session.h"

#include "core/contract/same_bits.h"
#include "core/contract/script_builder.h"
#include "core/contract/stimulus_hash.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace assay::contract {

namespace {

using tensor::DType;

constexpr int kConditionDraws = 8;
constexpr double kU32 = 0x1p-24;
/// Beyond this many times the native maximum a stimulus is extrapolated (prototype lesson 4).
constexpr double kExtrapolation = 16;
/// A task whose own call holds more is judged at smaller sizes: KernelBench's inputs are gigabytes (gates.md section 10).
constexpr std::int64_t kOwnElements = std::int64_t{1} << 20;
/// Sizes of parameters change only where a call would hold more than this otherwise: kernels may be built for one model.
constexpr std::int64_t kModelElements = std::int64_t{1} << 25;
/// Values are judged at sizes with this much at most, and with reductions over at most kWorkingExtent elements.
constexpr SizePlanner::Limit kWorking{std::int64_t{1} << 17, std::int64_t{1} << 18};
constexpr std::int64_t kWorkingExtent = std::int64_t{1} << 14;
/// Per element: inputs on both sides, outputs, fp64 oracle, condition scale and half a dozen evaluations.
constexpr std::int64_t kBytesPerElement = 64;
/// Truths kept for gates that ask about the same stimulus again.
constexpr std::size_t kTruthsKept = 64;

/// Memory is the machine's and whoever else uses it: its lack says nothing about either side.
bool isLackOfMemory(const PartyFailure& failure)
{
    return failure.kind == PartyFailure::Kind::OutOfMemory;
}

/// The reference answered as shipped: that its evaluation in fp64 fails is our lack, never a task that cannot be asked.
PartyFailure withoutOracle(PartyFailure failure)
{
    if (failure.kind == PartyFailure::Kind::Raised)
        failure.kind = PartyFailure::Kind::Missing;
    return failure;
}

std::string key(const SizeChoice& sizes, DType castTo)
{
    std::string text(tensor::name(castTo));
    for (const auto& [slot, value] : sizes.slots)
        text += fmt::format(",{}={}", slot, value);
    for (const auto& [use, value] : sizes.singleUses)
        text += fmt::format(",{}.{}={}", use.first, use.second, value);
    return text;
}

double largestFinite(DType dtype)
{
    switch (dtype) {
    case DType::Float64:
        return std::numeric_limits<double>::max();
    case DType::Float16:
        return 65504;
    case DType::BFloat16:
        return 0x1.FEp127;
    case DType::Float8E4M3:
        return 448;
    case DType::Float8E5M2:
        return 57344;
    default:
        return std::numeric_limits<float>::max();
    }
}

/// The call that a script ends with.
Asked<CallRecord> lastCall(Asked<std::vector<StepResult>> results)
{
    if (!results)
        return results.failure();
    StepResult& last = results->back();
    if (last.failure)
        return *last.failure;
    return std::move(last.calls.front());
}

/// Over the finite values; 0 where there is none.
double rootMeanSquare(const std::vector<double>& values)
{
    double squares = 0;
    std::size_t finite = 0;
    for (const double value : values) {
        if (!std::isfinite(value))
            continue;
        squares += value * value;
        ++finite;
    }
    return finite > 0 ? std::sqrt(squares / static_cast<double>(finite)) : 0;
}

/// The scale of complex elements for their real and imaginary parts.
HostTensor inPairs(const HostTensor& scale)
{
    const std::vector<double> values = scale.toDoubles();
    std::vector<double> pairs;
    for (const double value : values)
        pairs.insert(pairs.end(), {value, value});
    std::vector<std::int64_t> shape = scale.shape();
    shape.push_back(2);
    return HostTensor::fromDoubles(DType::Float64, shape, pairs);
}

/// A dictionary may be filled in any order: leaves of the same names come in the reference's.
void inOrderOf(const std::vector<std::string>& paths, std::vector<OutputLeaf>& outputs)
{
    if (outputs.size() != paths.size())
        return;
    std::vector<OutputLeaf> ordered;
    for (const std::string& path : paths) {
        const auto it = std::ranges::find(outputs, path, &OutputLeaf::path);
        if (it == outputs.end())
            return;
        ordered.push_back(*it);
    }
    outputs = std::move(ordered);
}

/// Unit roundoff of the coarsest dtype among the task's own floating inputs: a kernel made for it owes no finer result.
double nativeRoundoff(const Shape& shape)
{
    double coarsest = 0;
    for (const HostTensor& leaf : shape.reference.inputLeaves) {
        if (tensor::isFloating(leaf.dtype()))
            coarsest = std::max(coarsest, tensor::unitRoundoff(leaf.dtype()));
    }
    return coarsest;
}

/// A Python number crosses as fp64 and was computed in the inputs' own precision.
DType widestInput(const Shape& shape)
{
    DType widest = DType::Float16;
    bool any = false;
    for (const InputSpec& spec : shape.inputs) {
        if (spec.isFloating && (!any || tensor::sizeOf(spec.dtype) > tensor::sizeOf(widest))) {
            widest = spec.dtype;
            any = true;
        }
    }
    return any ? widest : DType::Float32;
}

/// Values that differ from the native ones in every element yet keep their kind: gains stay near one, variances positive.
HostTensor redrawn(const StateEntry& entry, const random::Stream& stream)
{
    std::vector<double> values = entry.value.toDoubles();
    if (values.empty())
        return entry.value;
    const bool constant = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
    std::vector<double> random(values.size());
    if (constant) {
        stream.uniform(0, random);
        const double width = 0.25 * std::max(std::abs(values.front()), 1.0);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] += width * (2 * random[i] - 1);
    } else {
        const double rms = rootMeanSquare(values);
        stream.normal(0, random);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = rms * random[i];
    }
    return HostTensor::fromDoubles(entry.value.dtype(), entry.value.shape(), values);
}

bool isStatistic(const std::string& name)
{
    return name.ends_with("running_mean") || name.ends_with("running_var");
}

HostTensor rounded(const HostTensor& value, DType dtype)
{
    return HostTensor::fromDoubles(value.dtype(), value.shape(),
                                   HostTensor::fromDoubles(dtype, value.shape(), value.toDoubles()).toDoubles());
}

} // namespace

std::string describeFailure(const PartyFailure& failure)
{
    switch (failure.kind) {
    case PartyFailure::Kind::Died:
        return "dies: " + failure.oneLine();
    case PartyFailure::Kind::TimedOut:
        return "gives no answer: " + failure.oneLine();
    case PartyFailure::Kind::Nonsense:
        return "answers with nonsense: " + failure.oneLine();
    case PartyFailure::Kind::OutOfMemory:
        return "runs out of memory: " + failure.oneLine();
    case PartyFailure::Kind::NoEntry:
        return "has no class of the name asked for: " + failure.oneLine();
    case PartyFailure::Kind::UnsupportedValue:
        return "returns a value that cannot be compared: " + failure.oneLine();
    case PartyFailure::Kind::Missing:
    case PartyFailure::Kind::Raised:
        break;
    }
    return "raises " + failure.oneLine();
}

Session::Session(ReferenceParty& reference, CandidateParty& candidate, const Contract& contract, const JudgeOptions& options)
    : m_reference(reference)
    , m_candidate(candidate)
    , m_contract(contract)
    , m_options(options)
    , m_stimuli(options.seed, options.kernelIdentity)
    , m_started(now())
{
}

std::optional<Session::Stop> Session::open()
{
    const auto slots = m_reference.load();
    if (!slots)
        return Stop{Verdict::Inapplicable, "the reference " + describeFailure(slots.failure())};
    m_slots = m_ownSlots = *slots;
    if (const auto failure = m_candidate.load())
        return Stop{failure->isGone() ? Verdict::Crash : Verdict::Fail,
                    "the candidate cannot be loaded: it " + describeFailure(*failure)};
    // Tensors without memory let some sizes pass that the reference then refuses.
    if (!rebind(SizePlanner::First::Batch) && !rebind(SizePlanner::First::Largest)) {
        forgetRebinding();
        const auto own = m_reference.footprint({}, m_options.seed);
        if (own && own->held() > m_contract.memoryBudget / kBytesPerElement)
            return Stop{
                Verdict::Error,
                fmt::format("a call with the task's own inputs holds {:.3g} elements, more than the memory budget, and no "
                            "smaller sizes are known that the reference takes",
                            static_cast<double>(own->held()))};
    }
    m_native = shape({});
    if (m_native->referenceFailure)
        return Stop{isLackOfMemory(*m_native->referenceFailure) ? Verdict::Error : Verdict::Inapplicable,
                    "the reference cannot be constructed: it " + describeFailure(*m_native->referenceFailure)};
    if (m_native->candidateFailure)
        return refusesRebound({isLackOfMemory(*m_native->candidateFailure) ? Verdict::Error : Verdict::Fail,
                               "the candidate cannot be constructed: it " + describeFailure(*m_native->candidateFailure)});
    const StimulusPtr own = make(m_native, {Regime::Native, 0, -1, Layout::Contiguous, "open", "native"});
    const auto first = askReference(m_native, own);
    if (!first)
        return Stop{isLackOfMemory(first.failure()) ? Verdict::Error : Verdict::Inapplicable,
                    "the reference itself " + describeFailure(first.failure())};
    if (!m_rebound.empty())
        flag(Gate::Cmp01, "rebound", m_rebound);
    for (const OutputLeaf& leaf : first->outputs) {
        m_outputPaths.push_back(leaf.path);
        if (tensor::isFloating(leaf.value.dtype()))
            m_nativeScales[leaf.path] = rootMeanSquare(leaf.value.toDoubles());
    }
    const auto again = askReference(m_native, own);
    m_referenceIsRandom = again && differenceInBits(*first, *again);
    if (m_referenceIsRandom)
        flag(Gate::Ord02, "random_reference",
             "The reference answers differently when asked twice: repeats and values say little about the candidate.");
    m_allowsTf32 = m_contract.tf32 == Contract::Tf32::Allow
        || (m_contract.tf32 == Contract::Tf32::AsReference && !m_referenceIsRandom && shippedUsesTf32(own, *first));
    const auto answer = askCandidate(m_native, own);
    if (!answer) {
        Stop stop;
        stop.verdict = answer.failure().kind == PartyFailure::Kind::TimedOut ? Verdict::Timeout
            : answer.failure().isGone()                                      ? Verdict::Crash
            : isLackOfMemory(answer.failure())                               ? Verdict::Error
                                                                             : Verdict::Fail;
        stop.reason = "the candidate " + describeFailure(answer.failure()) + " on the task's own inputs";
        stop.leftDevice = answer.failure().kind == PartyFailure::Kind::UnsupportedValue
            && answer.failure().message.find(" device ") != std::string::npos;
        return refusesRebound(stop);
    }
    m_working = chooseWorking();
    checkIgnoredState();
    return std::nullopt;
}

/// Convolutions of torch may use TF32 unless told otherwise, matrix products may not: whether this reference does is seen in its
/// answer beside the one with TF32 off. @param pinned  that answer
bool Session::shippedUsesTf32(const StimulusPtr& own, const CallRecord& pinned)
{
    if (!onGpu())
        return false;
    const auto shipped = askReference(m_native, own, "r32n");
    if (!shipped || !differenceInBits(pinned, *shipped))
        return false;
    const auto right = truth(m_native, own);
    if (!right)
        return false;
    const std::vector<OutputFinding> findings = compare(m_native, *own, **right, *shipped);
    const bool rounds = std::ranges::any_of(findings, [](const OutputFinding& finding) {
        return finding.value && (finding.value->boundBroken() || finding.value->noisy > 0);
    });
    if (rounds)
        flag(Gate::Prc02, "tf32_as_reference",
             "The reference as shipped rounds the operands of its products to TF32 on this device: the candidate may as well.");
    return rounds;
}

/// Where a call with the task's own sizes is too large, makes smaller ones its own.
/// @return whether that was so and the reference answers at the smaller sizes
bool Session::rebind(SizePlanner::First first)
{
    forgetRebinding();
    const auto own = m_reference.footprint({}, m_options.seed);
    if (!own || isWithin(*own, {kOwnElements, kOwnElements}))
        return false;
    SizePlanner planner(m_reference, m_slots, m_options.seed);
    SizeChoice chosen = planner.within({}, {kOwnElements, kOwnElements}, first, false);
    const auto near = m_reference.footprint(chosen, m_options.seed);
    if (!near || !isWithin(*near, {kModelElements, kModelElements}))
        chosen = planner.within(chosen, {kOwnElements, kOwnElements}, first, true);
    std::vector<std::string> changes;
    for (SizeSlot& slot : m_slots) {
        const std::int64_t size = chosen.slots[slot.id];
        if (size == slot.native)
            continue;
        changes.push_back(fmt::format("{} from {} to {}", slot.describes, slot.native, size));
        m_reboundModel = m_reboundModel || slot.inParameters;
        slot.native = size;
    }
    if (changes.empty())
        return false;
    m_reboundSizes = std::move(chosen);
    m_rebound = fmt::format("The task's own call holds {:.3g} elements: it is judged with {}.", static_cast<double>(own->held()),
                            fmt::join(changes, ", "));
    const ShapePtr made = shape({});
    if (made->referenceFailure)
        return isLackOfMemory(*made->referenceFailure);
    const auto answer = askReference(made, make(made, {Regime::Native, 0, -1, Layout::Contiguous, "open", "native"}));
    return answer || isLackOfMemory(answer.failure());
}

void Session::forgetRebinding()
{
    m_slots = m_ownSlots;
    m_reboundSizes = {};
    m_rebound.clear();
    m_reboundModel = false;
}

/// What a candidate refuses at sizes that are not the task's own is no failure on the task's inputs: a reference that takes them
/// makes it a matter of shapes, and a model of another size is one that a kernel need not be built for.
Session::Stop Session::refusesRebound(const Stop& stop) const
{
    if (m_rebound.empty())
        return stop;
    Stop told = stop;
    told.reason += ". " + m_rebound;
    if (stop.verdict == Verdict::Error)
        return told;
    if (m_reboundModel)
        told.verdict = Verdict::Error;
    else if (stop.verdict == Verdict::Fail && !stop.leftDevice) {
        told.gate = Gate::Cmp03;
        told.severity = Severity::Soft;
    }
    return told;
}

SizeChoice Session::completed(SizeChoice sizes) const
{
    for (const auto& [slot, size] : m_reboundSizes.slots)
        sizes.slots.try_emplace(slot, size);
    return sizes;
}

ShapePtr Session::shape(const SizeChoice& asked, DType castTo)
{
    const SizeChoice sizes = completed(asked);
    const std::string name = key(sizes, castTo);
    if (const auto it = m_shapes.find(name); it != m_shapes.end())
        return it->second;
    checkCancelled();
    auto made = std::make_shared<Shape>();
    made->sizes = sizes;
    made->castTo = castTo;
    const int instance = m_nextInstance++;
    auto reference = m_reference.build(instance, sizes, m_options.seed);
    if (!reference) {
        made->referenceFailure = reference.failure();
        if (made->referenceFailure->isGone())
            m_reference.restart();
        return m_shapes[name] = made;
    }
    made->reference = *reference;
    made->reference.id = instance;
    made->inputs = describe(made->reference.inputLeaves);
    for (InputSpec& spec : made->inputs) {
        if (made->isCast() && spec.isFloating)
            spec.dtype = castTo;
    }
    auto candidate = m_candidate.build(instance, made->reference, m_options.seed);
    if (!candidate) {
        made->candidateFailure = candidate.failure();
        if (made->candidateFailure->isGone())
            m_candidate.restart();
        return m_shapes[name] = made;
    }
    made->alignment = align(made->reference.state, *candidate);
    m_shapes[name] = made;
    if (m_ignoresState || !made->alignment.isComplete()) {
        ModuleState values = made->reference.state;
        if (made->isCast()) {
            for (StateEntry& entry : values) {
                if (tensor::isFloating(entry.value.dtype()))
                    entry.value = rounded(entry.value, castTo);
            }
        }
        setState(made, values);
    } else {
        redrawState(made);
    }
    return made;
}

void Session::redrawState(const ShapePtr& shape)
{
    ModuleState values = shape->reference.state;
    std::uint32_t index = 0;
    for (StateEntry& entry : values) {
        const random::Stream stream({m_options.seed, m_options.kernelIdentity, "state", entry.name, index++});
        if (!tensor::isFloating(entry.value.dtype()))
            continue;
        if (entry.isParameter || isStatistic(entry.name))
            entry.value = redrawn(entry, stream);
        if (shape->isCast())
            entry.value = rounded(entry.value, shape->castTo);
    }
    setState(shape, values);
}

const ModuleState& Session::state(const ShapePtr& shape) const
{
    return m_states.at(shape->id());
}

bool Session::setState(const ShapePtr& shape, const ModuleState& values)
{
    m_truths.clear();
    m_states[shape->id()] = values;
    if (values.empty())
        return true;
    const ModuleState mine = stateForCandidate(shape->alignment, values);
    return !m_reference.setState(shape->id(), values) && (mine.empty() || !m_candidate.setState(shape->id(), mine));
}

void Session::checkIgnoredState()
{
    // The native state was never shown: a candidate that is right with it and wrong with another one snapshots its weights.
    if (m_working->reference.state.empty() || !m_working->alignment.isComplete())
        return;
    const auto right = [this] {
        const StimulusPtr own = make(m_working, {Regime::Native, 0, -1, Layout::Contiguous, "open", "state"});
        const auto known = truth(m_working, own);
        const auto answer = askCandidate(m_working, own);
        if (!known || !answer)
            return false;
        return std::ranges::all_of(compare(m_working, *own, **known, *answer), [](const OutputFinding& finding) {
            return finding.mismatch.empty() && (!finding.value || finding.value->beyondBound == 0)
                && (!finding.exact || finding.exact->different == 0);
        });
    };
    if (right())
        return;
    const ModuleState drawn = state(m_working);
    setState(m_working, m_working->reference.state);
    m_ignoresState = right();
    if (!m_ignoresState) {
        setState(m_working, drawn);
        return;
    }
    m_shapes.clear();
    m_shapes[key(m_working->sizes, m_working->castTo)] = m_working;
    setState(m_native, m_native->reference.state);
    m_shapes[key(m_native->sizes, m_native->castTo)] = m_native;
}

StimulusPtr Session::make(const ShapePtr& shape, Recipe recipe)
{
    std::vector<HostTensor> native = shape->reference.inputLeaves;
    if (shape->isCast()) {
        for (HostTensor& leaf : native) {
            if (tensor::isFloating(leaf.dtype()))
                leaf = HostTensor::fromDoubles(shape->castTo, leaf.shape(), leaf.toDoubles());
        }
    }
    return m_stimuli.make(recipe, shape->inputs, native);
}

StimulusRecord Session::record(const ShapePtr& shape, const Recipe& recipe, const Stimulus& stimulus) const
{
    StimulusRecord record;
    record.label = stimulus.label;
    record.recipe = recipeText(recipe, shape->inputs);
    record.sha256 = stimulusHash(stimulus);
    record.runSeed = m_options.seed;
    auto call = std::make_shared<CallSetup>();
    call->init = shape->reference.init;
    call->arguments = shape->reference.inputs;
    call->initLeaves = shape->reference.initLeaves;
    call->inputs = stimulus.leaves;
    call->sizes = shape->sizes;
    call->isUneven = stimulus.isUneven;
    if (const auto it = m_states.find(shape->id()); it != m_states.end()) {
        call->referenceState = it->second;
        call->candidateState = stateForCandidate(shape->alignment, it->second);
    }
    if (shape->isCast())
        call->cast = tensor::name(shape->castTo);
    record.call = std::move(call);
    return record;
}

Asked<CallRecord> Session::askReference(const ShapePtr& shape, const StimulusPtr& stimulus, const std::string& precision)
{
    // In a dtype of the shape's own the reference runs as the candidate does.
    ScriptBuilder script(*this, shape, precision == "r32" && shape->isCast() ? std::string() : precision);
    script.input("a", stimulus).call("a");
    return lastCall(runReference(script.script()));
}

Asked<CallRecord> Session::askCandidate(const ShapePtr& shape, const StimulusPtr& stimulus, Step::Memory memory)
{
    ScriptBuilder script(*this, shape);
    // A guarded input lies between its bands itself; a clone would not.
    script.input("a", stimulus, memory).call("a", {}, memory != Step::Memory::Guarded);
    return lastCall(runCandidate(script.script()));
}

Asked<std::vector<StepResult>> Session::runCandidate(Script script)
{
    checkCancelled();
    auto results = m_candidate.run(script);
    if (results) {
        for (StepResult& result : *results) {
            for (CallRecord& call : result.calls) {
                m_candidatePaths.clear();
                for (const OutputLeaf& leaf : call.outputs)
                    m_candidatePaths.push_back(leaf.path);
                inOrderOf(m_outputPaths, call.outputs);
            }
        }
    }
    if (!results && results.failure().isGone())
        m_candidate.restart();
    else if (results && results->size() != script.steps.size())
        return PartyFailure{
            PartyFailure::Kind::Nonsense, "", "the candidate's process answered another number of steps", "", "call", true};
    else if (results && !results->empty() && !results->back().failure && script.steps.back().action == Step::Do::Call
             && results->back().calls.empty())
        return PartyFailure{
            PartyFailure::Kind::Nonsense, "", "the candidate's process reported a call without outputs", "", "call", true};
    return results;
}

StimulusPtr Session::inCandidateOrder(const StimulusPtr& perOutput)
{
    if (m_candidatePaths == m_outputPaths || m_candidatePaths.size() != perOutput->leaves.size())
        return perOutput;
    std::vector<HostTensor> leaves;
    for (const std::string& path : m_candidatePaths) {
        const auto it = std::ranges::find(m_outputPaths, path);
        if (it == m_outputPaths.end())
            return perOutput;
        leaves.push_back(perOutput->leaves[static_cast<std::size_t>(it - m_outputPaths.begin())]);
    }
    return m_stimuli.wrap(std::move(leaves), perOutput->label);
}

Asked<std::vector<StepResult>> Session::runReference(Script script)
{
    checkCancelled();
    auto results = m_reference.run(script);
    if (!results && results.failure().isGone())
        m_reference.restart();
    else if (results && results->size() != script.steps.size())
        return PartyFailure{
            PartyFailure::Kind::Nonsense, "", "the reference's process answered another number of steps", "", "call", true};
    else if (results && !results->empty() && !results->back().failure && script.steps.back().action == Step::Do::Call
             && results->back().calls.empty())
        return PartyFailure{
            PartyFailure::Kind::Nonsense, "", "the reference's process reported a call without outputs", "", "call", true};
    return results;
}

Asked<TruthPtr> Session::truth(const ShapePtr& shape, const StimulusPtr& stimulus)
{
    const std::pair<int, std::uint64_t> at{shape->id(), stimulus->id};
    if (const auto it = m_truths.find(at); it != m_truths.end())
        return it->second;
    auto made = makeTruth(shape, stimulus);
    if (made) {
        // Stimulus numbers rise, so the first entries are the oldest of the oldest shapes.
        if (m_truths.size() >= kTruthsKept)
            m_truths.erase(m_truths.begin());
        m_truths.emplace(at, *made);
    }
    return made;
}

Asked<TruthPtr> Session::makeTruth(const ShapePtr& shape, const StimulusPtr& stimulus)
{
    auto shipped = askReference(shape, stimulus);
    if (!shipped)
        return shipped.failure();
    auto exact = askReference(shape, stimulus, "r64");
    if (!exact)
        return withoutOracle(exact.failure());
    auto scale = m_reference.condition(shape->id(), stimulus, kConditionDraws, kU32, m_options.seed);
    if (!scale)
        return withoutOracle(scale.failure());
    auto truth = std::make_shared<Truth>();
    truth->reference = shipped->outputs;
    truth->structure = shipped->structure;
    std::vector<std::int64_t>& extents = m_extents[shape->id()];
    if (extents.size() != shipped->outputs.size()) {
        const auto asked = m_reference.extent(shape->id(), stimulus);
        if (!asked)
            m_extentFailures.insert_or_assign(shape->id(), asked.failure());
        extents
            = asked && asked->size() == shipped->outputs.size() ? *asked : std::vector<std::int64_t>(shipped->outputs.size(), 1);
    }
    std::vector<CallRecord> conforming;
    if (!shape->isCast()) {
        for (const std::string& name : shape->reference.conforming) {
            auto evaluation = askReference(shape, stimulus, "conforming:" + name);
            if (evaluation && evaluation->outputs.size() == shipped->outputs.size())
                conforming.push_back(std::move(*evaluation));
        }
    }
    const auto fits = [](const HostTensor& a, const HostTensor& b) { return a.shape() == b.shape(); };
    for (std::size_t i = 0; i < scale->size() && i < shipped->outputs.size(); ++i) {
        if (shipped->outputs[i].isComplex)
            (*scale)[i] = inPairs((*scale)[i]);
    }
    for (std::size_t i = 0; i < shipped->outputs.size(); ++i) {
        const OutputLeaf& leaf = shipped->outputs[i];
        LeafTruth right;
        std::optional<HostTensor> firm;
        bool agree = true;
        const bool known = i < exact->outputs.size() && i < scale->size() && fits(exact->outputs[i].value, leaf.value)
            && fits((*scale)[i], leaf.value);
        if (tensor::isFloating(leaf.value.dtype())) {
            right.r64 = known ? exact->outputs[i].value : leaf.value;
            truth->oracleIsFp32 = truth->oracleIsFp32 || !known || right.r64.dtype() != DType::Float64;
            right.scale = known ? (*scale)[i] : HostTensor(DType::Float64, leaf.value.shape());
            right.extent = std::max<std::int64_t>(extents[i], 1);
            right.conforming.push_back(leaf.value);
            for (const CallRecord& evaluation : conforming) {
                if (fits(evaluation.outputs[i].value, leaf.value))
                    right.conforming.push_back(evaluation.outputs[i].value);
            }
        } else if (known) {
            std::vector<double> isFirm = (*scale)[i].toDoubles();
            for (double& value : isFirm)
                value = value == 0 ? 1 : 0;
            firm = HostTensor::fromDoubles(DType::Bool, leaf.value.shape(), isFirm);
            for (const CallRecord& evaluation : conforming)
                agree = agree && fits(evaluation.outputs[i].value, leaf.value)
                    && judgeExact(leaf.value, evaluation.outputs[i].value, {}).different == 0;
        }
        truth->leaves.push_back(std::move(right));
        truth->firm.push_back(std::move(firm));
        truth->conformingAgree.push_back(agree);
    }
    return TruthPtr(truth);
}

std::int64_t Session::largestExtent(const ShapePtr& shape)
{
    std::vector<std::int64_t>& extents = m_extents[shape->id()];
    if (extents.empty()) {
        const auto asked
            = m_reference.extent(shape->id(), make(shape, {Regime::Native, 0, -1, Layout::Contiguous, "open", "extent"}));
        if (asked)
            extents = *asked;
        else
            m_extentFailures.insert_or_assign(shape->id(), asked.failure());
    }
    return extents.empty() ? 1 : std::max<std::int64_t>(1, *std::ranges::max_element(extents));
}

std::optional<PartyFailure> Session::extentFailure(const ShapePtr& shape) const
{
    const auto it = m_extentFailures.find(shape->id());
    return it == m_extentFailures.end() ? std::nullopt : std::optional(it->second);
}

ValueRules Session::rules(const ShapePtr& shape, const Stimulus& stimulus, const OutputLeaf& referenceLeaf) const
{
    ValueRules rules;
    const DType out = referenceLeaf.isPython ? widestInput(*shape) : referenceLeaf.value.dtype();
    rules.outputRoundoff = tensor::unitRoundoff(out);
    rules.outputSmallestNormal = tensor::smallestNormal(out);
    rules.outputLargest = largestFinite(out);
    rules.halfRange = out == DType::Float16;
    rules.inputLargest = largestInput(stimulus);
    rules.normWise = stimulus.isUneven;
    if (const auto it = m_nativeScales.find(referenceLeaf.path); it != m_nativeScales.end())
        rules.nativeScale = it->second;
    double native = 0;
    for (const InputSpec& spec : shape->inputs)
        native = std::max(native, spec.isFloating ? spec.largest : 0);
    rules.extrapolated = native > 0 && rules.inputLargest > kExtrapolation * native;
    if (out == DType::Float64)
        rules.accumulatorRoundoff = 0x1p-53;
    if (m_allowsTf32 && out == DType::Float32)
        rules.operandRoundoff = 0x1p-11;
    bool batched = !referenceLeaf.value.shape().empty();
    for (const InputSpec& spec : shape->inputs)
        batched
            = batched && (!spec.isFloating || spec.shape.size() < 2 || spec.shape.front() == referenceLeaf.value.shape().front());
    rules.batchExtent = batched ? referenceLeaf.value.shape().front() : 0;
    if (shape->isCast() && !shape->reference.widens) {
        // A dtype that the task was not written for: intermediate roundings are the reference's own too.
        rules.accumulatorRoundoff = std::max(tensor::unitRoundoff(shape->castTo), nativeRoundoff(*shape));
        rules.outputRoundoff = std::max(rules.outputRoundoff, nativeRoundoff(*shape));
        rules.boundFactor = 16;
        rules.judgeNoiseRatio = false;
    }
    return rules;
}

std::vector<OutputFinding> Session::compare(const ShapePtr& shape, const Stimulus& stimulus, const Truth& truth,
                                            const CallRecord& answer, bool probabilistic) const
{
    if (answer.outputs.size() != truth.reference.size()) {
        OutputFinding finding;
        finding.mismatch
            = fmt::format("returns {} tensors where the reference returns {}", answer.outputs.size(), truth.reference.size());
        return {finding};
    }
    std::vector<OutputFinding> findings;
    for (std::size_t i = 0; i < truth.reference.size(); ++i) {
        const OutputLeaf& want = truth.reference[i];
        const OutputLeaf& got = answer.outputs[i];
        OutputFinding finding;
        finding.path = want.path;
        finding.leaf = i;
        const std::string where = want.path.empty() ? "" : fmt::format(" as output {}", want.path);
        if (want.isNone || got.isNone) {
            if (want.isNone != got.isNone)
                finding.mismatch = fmt::format("returns {}{} where the reference returns {}", got.isNone ? "None" : "a tensor",
                                               where, want.isNone ? "None" : "a tensor");
        } else if (want.value.shape() != got.value.shape() || want.path != got.path) {
            finding.mismatch = fmt::format("returns shape [{}]{} where the reference returns [{}]",
                                           fmt::join(got.value.shape(), ", "), where, fmt::join(want.value.shape(), ", "));
        } else {
            if (want.value.dtype() != got.value.dtype() && !(want.isPython || got.isPython))
                finding.dtypeDiffers = fmt::format("returns {}{} where the reference returns {}", tensor::name(got.value.dtype()),
                                                   where, tensor::name(want.value.dtype()));
            if (tensor::isFloating(want.value.dtype())) {
                ValueRules bound = rules(shape, stimulus, want);
                bound.probabilistic = probabilistic;
                finding.value = judgeFloat(truth.leaves[i], got.value, bound);
            } else {
                // Exact ties are decided by the reference's rule wherever every conforming evaluation decides alike; a sorting
                // reference promises no order among equals.
                const bool all = truth.conformingAgree[i] && !shape->reference.sorts;
                finding.exact = judgeExact(want.value, got.value, all ? std::nullopt : truth.firm[i]);
            }
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

/// Sizes that a call's footprint allows, built once instead of at every halving on the way; the native ones where those do or
/// where nothing is known before building.
ShapePtr Session::plannedWorking()
{
    SizePlanner planner(m_reference, m_slots, m_options.seed);
    const SizeChoice chosen = planner.within(m_native->sizes, kWorking, SizePlanner::First::Largest, true);
    const bool changed = std::ranges::any_of(m_slots, [&](const SizeSlot& slot) {
        const auto it = chosen.slots.find(slot.id);
        return it != chosen.slots.end() && it->second != slot.native;
    });
    if (!changed)
        return m_native;
    const ShapePtr tried = shape(chosen);
    const bool works
        = tried->isReady() && askReference(tried, make(tried, {Regime::Native, 0, -1, Layout::Contiguous, "open", "working"}));
    return works ? tried : m_native;
}

ShapePtr Session::chooseWorking()
{
    const auto elements = [](const Shape& shape) {
        std::int64_t sum = 0;
        for (const InputSpec& spec : shape.inputs)
            sum += spec.count();
        for (const StateEntry& entry : shape.reference.state)
            sum += entry.value.count();
        return sum;
    };
    ShapePtr best = plannedWorking();
    std::set<int> frozen;
    SizeChoice sizes = best->sizes;
    for (const SizeSlot& slot : m_slots)
        sizes.slots.try_emplace(slot.id, slot.native);
    // Halving keeps the divisibility that blocked code relies on; slots of parameters come last, because they change the model.
    for (int attempt = 0; attempt < 48 && (elements(*best) > kWorking.given || largestExtent(best) > kWorkingExtent); ++attempt) {
        const SizeSlot* chosen = nullptr;
        for (const SizeSlot& slot : m_slots) {
            if (frozen.contains(slot.id) || sizes.slots[slot.id] < 16)
                continue;
            const auto rank = [&](const SizeSlot& s) { return std::pair(!s.inParameters, sizes.slots[s.id]); };
            if (chosen == nullptr || rank(slot) > rank(*chosen))
                chosen = &slot;
        }
        if (chosen == nullptr)
            break;
        SizeChoice smaller = sizes;
        smaller.slots[chosen->id] /= 2;
        const ShapePtr tried = shape(smaller);
        const bool works = tried->isReady()
            && askReference(tried, make(tried, {Regime::Native, 0, -1, Layout::Contiguous, "open", "working"}));
        if (works) {
            sizes = smaller;
            best = tried;
        } else {
            frozen.insert(chosen->id);
        }
    }
    return best;
}

bool Session::withinBudget() const
{
    return secondsSpent() < m_contract.cpuBudgetSeconds;
}

bool Session::withinGrace() const
{
    return secondsSpent() < 2 * m_contract.cpuBudgetSeconds;
}

double Session::now() const
{
    return m_options.clock ? m_options.clock()
                           : std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double Session::secondsSpent() const
{
    checkCancelled();
    return now() - m_started;
}

bool Session::fitsMemory(const ShapePtr& shape) const
{
    std::int64_t elements = 0;
    for (const InputSpec& spec : shape->inputs)
        elements += spec.count();
    return elements < m_contract.memoryBudget / kBytesPerElement;
}

void Session::flag(Gate gate, std::string code, std::string sentence)
{
    const bool known = std::ranges::any_of(m_flags, [&](const Flag& flag) { return flag.code == code && flag.gate == gate; });
    if (!known)
        m_flags.push_back({std::move(code), gate, std::move(sentence)});
}

void Session::checkCancelled() const
{
    if (m_options.stop.stop_requested())
        throw Cancelled{};
}

} // namespace assay::contract
