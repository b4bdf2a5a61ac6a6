// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/clean_classes.h"

#include "core/contract/class_confusion.h"
#include "core/contract/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay::contract::gates {

namespace {

StimulusPtr scaled(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus, double factor)
{
    std::vector<HostTensor> leaves = stimulus->leaves;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (!shape->inputs[i].isFree())
            continue;
        std::vector<double> values = leaves[i].toDoubles();
        for (double& value : values)
            value *= factor;
        leaves[i] = HostTensor::fromDoubles(leaves[i].dtype(), leaves[i].shape(), values);
    }
    return session.stimuli().wrap(std::move(leaves), fmt::format("{}, times {:g}", stimulus->label, factor));
}

/// R64 on the same stimulus in a wider exponent range, had by smaller numbers.
std::vector<Asked<CallRecord>> inWiderRange(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus)
{
    std::vector<Trial> trials{{scaled(session, shape, stimulus, 0x1p-6), {}}};
    if (const double largest = largestInput(*stimulus); largest > 0x1p6)
        trials.push_back({scaled(session, shape, stimulus, 1 / largest), {}});
    return askReferenceAll(session, shape, trials, "r64");
}

/// Elements of @p positions that no excuse holds for; see prototype lesson 5.
std::vector<std::int64_t> chargedMints(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus, std::size_t leaf,
                                       const std::vector<std::int64_t>& positions, const CallRecord& exact,
                                       const CallRecord& shipped)
{
    const ValueRules rules = session.rules(shape, *stimulus, shipped.outputs[leaf]);
    const std::vector<double> truth = exact.outputs[leaf].value.toDoubles();
    std::vector<std::vector<double>> evaluations{shipped.outputs[leaf].value.toDoubles()};
    for (const std::string& name : shape->reference.conforming) {
        const auto evaluation = session.askReference(shape, stimulus, "conforming:" + name);
        if (evaluation && comparable(*evaluation, shipped))
            evaluations.push_back(evaluation->outputs[leaf].value.toDoubles());
    }
    const auto entries = static_cast<std::size_t>(std::max<std::int64_t>(rules.batchExtent, 1));
    const std::size_t perEntry = std::max<std::size_t>(truth.size() / entries, 1);
    std::vector<bool> entryOverflows(truth.size() / perEntry + 1, false);
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (!std::isfinite(truth[i]) || !std::isfinite(evaluations.front()[i]))
            entryOverflows[i / perEntry] = true;
    }
    const double limit = (rules.halfRange ? 0x1p-4 : 0x1p-32) * rules.outputLargest;
    std::vector<std::int64_t> charged;
    std::ranges::copy_if(positions, std::back_inserter(charged), [&](std::int64_t position) {
        const auto i = static_cast<std::size_t>(position);
        const bool shared = std::ranges::any_of(evaluations, [i](const auto& values) { return !std::isfinite(values[i]); });
        return !shared && std::abs(truth[i]) <= limit && !entryOverflows[i / perEntry];
    });
    return charged;
}

