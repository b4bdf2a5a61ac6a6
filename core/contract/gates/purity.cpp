// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/purity.h"

#include "core/contract/same_bits.h"
#include "core/contract/script_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::contract::gates {

namespace {

/// What one side does with storages and history, asked by one script.
struct Behaviour {
    bool answered = false;
    std::optional<PartyFailure> failure;
    bool outputsShare = false; ///< two live answers share storage, or the first changed when the second was made
    bool aliasesInput = false;
    std::vector<std::size_t> mutatedInputs;
    std::vector<std::string> mutatedState;
    std::optional<CallRecord> first;      ///< f(x1)
    std::optional<CallRecord> second;     ///< f(x2)
    std::optional<CallRecord> firstAgain; ///< f(x1) after f(x2)
    std::optional<CallRecord> refilled;   ///< f(x2) in the storage of x1
};

bool sharesWith(const CallRecord& a, const CallRecord& b)
{
    return std::ranges::any_of(a.outputs, [&](const OutputLeaf& left) {
        return left.storage >= 0 && left.value.count() > 0
            && std::ranges::any_of(b.outputs, [&](const OutputLeaf& right) { return right.storage == left.storage; });
    });
}

bool sharesWithInputs(const CallRecord& call)
{
    return std::ranges::any_of(call.outputs, [&](const OutputLeaf& leaf) {
        return leaf.storage >= 0 && leaf.value.count() > 0
            && std::ranges::find(call.inputStorages, leaf.storage) != call.inputStorages.end();
    });
}

template <typename Run>
Behaviour observe(Session& session, const ShapePtr& shape, const StimulusPtr& x1, const StimulusPtr& x2,
                  const ModuleState& stateBefore, const std::string& precision, Run ask)
{
    ScriptBuilder script(session, shape, precision);
    script.input("a", x1).input("b", x2);
    const std::size_t first = script.call("a", "y1");
    const std::size_t second = script.call("b", "y2");
    const std::size_t firstLater = script.read("y1");
    const std::size_t again = script.call("a", "y3");
    // The storages of "a" themselves from here on.
    script.input("c", x1);
    const std::size_t inPlace = script.call("c", {}, false, true, true);
    script.input("d", x1);
    script.call("d", {}, false);
    script.refill("d", x2);
    const std::size_t refilled = script.call("d", {}, false);
    const auto results = ask(script.script());
    Behaviour seen;
    if (!results) {
        seen.failure = results.failure();
        return seen;
    }
    const auto get = [&](std::size_t index) { return callOf(*results, index); };
    if (get(first) == nullptr || get(second) == nullptr || get(again) == nullptr || get(inPlace) == nullptr
        || get(refilled) == nullptr || get(firstLater) == nullptr) {
        for (const StepResult& result : *results) {
            if (result.failure && !seen.failure)
                seen.failure = result.failure;
        }
        return seen;
    }
    seen.answered = true;
    seen.first = *get(first);
    seen.second = *get(second);
    seen.firstAgain = *get(again);
    seen.refilled = *get(refilled);
    seen.outputsShare = sharesWith(*get(first), *get(second)) || differenceInBits(*get(first), *get(firstLater));
    seen.aliasesInput = sharesWithInputs(*get(inPlace));
    const std::vector<HostTensor>& after = get(inPlace)->inputsAfter;
    for (std::size_t i = 0; i < after.size() && i < x1->leaves.size(); ++i) {
        if (differenceInBits(x1->leaves[i], after[i]))
            seen.mutatedInputs.push_back(i);
    }
    for (const StateEntry& entry : get(inPlace)->stateAfter) {
        const auto it = std::ranges::find(stateBefore, entry.name, &StateEntry::name);
        if (it != stateBefore.end() && differenceInBits(it->value, entry.value))
            seen.mutatedState.push_back(entry.name);
    }
    return seen;
}

/// Bits of the same call differ: an autotuner's other order stays within the probabilistic bound, anything else is history.
bool withinOrder(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus, const CallRecord& answer)
{
    const auto truth = session.truth(shape, stimulus);
    if (!truth)
        return false;
    const auto findings = session.compare(shape, *stimulus, **truth, answer, true);
    return std::ranges::all_of(findings, [](const OutputFinding& finding) {
        return finding.mismatch.empty() && (!finding.exact || finding.exact->different == 0)
            && (!finding.value
                || (finding.value->worstOverBound <= 1 && finding.value->minted == 0 && finding.value->swallowed == 0));
    });
}

bool isWrong(const OutputFinding& finding)
{
    return (finding.value && finding.value->beyondBound > 0) || (finding.exact && finding.exact->different > 0);
}

/// What decides between a kernel that is wrong and one that is stale, element by element: the truth under the old weights and
/// under the new ones, and the candidate's answers to both.
struct BeforeAndAfter {
    std::vector<double> oldTruth, newTruth, first, second;
};

/// Stale elements stay where they were, at an answer that was right, though the truth has moved. A kernel that is imprecise or
/// wrong in another way was off before as well.
/// @return whether most elements that missed the move are such
bool isStale(const BeforeAndAfter& seen)
{
    constexpr double kStill = 0.125; // of the truth's own move
    std::size_t missed = 0;
    std::size_t stayed = 0;
    for (std::size_t i = 0; i < seen.newTruth.size(); ++i) {
        const double move = std::abs(seen.newTruth[i] - seen.oldTruth[i]);
        if (!(move > 0) || !(std::abs(seen.second[i] - seen.newTruth[i]) > move / 2))
            continue;
        ++missed;
        const bool wasRight = std::abs(seen.first[i] - seen.oldTruth[i]) <= kStill * move;
        const bool isNearerToOld = std::abs(seen.second[i] - seen.first[i]) < std::abs(seen.second[i] - seen.newTruth[i]);
        stayed += wasRight && isNearerToOld ? 1 : 0;
    }
    return 2 * stayed > missed;
}

/// fp64 numbers of output @p leaf: the oracle's where it has any, else the reference's own.
std::vector<double> truthOf(const Truth& truth, std::size_t leaf)
{
    const HostTensor& oracle = truth.leaves[leaf].r64;
    return oracle.count() > 0 ? oracle.toDoubles() : truth.reference[leaf].value.toDoubles();
}

bool isStale(const Truth& oldTruth, const Truth& newTruth, const CallRecord& first, const CallRecord& second, std::size_t leaf)
{
    const BeforeAndAfter seen{truthOf(oldTruth, leaf), truthOf(newTruth, leaf), first.outputs[leaf].value.toDoubles(),
                              second.outputs[leaf].value.toDoubles()};
    const std::size_t count = seen.newTruth.size();
    return seen.oldTruth.size() == count && seen.first.size() == count && seen.second.size() == count && isStale(seen);
}

void checkStaleWeights(GateRun& run, const ShapePtr& shape, const StimulusPtr& stimulus, const StimulusRecord& record)
{
    Session& session = run.session();
    if (shape->reference.state.empty())
        return;
    if (!shape->alignment.isComplete()) {
        run.other("stale_weights", Verdict::NotExercised, "unaligned",
                  fmt::format("Parameter {} has no counterpart in the candidate, so that it cannot be changed on both sides.",
                              shape->alignment.unmatchedReference.front()),
                  record);
        return;
    }
    const ModuleState before = session.state(shape);
    ModuleState after = before;
    // Other values of the same kind: every floating entry reversed and scaled by 3/4, which keeps variances positive.
    for (StateEntry& entry : after) {
        if (!tensor::isFloating(entry.value.dtype())
            || !(entry.isParameter || entry.name.ends_with("running_mean") || entry.name.ends_with("running_var")))
            continue;
        std::vector<double> values = entry.value.toDoubles();
        std::ranges::reverse(values);
        for (double& value : values)
            value *= 0.75;
        entry.value = HostTensor::fromDoubles(entry.value.dtype(), entry.value.shape(), values);
    }
    const auto oldTruth = session.truth(shape, stimulus);
    session.setState(shape, after);
    const auto truth = session.truth(shape, stimulus);
    session.setState(shape, before);
    for (const auto* asked : {&oldTruth, &truth}) {
        if (!*asked) {
            run.referenceFailure("stale_weights", asked->failure(), record);
            return;
        }
    }
    bool isAnswered = false;
    for (const bool loadStateDict : {false, true}) {
        ScriptBuilder script(session, shape);
        script.input("a", stimulus);
        const std::size_t old = script.call("a");
        script.state(stateForCandidate(shape->alignment, after), loadStateDict);
        const std::size_t changed = script.call("a");
        const auto results = session.runCandidate(script.script());
        const CallRecord* answer = results ? callOf(*results, changed) : nullptr;
        const CallRecord* first = results ? callOf(*results, old) : nullptr;
        if (answer == nullptr || first == nullptr)
            continue;
        isAnswered = true;
        const std::string how = loadStateDict ? "load_state_dict" : "an update in place";
        const auto findings = session.compare(shape, *stimulus, **truth, *answer);
        const auto stale = std::ranges::find_if(findings, [&](const OutputFinding& finding) {
            return isWrong(finding) && isStale(**oldTruth, **truth, *first, *answer, finding.leaf);
        });
        if (stale != findings.end()) {
            run.fail("stale_weights", Severity::Hard, "stale_weights",
                     fmt::format("After {} of the weights the candidate still answers with the old ones: {:.6g} at {} where the "
                                 "new weights give {:.6g}.",
                                 how, stale->value ? stale->value->worstCandidate : stale->exact->candidate,
                                 placeText(stale->value ? stale->value->worstPosition : stale->exact->worstPosition,
                                           (*truth)->reference[stale->leaf].value.shape()),
                                 stale->value ? stale->value->worstReference : stale->exact->reference),
                     record, "error over bound", stale->value ? stale->value->worstOverBound : 0, 1);
            return;
        }
    }
    if (isAnswered)
        run.pass("stale_weights", record);
    else
        run.other("stale_weights", Verdict::NotExercised, "no_answer",
                  "The candidate gives no answer after a change of its weights, in place or by load_state_dict.", record);
}

} // namespace

