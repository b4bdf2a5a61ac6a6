// SPDX-License-Identifier: Apache-2.0
#include "core/contract/session.h"

#include "core/contract/same_bits.h"
#include "core/contract/script_builder.h"
#include "core/contract/session_parts.h"
#include "core/contract/stimulus_hash.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace assay::contract {

namespace {

using tensor::DType;

/// Per element: inputs on both sides, outputs, fp64 oracle, condition scale and half a dozen evaluations.
constexpr std::int64_t kBytesPerElement = 64;

/// The reference on the processor, an evaluation of those on a GPU.
constexpr std::string_view kHost = "conforming:host";

/// Integers that may be indices; masks are too, in a type that is not boolean.
bool mayIndex(const InputSpec& spec)
{
    return !spec.isFloating && spec.dtype != DType::Bool && spec.count() > 0;
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

/// Whether an answer could be right at all: a cheap question before the truth at large sizes is asked for.
bool isNear(const CallRecord& reference, const CallRecord& answer)
{
    constexpr double kNear = 0x1p-6;
    if (reference.outputs.size() != answer.outputs.size())
        return false;
    for (std::size_t leaf = 0; leaf < reference.outputs.size(); ++leaf) {
        const HostTensor& want = reference.outputs[leaf].value;
        const HostTensor& got = answer.outputs[leaf].value;
        if (want.shape() != got.shape())
            return false;
        if (!tensor::isFloating(want.dtype()) || !tensor::isFloating(got.dtype()))
            continue;
        const std::vector<double> r = want.toDoubles();
        const std::vector<double> c = got.toDoubles();
        double largest = 0;
        double distance = 0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            if (!std::isfinite(r[i]) || !std::isfinite(c[i]))
                continue;
            largest = std::max(largest, std::abs(r[i]));
            distance = std::max(distance, std::abs(c[i] - r[i]));
        }
        if (distance > kNear * largest)
            return false;
    }
    return true;
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

/// The compiler of kernels that the candidate imports and this machine lacks, "" where that is not what @p failure says. Any
/// other import that fails is the candidate's own fault.
std::string_view missingCompiler(const PartyFailure& failure)
{
    static constexpr std::array<std::string_view, 6> kCompilers = {"triton", "cupy", "numba", "pycuda", "cutlass", "tilelang"};
    if (failure.type != "ModuleNotFoundError")
        return {};
    const auto* const named = std::ranges::find_if(kCompilers, [&failure](std::string_view name) {
        const std::string says = fmt::format("No module named '{}", name);
        const std::size_t end = failure.message.find(says) + says.size();
        return failure.message.find(says) != std::string::npos && end < failure.message.size()
            && (failure.message[end] == '\'' || failure.message[end] == '.');
    });
    return named == kCompilers.end() ? std::string_view() : *named;
}

} // namespace

bool isLackOfMemory(const PartyFailure& failure)
{
    return failure.kind == PartyFailure::Kind::OutOfMemory;
}

PartyFailure asOracle(PartyFailure failure)
{
    if (failure.kind == PartyFailure::Kind::Raised)
        failure.kind = PartyFailure::Kind::Oracle;
    return failure;
}

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
    case PartyFailure::Kind::Oracle:
        return "cannot be evaluated in fp64: that raises " + failure.oneLine();
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
    , m_stimuli(options.seed, options.kernelIdentity, contract.domains)
    , m_started(now())
{
}

std::optional<Session::Stop> Session::open()
{
    const auto slots = m_reference.load();
    if (!slots)
        return Stop{Verdict::Inapplicable, "the reference " + describeFailure(slots.failure())};
    m_slots = m_ownSlots = *slots;
    if (const auto failure = m_candidate.load()) {
        if (const auto package = missingCompiler(*failure); !package.empty())
            return Stop{Verdict::Error, fmt::format("the candidate is written for {}, which this Python does not have", package)};
        return Stop{failure->isGone() ? Verdict::Crash : Verdict::Fail,
                    "the candidate cannot be loaded: it " + describeFailure(*failure)};
    }
    const auto whole = m_reference.footprint({}, m_options.seed);
    // Tensors without memory let some sizes pass that the reference then refuses.
    if (whole && !rebind(*whole, SizePlanner::First::Batch, false) && !rebind(*whole, SizePlanner::First::Largest, false)
        && !rebind(*whole, SizePlanner::First::Largest, true)) {
        forgetRebinding();
        if (whole->held() > m_contract.memoryBudget / kBytesPerElement)
            return Stop{
                Verdict::Error,
                fmt::format("a call with the task's own inputs holds {:.3g} elements, more than the memory budget, and no "
                            "smaller sizes are known that the reference takes",
                            static_cast<double>(whole->held()))};
    }
    m_native = shape({});
    if (m_native->referenceFailure)
        return Stop{isLackOfMemory(*m_native->referenceFailure) ? Verdict::Error : Verdict::Inapplicable,
                    "the reference cannot be constructed: it " + describeFailure(*m_native->referenceFailure)};
    if (m_native->candidateFailure)
        return refusesRebound({isLackOfMemory(*m_native->candidateFailure) ? Verdict::Error : Verdict::Fail,
                               "the candidate cannot be constructed: it " + describeFailure(*m_native->candidateFailure)});
    const StimulusPtr own = make(m_native, {Regime::Native, 0, -1, Layout::Contiguous, "open", "native"});
    m_hostAnswers = !refusedOnHost(m_native, own);
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
    m_allowsTf32
        = m_contract.tf32 == Contract::Tf32::Allow || (m_contract.tf32 == Contract::Tf32::AsReference && shippedMayUseTf32(own));
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
    settleWorking(isNear(*first, *answer));
    checkIgnoredState();
    return std::nullopt;
}

/// Whether the reference as shipped computes by operations that torch's settings in its process let round to TF32: convolutions
/// do unless told otherwise, matrix products do not. What it rounded in one answer would not tell: the library chooses anew at
/// every size, and a candidate that splits a batch has other sizes.
bool Session::shippedMayUseTf32(const StimulusPtr& own)
{
    if (!onGpu())
        return false;
    ScriptBuilder builder(*this, m_native, "r32n");
    const std::size_t call = builder.input("a", own).call("a");
    Script script = builder.script();
    script.steps[call].residency = true;
    const auto counted = lastCall(runReference(script));
    if (!counted || counted->residency.tf32Ops.empty())
        return false;
    flag(Gate::Prc02, "tf32_as_reference",
         fmt::format("The reference as shipped computes by {}, whose operands torch's settings let round to TF32 on this device: "
                     "the candidate may as well.",
                     fmt::join(counted->residency.tf32Ops, ", ")));
    return true;
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

std::optional<PartyFailure> Session::refusedOnHost(const ShapePtr& shape, const StimulusPtr& stimulus)
{
    const auto& evaluations = shape->reference.conforming;
    if (!onGpu() || !m_hostAnswers || shape->isCast() || !std::ranges::any_of(shape->inputs, mayIndex)
        || std::ranges::find(evaluations, "host") == evaluations.end())
        return std::nullopt;
    const std::pair<int, std::uint64_t> at{shape->id(), stimulus->id};
    if (const auto it = m_hostRefusals.find(at); it != m_hostRefusals.end())
        return it->second;
    ScriptBuilder script(*this, shape, std::string(kHost));
    script.input("a", stimulus).call("a");
    const auto answer = lastCall(runReference(script.script()));
    const bool refuses = !answer && answer.failure().kind == PartyFailure::Kind::Raised;
    return m_hostRefusals[at] = refuses ? std::optional(answer.failure()) : std::nullopt;
}

bool Session::refusesIndices(const ShapePtr& shape, const StimulusPtr& stimulus)
{
    if (!refusedOnHost(shape, stimulus))
        return false;
    if (std::ranges::any_of(shape->inputs, [](const InputSpec& spec) { return spec.isFloating && spec.count() == 0; }))
        return true;
    StimulusPtr zeros = stimulus;
    for (std::size_t i = 0; i < shape->inputs.size(); ++i) {
        const HostTensor& leaf = stimulus->leaves[i];
        if (mayIndex(shape->inputs[i]))
            zeros = m_stimuli.replaced(zeros, static_cast<int>(i), HostTensor(leaf.dtype(), leaf.shape()), "zeros for indices");
    }
    return !refusedOnHost(shape, zeros);
}

Asked<CallRecord> Session::askReference(const ShapePtr& shape, const StimulusPtr& stimulus, const std::string& precision)
{
    if (precision != kHost) {
        if (auto refusal = refusedOnHost(shape, stimulus))
            return *std::move(refusal);
    }
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
    const double since = now();
    auto results = m_candidate.run(script);
    addCandidateTime(since);
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
    return m_stimuli.cotangents(std::move(leaves), perOutput->label);
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
    if (results && script.precision == "r64") {
        for (StepResult& result : *results) {
            if (result.failure)
                result.failure = asOracle(*result.failure);
        }
    }
    return results;
}

bool Session::withinBudget() const
{
    return secondsSpent() < m_contract.cpuBudgetSeconds;
}

bool Session::withinGrace() const
{
    return secondsSpent() < 2 * m_contract.cpuBudgetSeconds;
}

bool Session::isCandidateSlow() const
{
    return m_contract.cpuBudgetSeconds > 0 && m_candidateSeconds > m_contract.cpuBudgetSeconds;
}

void Session::addCandidateTime(double since)
{
    const double took = now() - since;
    m_candidateSeconds += took;
    m_slowestAnswer = std::max(m_slowestAnswer, took);
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
    return shape->inputElements() < m_contract.memoryBudget / kBytesPerElement;
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