/// @return true where a swallow was charged
bool chargeSwallow(GateRun& run, const ShapePtr& shape, const StimulusPtr& stimulus, const StimulusRecord& record,
                   std::size_t leaf, const ClassConfusion& confusion, const CallRecord& exact, const CallRecord& answer)
{
    Session& session = run.session();
    const HostTensor& want = exact.outputs[leaf].value;
    const HostTensor& got = answer.outputs[leaf].value;
    // An answer that does not come leaves nothing to charge.
    std::vector<std::vector<double>> wider;
    for (const auto& answered : inWiderRange(session, shape, stimulus)) {
        const bool usable = answered && comparable(*answered, exact);
        wider.push_back(usable ? answered->outputs[leaf].value.toDoubles()
                               : std::vector<double>(static_cast<std::size_t>(want.count()), 0.0));
    }
    std::vector<std::int64_t> persistent;
    std::ranges::copy_if(confusion.swallowed, std::back_inserter(persistent), [&wider](std::int64_t position) {
        return std::ranges::none_of(
            wider, [position](const auto& values) { return std::isfinite(values[static_cast<std::size_t>(position)]); });
    });
    if (persistent.empty()) {
        session.flag(run.gate(), "reference_overflow",
                     fmt::format("The reference overflows at {} elements{} on {} where the candidate does not.",
                                 confusion.swallowed.size(), outputText(exact.outputs[leaf].path), record.label));
        return false;
    }
    const std::int64_t first = persistent.front();
    const double value = got.toDoubles()[static_cast<std::size_t>(first)];
    run.fail("swallow", Severity::Hard, "swallow",
             fmt::format("The candidate returns finite values at {} of {} elements{} where the reference is {}, on {}; {:.6g} at "
                         "{}: an added epsilon, a floor or a start value hides what the reference shows.",
                         persistent.size(), confusion.referenceNonFinite(), outputText(exact.outputs[leaf].path),
                         name(confusion.dominantClass()), record.label, value, placeText(first, want.shape())),
             record, "elements", static_cast<double>(persistent.size()), 0,
             keepEvidence(*stimulus, want, got, exact.outputs[leaf].path, first));
    return true;
}

} // namespace

void judgeClean(GateRun& run, const ShapePtr& shape, std::string_view code, const StimulusPtr& stimulus,
                const StimulusRecord& record, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer)
{
    Session& session = run.session();
    std::int64_t decided = 0;
    std::int64_t elements = 0;
    for (std::size_t leaf = 0; leaf < shipped.outputs.size(); ++leaf) {
        const OutputLeaf& want = shipped.outputs[leaf];
        if (want.isNone || !tensor::isFloating(want.value.dtype()))
            continue;
        const HostTensor& truth = exact.outputs[leaf].value;
        const HostTensor& got = answer.outputs[leaf].value;
        const ClassConfusion confusion = confuse(truth, want.value, got);
        decided += confusion.decided();
        elements += truth.count();
        if (!confusion.swallowed.empty() && chargeSwallow(run, shape, stimulus, record, leaf, confusion, exact, answer))
            return;
        if (!confusion.gained.empty()) {
            const auto minted = chargedMints(session, shape, stimulus, leaf, confusion.gained, exact, shipped);
            if (!minted.empty()) {
                const std::int64_t first = minted.front();
                run.fail("mint", Severity::Hard, "mint",
                         fmt::format("The candidate makes NaN or Inf out of finite numbers at {} elements{} on {}; at {} the "
                                     "reference gives {:.6g}.",
                                     minted.size(), outputText(want.path), record.label, placeText(first, truth.shape()),
                                     truth.toDoubles()[static_cast<std::size_t>(first)]),
                         record, "elements", static_cast<double>(minted.size()), 0,
                         keepEvidence(*stimulus, truth, got, want.path, first));
                return;
            }
            session.flag(run.gate(), "shared_overflow",
                         fmt::format("{} elements{} overflow on {}, as right evaluations or their neighbours do.",
                                     confusion.gained.size(), outputText(want.path), record.label));
        }
        if (!confusion.otherKind.empty())
            session.flag(run.gate(), "kind",
                         fmt::format("{} elements{} are NaN instead of Inf or Inf instead of NaN on {}.",
                                     confusion.otherKind.size(), outputText(want.path), record.label));
        // An infinity out of finite numbers is a pole, and its sign is that of a zero.
        if (!confusion.flipped.empty())
            session.flag(run.gate(), "signed_zero",
                         fmt::format("{} poles{} have the other sign on {}.", confusion.flipped.size(), outputText(want.path),
                                     record.label));
    }
    if (elements == 0) {
        run.other(code, Verdict::Inapplicable, "no_float_output",
                  fmt::format("No output holds floating numbers on {}.", record.label), record);
        return;
    }
    if (decided == 0) {
        run.other(code, Verdict::NotExercised, "vacuous",
                  fmt::format("The fp64 oracle and the reference as shipped agree on no element's class on {}.", record.label),
                  record);
        return;
    }
    run.pass(code, record, "elements", 0, 0);
}

} // namespace assay::contract::gates