void checkPurity(GateRun& run, const ShapePtr& shape)
{
    Session& session = run.session();
    const Recipe recipe{Regime::Normal, 7, -1, Layout::Contiguous, "ORD-02", "purity"};
    Recipe other = recipe;
    other.draw = 9;
    other.regime = Regime::Lognormal;
    const StimulusPtr x1 = session.make(shape, recipe);
    const StimulusPtr x2 = session.make(shape, other);
    const StimulusRecord record = session.record(shape, recipe, *x1);
    const ModuleState referenceState = session.state(shape);
    const Behaviour reference = observe(session, shape, x1, x2, referenceState, "r32",
                                        [&](const Script& script) { return session.runReference(script); });
    if (!reference.answered) {
        if (reference.failure)
            run.referenceFailure("purity", *reference.failure, record);
        else
            run.other("purity", Verdict::Inapplicable, "reference_refuses", "The reference cannot be asked twice in a row.",
                      record);
        return;
    }
    const Behaviour candidate = observe(session, shape, x1, x2, stateForCandidate(shape->alignment, referenceState), {},
                                        [&](const Script& script) { return session.runCandidate(script); });
    if (!candidate.answered) {
        if (candidate.failure)
            run.failure("purity", *candidate.failure, Severity::Soft, record);
        else
            run.other("purity", Verdict::NotExercised, "no_answer", "A call came back without an answer.", record);
        return;
    }
    if (candidate.outputsShare && !reference.outputsShare)
        run.fail("alias_outputs", Severity::Hard, "aliasing",
                 "Two answers that are both alive share storage: the second call overwrites what the first returned.", record);
    else
        run.pass("alias_outputs", record);
    if (candidate.aliasesInput && !reference.aliasesInput)
        run.fail("alias_input", Severity::Hard, "aliasing", "An output shares storage with an input; the reference's does not.",
                 record);
    else
        run.pass("alias_input", record);
    std::vector<std::size_t> mutated;
    std::ranges::set_difference(candidate.mutatedInputs, reference.mutatedInputs, std::back_inserter(mutated));
    if (!mutated.empty())
        run.fail("mutation", Severity::Hard, "mutation",
                 fmt::format("The call overwrites input {}, which the reference leaves alone.", mutated.front()), record);
    else if (!candidate.mutatedState.empty() && reference.mutatedState.empty())
        run.fail(
            "mutation", Severity::Hard, "mutation",
            fmt::format("The call changes {} in eval mode, where the reference changes nothing.", candidate.mutatedState.front()),
            record);
    else
        run.pass("mutation", record);

    const bool stateful
        = differenceInBits(*reference.first, *reference.firstAgain) || differenceInBits(*reference.second, *reference.refilled);
    if (stateful) {
        session.flag(Gate::Ord02, "stateful_reference",
                     "The reference's own answers depend on history; history and weights are not judged.");
        run.other("history", Verdict::Inapplicable, "stateful_reference", "The reference's own answers depend on history.",
                  record);
        return;
    }
    const auto judgeSame = [&](std::string_view code, const CallRecord& want, const CallRecord& got, const StimulusPtr& stimulus,
                               const std::string& sentence) {
        const BitDifference difference = differenceInBits(want, got);
        if (!difference) {
            run.pass(code, record);
            return;
        }
        if (withinOrder(session, shape, stimulus, got)) {
            session.flag(Gate::Ord02, "autotune_variance",
                         "Bits differ between calls within the bound of another summation order.");
            run.pass(code, record);
            return;
        }
        run.fail(code, Severity::Hard, "history",
                 fmt::format("{}: {:.9g} became {:.9g}, {} elements differ.", sentence, difference.first, difference.second,
                             difference.elements),
                 record, "elements", static_cast<double>(difference.elements), 0);
    };
    judgeSame("history", *candidate.first, *candidate.firstAgain, x1,
              "The same input gives another answer after a call with other data");
    judgeSame("refill", *candidate.second, *candidate.refilled, x2,
              "New values in the storage of an earlier input give another answer than in fresh storage");
    // A second input that brings the first one's answer: nothing was computed.
    if (!differenceInBits(*candidate.first, *candidate.second) && differenceInBits(*reference.first, *reference.second))
        run.fail("history", Severity::Hard, "history", "Two different inputs give the same answer: the first result is replayed.",
                 record);
    checkStaleWeights(run, shape, x1, record);
}

} // namespace assay::contract::gates
