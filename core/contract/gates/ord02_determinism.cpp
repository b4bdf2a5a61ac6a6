// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/gates/purity.h"
#include "core/contract/same_bits.h"
#include "core/contract/script_builder.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "ORD-02";
/// Autotuners settle within this many calls: the answer must come out the same four times in a row.
constexpr int kWarmUp = 16;
constexpr int kInARow = 4;
constexpr std::array kMemory = {Step::Memory::Fresh, Step::Memory::Poisoned, Step::Memory::Recycled};
static_assert((kWarmUp - 1) % kMemory.size() == 0, "an answer that never settles is held against one from fresh memory");
/// Repeats of big outputs would not fit; the working shape keeps this rare.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;

struct Repeats {
    std::vector<std::size_t> calls;
    std::vector<Step::Memory> memory;
};

Repeats askRepeats(ScriptBuilder& script, const StimulusPtr& stimulus, int times)
{
    Repeats repeats;
    for (int i = 0; i < times; ++i) {
        const Step::Memory memory = kMemory[static_cast<std::size_t>(i) % kMemory.size()];
        script.input("a", stimulus, memory);
        repeats.calls.push_back(script.call("a", {}, false));
        repeats.memory.push_back(memory);
    }
    return repeats;
}

bool isStable(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus)
{
    ScriptBuilder script(session, shape, "r32n");
    const Repeats repeats = askRepeats(script, stimulus, 6);
    const auto results = session.runReference(script.script());
    if (!results)
        return true;
    const CallRecord* first = callOf(*results, repeats.calls.front());
    for (const std::size_t index : repeats.calls) {
        const CallRecord* call = callOf(*results, index);
        if (first != nullptr && call != nullptr && differenceInBits(*first, *call))
            return false;
    }
    return true;
}

/// The answer that repeats are held against.
struct Settled {
    const CallRecord* answer = nullptr;
    std::size_t calls = 0; ///< of the warm-up, which it ends
    bool isWarm = false;   ///< it came out kInARow times in a row
};

/// The first run of equal answers; the last answer where none is. What came before may be an autotuner at work.
/// @return no answer where a call brought none, which is reported
Settled settle(GateRun& run, const std::vector<StepResult>& results, const Repeats& repeats, const StimulusRecord& record)
{
    Settled settled;
    int inARow = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(kWarmUp); ++i) {
        const CallRecord* call = callOf(results, repeats.calls[i]);
        if (call == nullptr) {
            if (const auto& failure = results[repeats.calls[i]].failure)
                run.failure("repeat", *failure, Severity::Soft, record);
            else
                run.other("repeat", Verdict::NotExercised, "no_answer", "A repeat came back without an answer.", record);
            return {};
        }
        inARow = settled.answer != nullptr && !differenceInBits(*settled.answer, *call) ? inARow + 1 : 1;
        settled = {call, i + 1, inARow == kInARow};
        if (settled.isWarm)
            return settled;
    }
    settled.calls = 0;
    return settled;
}

/// What differs from the settled answer.
struct Differing {
    std::size_t compared = 0;
    std::size_t different = 0;
    std::size_t onPoison = 0; ///< of the different: memory held something of the judge's
    std::size_t earlier = 0;  ///< of the different: before the answer settled
    BitDifference worst;

    void add(const BitDifference& difference, Step::Memory memory)
    {
        ++different;
        onPoison += memory != Step::Memory::Fresh;
        if (!worst || std::pair(difference.kinds, difference.largest) > std::pair(worst.kinds, worst.largest))
            worst = difference;
    }
};

Differing differing(const std::vector<StepResult>& results, const Repeats& repeats, const Settled& settled, int times)
{
    Differing found;
    // An autotuner changes the order of a sum, never whether it is a number. What lies in memory that nobody writes does: a
    // poisoned workspace that comes back from the allocator makes all later answers NaN, and those are equal.
    for (std::size_t i = 0; i < settled.calls; ++i) {
        const BitDifference difference = differenceInBits(*settled.answer, *callOf(results, repeats.calls[i]));
        found.compared += difference.kinds > 0;
        found.earlier += difference.kinds > 0;
        if (difference.kinds > 0)
            found.add(difference, repeats.memory[i]);
    }
    const std::size_t most = found.compared + static_cast<std::size_t>(times);
    for (std::size_t i = settled.calls; i < repeats.calls.size() && found.compared < most; ++i) {
        const CallRecord* call = callOf(results, repeats.calls[i]);
        if (call == nullptr)
            continue;
        ++found.compared;
        if (const BitDifference difference = differenceInBits(*settled.answer, *call))
            found.add(difference, repeats.memory[i]);
    }
    return found;
}

