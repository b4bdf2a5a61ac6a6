// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/clean_classes.h"
#include "core/contract/gates/gates.h"
#include "core/contract/gates/injected_classes.h"
#include "core/contract/gates/judge_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "EXC-01";

// About 60 calls of the candidate in all: injections come strongest first, so that more inputs share them.
constexpr int kInputInjections = 32;
constexpr int kParameterInjections = 9;
constexpr int kNativeInjections = 4;

/// Largest magnitudes of stretched native draws: exponentials overflow above 88, squares of squares above 2^32.
constexpr std::array kStretches = {1e4, 0x1p40, 0x1p-40};

Recipe recipeOf(Regime regime, std::string_view check, int onlyInput = -1)
{
    return {regime, 0, onlyInput, Layout::Contiguous, std::string(kId), std::string(check)};
}

void judgeInjections(GateRun& run, const ShapePtr& shape, std::string_view code, const std::vector<Injection>& injections)
{
    if (injections.empty())
        return;
    Session& session = run.session();
    const Recipe recipe = recipeOf(Regime::Native, code);
    const StimulusPtr base = session.make(shape, recipe);
    std::vector<PlannedTrial> planned;
    for (const Injection& injection : injections) {
        const Trial trial = injected(session, shape, base, injection);
        planned.push_back({trial, recordOf(session, shape, recipe, injection, trial)});
    }
    InjectedClasses judge(run, shape, base);
    judgeTrials(run, shape, code, planned,
                [&](std::size_t k, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer) {
                    judge.judge(code, injections[k], planned[k].trial, planned[k].record, exact, shipped, answer);
                });
}

/// The native draw with its largest magnitude brought to @p largest: signs and zeros of the task's own domain stay.
StimulusPtr stretched(Session& session, const ShapePtr& shape, const StimulusPtr& base, double largest)
{
    std::vector<HostTensor> leaves = base->leaves;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const InputSpec& spec = shape->inputs[i];
        if (!spec.isFree() || spec.largest == 0)
            continue;
        std::vector<double> values = leaves[i].toDoubles();
        for (double& value : values)
            value *= largest / spec.largest;
        leaves[i] = HostTensor::fromDoubles(spec.dtype, spec.shape, values);
    }
    return session.stimuli().wrap(std::move(leaves), fmt::format("native draw stretched to {:.3g}", largest));
}

/// Some rows of every mask all ones: where a one hides, nothing is left of these rows.
StimulusPtr fullMaskRows(Session& session, const ShapePtr& shape, const StimulusPtr& base)
{
    std::vector<HostTensor> leaves = base->leaves;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const InputSpec& spec = shape->inputs[i];
        if (!spec.isMask)
            continue;
        std::vector<double> values = leaves[i].toDoubles();
        const auto row = static_cast<std::size_t>(spec.shape.empty() ? 1 : std::max<std::int64_t>(spec.shape.back(), 1));
        for (const std::size_t at : {std::size_t{0}, values.size() / row / 2})
            std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(at * row), std::min(row, values.size()), 1.0);
        leaves[i] = HostTensor::fromDoubles(spec.dtype, spec.shape, values);
    }
    return session.stimuli().wrap(std::move(leaves), "native draw, mask rows of ones");
}

void judgeCleanStimuli(GateRun& run, const ShapePtr& shape, std::string_view code,
                       const std::vector<std::pair<Recipe, StimulusPtr>>& stimuli)
{
    std::vector<PlannedTrial> planned;
    for (const auto& [recipe, stimulus] : stimuli)
        planned.push_back({{stimulus, {}}, run.session().record(shape, recipe, *stimulus)});
    judgeTrials(run, shape, code, planned,
                [&](std::size_t k, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer) {
                    judgeClean(run, shape, code, planned[k].trial.stimulus, planned[k].record, exact, shipped, answer);
                });
}

void judgeZeroRows(GateRun& run, const ShapePtr& shape)
{
    Session& session = run.session();
    constexpr std::string_view kCode = "zero_rows";
    std::vector<std::pair<Recipe, StimulusPtr>> stimuli;
    const auto add = [&](Regime regime, int onlyInput) {
        const Recipe recipe = recipeOf(regime, kCode, onlyInput);
        stimuli.emplace_back(recipe, session.make(shape, recipe));
    };
    add(Regime::ZeroRows, -1);
    add(Regime::Zeros, -1);
    add(Regime::Native, -1);
    const auto free = std::ranges::count_if(shape->inputs, &InputSpec::isFree);
    constexpr std::size_t kSingleInputs = 4;
    for (std::size_t i = 0; i < std::min(shape->inputs.size(), kSingleInputs) && free > 1; ++i) {
        if (shape->inputs[i].isFree())
            add(Regime::ZeroRows, static_cast<int>(i));
    }
    if (std::ranges::any_of(shape->inputs, &InputSpec::isMask)) {
        const Recipe recipe = recipeOf(Regime::Native, kCode);
        stimuli.emplace_back(recipe, fullMaskRows(session, shape, session.make(shape, recipe)));
    }
    judgeCleanStimuli(run, shape, kCode, stimuli);
}

void judgeExtremes(GateRun& run, const ShapePtr& shape)
{
    Session& session = run.session();
    constexpr std::string_view kCode = "extremes";
    std::vector<std::pair<Recipe, StimulusPtr>> stimuli;
    for (const Regime regime : {Regime::Magnitudes, Regime::Wide}) {
        const Recipe recipe = recipeOf(regime, kCode);
        stimuli.emplace_back(recipe, session.make(shape, recipe));
    }
    const Recipe native = recipeOf(Regime::Native, kCode);
    for (const double largest : kStretches)
        stimuli.emplace_back(native, stretched(session, shape, session.make(shape, native), largest));
    judgeCleanStimuli(run, shape, kCode, stimuli);
}

} // namespace

/// Non-finite numbers: injected into every float input and parameter they must reach what they reach in the reference; finite
/// numbers must not become NaN or Inf; 0/0 of a zero row or of a mask without a one must not be hidden.
GateResult nonFinite(Session& session)
{
    GateRun run(session, Gate::Exc01);
    const ShapePtr shape = session.working();
    judgeInjections(run, shape, "inject", injectionsIntoInputs(session, *shape, kInputInjections));
    if (!shape->inputs.empty()) {
        judgeZeroRows(run, shape);
        judgeExtremes(run, shape);
    }
    if (session.candidateIgnoresState())
        run.other("parameter", Verdict::NotExercised, "ignores_state",
                  "The candidate does not follow changes of its parameters, so that none can carry NaN.");
    else
        judgeInjections(run, shape, "parameter", injectionsIntoParameters(session, *shape, kParameterInjections));
    const ShapePtr native = session.native();
    if (native != shape && run.fits("native_shape", native))
        judgeInjections(run, native, "native_shape", injectionsAtNativeShape(session, *native, kNativeInjections));
    return run.finish("NaN and Inf reach what they reach in the reference, and nothing else becomes NaN or Inf.");
}

} // namespace assay::contract::gates
