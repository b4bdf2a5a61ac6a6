// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/single_element.h"

#include "core/contract/script_builder.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::contract::gates {

namespace {

constexpr int kElementsPerInput = 6;
constexpr std::array kSteps = {1.0, 1e2, 1e4};
/// R64 must move by this many bounds before stillness means anything.
constexpr double kBounds = 64;

/// How far the candidate follows where R64 moves most.
struct Follow {
    double moved = 0;    ///< |change of R64| at the element that moves most bounds
    double followed = 0; ///< change of the candidate there
    double expected = 0; ///< change of R64 there, signed
    double bounds = 0;   ///< moved over the bound
};

Follow follow(const Truth& truth, const std::vector<std::vector<double>>& bounds, const CallRecord& before,
              const CallRecord& after, const CallRecord& exactAfter)
{
    Follow best;
    for (std::size_t leaf = 0; leaf < truth.leaves.size(); ++leaf) {
        if (!tensor::isFloating(truth.reference[leaf].value.dtype()) || leaf >= after.outputs.size()
            || leaf >= exactAfter.outputs.size() || after.outputs[leaf].value.shape() != before.outputs[leaf].value.shape())
            continue;
        const std::vector<double> r0 = truth.leaves[leaf].r64.toDoubles();
        const std::vector<double> r1 = exactAfter.outputs[leaf].value.toDoubles();
        const std::vector<double> c0 = before.outputs[leaf].value.toDoubles();
        const std::vector<double> c1 = after.outputs[leaf].value.toDoubles();
        if (r1.size() != r0.size() || c0.size() != r0.size())
            continue;
        for (std::size_t i = 0; i < r0.size(); ++i) {
            const double expected = r1[i] - r0[i];
            const double over = std::abs(expected) / bounds[leaf][i];
            if (std::isfinite(over) && over > best.bounds && std::isfinite(c1[i] - c0[i]))
                best = {std::abs(expected), c1[i] - c0[i], expected, over};
        }
    }
    return best;
}

} // namespace

void checkSingleElements(GateRun& run, const ShapePtr& shape)
{
    Session& session = run.session();
    const Recipe recipe{Regime::Native, 0, -1, Layout::Contiguous, "CMP-01", "element"};
    const StimulusPtr base = session.make(shape, recipe);
    if (shape->reference.random) {
        run.other("element", Verdict::Inapplicable, "random_reference",
                  "The reference draws random numbers, in fp64 others than in fp32.", session.record(shape, recipe, *base));
        return;
    }
    const auto truth = session.truth(shape, base);
    if (!truth || std::ranges::all_of((*truth)->reference, [](const OutputLeaf& leaf) { return leaf.value.count() == 0; }))
        return;
    std::vector<std::vector<double>> bounds;
    for (std::size_t leaf = 0; leaf < (*truth)->leaves.size(); ++leaf) {
        const OutputLeaf& want = (*truth)->reference[leaf];
        bounds.push_back(tensor::isFloating(want.value.dtype())
                             ? errorBounds((*truth)->leaves[leaf], session.rules(shape, *base, want))
                             : std::vector<double>());
    }
    for (std::size_t input = 0; input < shape->inputs.size(); ++input) {
        const InputSpec& spec = shape->inputs[input];
        if (!spec.isFree() || spec.count() == 0 || !run.mayGoOn("element"))
            continue;
        const random::Stream stream(
            {session.stimuli().runSeed(), session.stimuli().kernel(), "CMP-01", "element", static_cast<std::uint32_t>(input)});
        std::array<double, kElementsPerInput> places{};
        stream.uniform(0, places);
        std::vector<StimulusPtr> stimuli{base};
        const std::vector<double> values = base->leaves[input].toDoubles();
        for (const double place : places) {
            const auto position = static_cast<std::int64_t>(place * static_cast<double>(spec.count()));
            for (const double step : kSteps) {
                std::vector<double> changed = values;
                changed[static_cast<std::size_t>(position)] += step;
                stimuli.push_back(session.stimuli().replaced(
                    base, static_cast<int>(input), HostTensor::fromDoubles(spec.dtype, spec.shape, changed),
                    fmt::format("native draw with {:g} added at {} of input {}", step, placeText(position, spec.shape), input)));
            }
        }
        ScriptBuilder exactScript(session, shape, "r64");
        ScriptBuilder script(session, shape);
        std::vector<std::size_t> calls;
        for (const StimulusPtr& stimulus : stimuli) {
            exactScript.input("a", stimulus).call("a");
            script.input("a", stimulus);
            calls.push_back(script.call("a"));
        }
        const auto exact = session.runReference(exactScript.script());
        const auto answers = session.runCandidate(script.script());
        if (!exact || !answers)
            continue;
        const CallRecord* before = callOf(*answers, calls[0]);
        if (before == nullptr || before->outputs.size() != (*truth)->reference.size())
            continue;
        double power = 0;
        for (std::size_t k = 1; k < stimuli.size(); ++k) {
            const CallRecord* after = callOf(*answers, calls[k]);
            const CallRecord* exactAfter = callOf(*exact, calls[k]);
            if (after == nullptr || exactAfter == nullptr)
                continue;
            const Follow moved = follow(**truth, bounds, *before, *after, *exactAfter);
            if (moved.bounds < kBounds)
                continue;
            power = std::max(power, moved.bounds);
            // Half of the change missing, or as much too much, is no rounding at 64 bounds.
            if (std::abs(moved.followed - moved.expected) > 0.5 * moved.moved) {
                run.fail("element", Severity::Soft, "insensitive",
                         fmt::format("With {} the fp64 truth moves by {:.4g} ({:.3g} bounds), the candidate by {:.4g}: part of "
                                     "the data is not read as it should.",
                                     stimuli[k]->label, moved.expected, moved.bounds, moved.followed),
                         session.record(shape, recipe, *stimuli[k]), "change", moved.followed, moved.expected);
                return;
            }
        }
        const StimulusRecord record = session.record(shape, recipe, *base);
        if (power > 0)
            run.pass("element", record, "bounds moved", power, kBounds);
        else
            run.other("element", Verdict::NotExercised, "vacuous", "No single element moves the output by 64 bounds.", record);
    }
}

} // namespace assay::contract::gates