void judgeRepeats(GateRun& run, const ShapePtr& shape, const Recipe& recipe, const StimulusPtr& stimulus)
{
    Session& session = run.session();
    const StimulusRecord record = session.record(shape, recipe, *stimulus);
    const int times = session.contract().repeats;
    ScriptBuilder script(session, shape);
    const Repeats repeats = askRepeats(script, stimulus, times + kWarmUp);
    const auto results = session.runCandidate(script.script());
    if (!results) {
        run.failure("repeat", results.failure(), Severity::Soft, record);
        return;
    }
    const Settled settled = settle(run, *results, repeats, record);
    if (settled.answer == nullptr)
        return;
    const Differing found = differing(*results, repeats, settled, times);
    if (found.different == 0 && settled.isWarm) {
        run.pass("repeat", record, "differing repeats", 0, 0);
        return;
    }
    const BitDifference& worst = found.worst;
    const bool poisoned = worst.kinds > 0 && (found.onPoison == found.different || found.earlier == found.different);
    const bool orderOnly = session.contract().atomicsAllowed && worst.largest > 0 && worst.kinds == 0;
    const auto& outputs = settled.answer->outputs;
    const auto& shapeOf = outputs.empty() ? std::vector<std::int64_t>() : outputs[worst.leaf].value.shape();
    const std::string what = worst.position >= 0
        ? fmt::format("{:.9g} against {:.9g} at {}", worst.first, worst.second, placeText(worst.position, shapeOf))
        : std::string("its shape or dtype");
    if (poisoned)
        run.fail("uninitialised", Severity::Hard, "uninitialised",
                 fmt::format("{} of {} repeats depend on what memory held before: {}.", found.different, found.compared, what),
                 record, "differing repeats", static_cast<double>(found.different), 0);
    else
        run.fail("repeat", orderOnly ? Severity::Soft : Severity::Hard, "nondeterministic",
                 fmt::format("{} of {} repeats on the same input differ in bits: {}, {} elements.", found.different,
                             found.compared, what, worst.elements),
                 record, "differing repeats", static_cast<double>(found.different), 0);
}

} // namespace

/// Determinism, purity and state: bits over repeats with fresh, poisoned and recycled memory; then aliasing, mutation, caching
/// and weights that change (purity.h). The reference is asked the same first: what it does itself is not charged.
GateResult determinism(Session& session)
{
    GateRun run(session, Gate::Ord02);
    const int repeats = session.contract().repeats;
    // 1 - (1 - p)^n = 0.95
    run.power(fmt::format("{} repeats on 3 inputs: a flaw in 1 launch of {:.0f} shows with 95 %.", repeats,
                          1 / (1 - std::pow(0.05, 1.0 / (3.0 * repeats)))));
    if (session.referenceIsRandom()) {
        run.other("repeat", Verdict::Inapplicable, "random_reference",
                  "The reference answers differently on equal inputs and seeds.");
        return run.finish("");
    }
    const ShapePtr native = session.native();
    std::int64_t bytes = 0;
    for (const InputSpec& spec : native->inputs)
        bytes += spec.count() * 8;
    const ShapePtr shape = bytes * (repeats + kWarmUp) < kMostBytes ? native : session.working();
    for (int draw = 0; draw < 3 && run.mayGoOn("repeat") && !run.hasHardFailure(); ++draw) {
        const Recipe recipe{
            draw == 0 ? Regime::Native : Regime::Normal, draw, -1, Layout::Contiguous, std::string(kId), "repeat"};
        const StimulusPtr stimulus = session.make(shape, recipe);
        if (!isStable(session, shape, stimulus)) {
            session.flag(Gate::Ord02, "unstable_reference",
                         "The reference is not stable in bits either; repeats are not charged.");
            run.other("repeat", Verdict::Inapplicable, "unstable_reference", "The reference itself differs in bits over repeats.",
                      session.record(shape, recipe, *stimulus));
            break;
        }
        judgeRepeats(run, shape, recipe, stimulus);
    }
    checkPurity(run, session.working());
    return run.finish(
        fmt::format("{} repeats on 3 inputs are equal in bits; no aliasing, mutation, caching or stale weights.", repeats));
}

} // namespace assay::contract::gates
