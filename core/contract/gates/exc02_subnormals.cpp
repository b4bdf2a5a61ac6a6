// SPDX-License-Identifier: Apache-2.0
#include "core/contract/class_confusion.h"
#include "core/contract/gates/gates.h"
#include "core/contract/gates/index_bounds.h"
#include "core/contract/gates/judge_trials.h"
#include "core/contract/gates/subnormal_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace assay::contract::gates {

namespace {

/// Roundings to the subnormal grid that separate two right orders of a few operations.
constexpr double kQuanta = 16;
/// Smaller results are too coarse to tell a loss from a rounding.
constexpr double kSmallestJudged = 64;
/// Relative errors up to this, and up to so many roundings of a short type, are no loss.
constexpr double kRelative = 0x1p-10;
constexpr double kRoundings = 16;
/// So many tolerances apart must the truths with and without subnormal inputs be to tell which of them an answer follows.
constexpr double kApart = 4;

/// False where this process itself flushes: it could then tell nothing about others.
bool keepsSubnormals()
{
    volatile float smallest = std::numeric_limits<float>::min();
    volatile float half = smallest * 0.5F;
    volatile double widened = half;
    return widened == 0x1p-127;
}

std::string valueText(double value)
{
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : std::string(name(classOf(value)));
}

/// One floating output under one stimulus.
struct Leaf {
    std::size_t index = 0;
    SubnormalRange range;
    double relative = kRelative; ///< tolerated relative error
    std::vector<double> exact;   ///< R64
    std::vector<double> flushed; ///< R64 with subnormal inputs read as zero
    std::vector<double> shipped; ///< R32
    std::vector<double> answer;

    double tolerance(std::size_t i) const { return kQuanta * range.quantum + relative * std::abs(exact[i]); }

    /// True where flushing, of inputs or of this output, would show.
    bool isExposed(std::size_t i) const
    {
        const double r = std::abs(exact[i]);
        return r >= kSmallestJudged * range.quantum && std::isfinite(r)
            && (r < range.smallestNormal || std::abs(exact[i] - flushed[i]) > tolerance(i));
    }

    bool keeps(double value, std::size_t i) const { return std::abs(value - exact[i]) <= tolerance(i); }

    /// Half of the value is gone, or the value is the one of flushed inputs.
    bool loses(double value, std::size_t i) const
    {
        const double error = std::abs(value - exact[i]);
        const bool followsFlushed
            = std::abs(value - flushed[i]) <= tolerance(i) && std::abs(exact[i] - flushed[i]) > kApart * tolerance(i);
        return error > tolerance(i) && (error >= 0.5 * std::abs(exact[i]) || followsFlushed);
    }
};

class SubnormalJudge {
public:
    SubnormalJudge(GateRun& run, const ShapePtr& shape, const SubnormalStimulus& stimulus)
        : m_run(run)
        , m_session(run.session())
        , m_shape(shape)
        , m_stimulus(stimulus)
    {
    }

    void judge(const CallRecord& exact, const CallRecord* flushed, const CallRecord& shipped, const CallRecord& answer)
    {
        std::vector<Leaf> leaves;
        for (std::size_t i = 0; i < shipped.outputs.size(); ++i) {
            const OutputLeaf& leaf = shipped.outputs[i];
            if (leaf.isNone || !tensor::isFloating(leaf.value.dtype()))
                continue;
            const tensor::DType dtype = leaf.value.dtype();
            leaves.push_back({i, subnormalRange(dtype), std::max(kRelative, kRoundings * tensor::unitRoundoff(dtype)),
                              exact.outputs[i].value.toDoubles(),
                              (flushed != nullptr ? *flushed : exact).outputs[i].value.toDoubles(), leaf.value.toDoubles(),
                              answer.outputs[i].value.toDoubles()});
        }
        m_exact = &exact;
        m_answer = &answer;
        if (leaves.empty()) {
            m_run.other("flush", Verdict::Inapplicable, "no_float_output", "No output holds floating numbers.",
                        m_stimulus.record);
            return;
        }
        if (std::ranges::any_of(leaves, [this](const Leaf& leaf) { return failsOnSubnormals(leaf); }))
            return;
        if (std::ranges::any_of(leaves, [this](const Leaf& leaf) { return meetsSubnormals(leaf); }))
            m_run.pass("n", m_stimulus.record, "elements", 0, 0);
        judgeFlush(leaves);
    }

private:
    /// Bounds of a leaf without the allowances for the oracle's noise and for cancelled outputs, which would hide everything
    /// subnormal.
    struct Bounds {
        TruthPtr truth;
        std::vector<double> values;
    };

    std::optional<Bounds> boundsOf(const Leaf& leaf)
    {
        const auto truth = m_session.truth(m_shape, m_stimulus.stimulus);
        if (!truth || leaf.index >= (*truth)->leaves.size())
            return std::nullopt;
        ValueRules rules = m_session.rules(m_shape, *m_stimulus.stimulus, (*truth)->reference[leaf.index]);
        rules.oracleRounds = false;
        rules.nativeScale = 0;
        return Bounds{*truth, errorBounds((*truth)->leaves[leaf.index], rules)};
    }

    std::string place(const Leaf& leaf, std::size_t i) const
    {
        const OutputLeaf& output = m_exact->outputs[leaf.index];
        return placeText(static_cast<std::int64_t>(i), output.value.shape()) + outputText(output.path);
    }

    std::optional<Evidence> evidence(const Leaf& leaf, std::size_t i) const
    {
        const OutputLeaf& output = m_exact->outputs[leaf.index];
        return keepEvidence(*m_stimulus.stimulus, output.value, m_answer->outputs[leaf.index].value, output.path,
                            static_cast<std::int64_t>(i));
    }

    /// True where what subnormal numbers lead to is finite either way, so that anything else is the candidate's own.
    bool isJudgable(const Leaf& leaf, std::size_t i) const
    {
        const bool touchesSubnormals
            = m_stimulus.hasSubnormalInputs() || (leaf.exact[i] != 0 && std::abs(leaf.exact[i]) < 2 * leaf.range.smallestNormal);
        return std::isfinite(leaf.exact[i]) && std::isfinite(leaf.flushed[i]) && touchesSubnormals;
    }

    bool meetsSubnormals(const Leaf& leaf) const
    {
        for (std::size_t i = 0; i < leaf.exact.size(); ++i) {
            if (isJudgable(leaf, i))
                return true;
        }
        return false;
    }

    /// `.n`: subnormal inputs make NaN, Inf or garbage where every right evaluation stays with the truth (prototype lesson 17).
    bool failsOnSubnormals(const Leaf& leaf)
    {
        std::vector<std::size_t> suspects;
        for (std::size_t i = 0; i < leaf.exact.size(); ++i) {
            const double c = leaf.answer[i];
            const bool near = std::abs(c - leaf.exact[i]) <= leaf.range.smallestNormal
                || std::abs(c - leaf.flushed[i]) <= leaf.range.smallestNormal;
            // Without subnormal inputs a wrong number is CMP-01's business, however small.
            if (isJudgable(leaf, i) && (!std::isfinite(c) || (m_stimulus.hasSubnormalInputs() && !near)))
                suspects.push_back(i);
        }
        if (suspects.empty())
            return false;
        const auto bounds = boundsOf(leaf);
        if (!bounds)
            return false;
        std::vector<std::vector<double>> evaluations;
        for (const HostTensor& evaluation : bounds->truth->leaves[leaf.index].conforming)
            evaluations.push_back(evaluation.toDoubles());
        // Every partial sum may be flushed: atomics on global memory do so whatever the kernel asks for (PTX ISA, atom.add.f32).
        // What that can come to is a flush, no garbage.
        const double flushes = static_cast<double>(bounds->truth->leaves[leaf.index].extent) * leaf.range.smallestNormal;
        std::erase_if(suspects, [&](std::size_t i) {
            if (std::abs(leaf.answer[i] - leaf.exact[i]) <= flushes)
                return true;
            const double bound = bounds->values[i];
            const auto holds = [&](const std::vector<double>& values) { return std::abs(values[i] - leaf.exact[i]) <= bound; };
            return holds(leaf.answer) || std::abs(leaf.answer[i] - leaf.flushed[i]) <= bound
                || !std::ranges::all_of(evaluations, holds);
        });
        keepThoseRightWithoutSubnormals(leaf, *bounds, suspects);
        if (suspects.empty())
            return false;
        const std::size_t first = suspects.front();
        m_run.fail("n", Severity::Hard, std::isfinite(leaf.answer[first]) ? "garbage" : "non_finite",
                   fmt::format("{} of {} elements are neither the truth nor what flushed inputs give on {}: {} at {}, where the "
                               "truth is {:.6g}.",
                               suspects.size(), leaf.exact.size(), m_stimulus.record.label, valueText(leaf.answer[first]),
                               place(leaf, first), leaf.exact[first]),
                   m_stimulus.record, "elements", static_cast<double>(suspects.size()), 0, evidence(leaf, first));
        return true;
    }

    /// Finite garbage that is there without subnormal inputs too is another gate's business.
    void keepThoseRightWithoutSubnormals(const Leaf& leaf, const Bounds& bounds, std::vector<std::size_t>& suspects)
    {
        const auto isFinite = [&leaf](std::size_t i) { return std::isfinite(leaf.answer[i]); };
        if (std::ranges::none_of(suspects, isFinite))
            return;
        const auto twin = m_session.askCandidate(m_shape, m_stimulus.flushed);
        std::vector<double> right;
        if (twin && leaf.index < twin->outputs.size())
            right = twin->outputs[leaf.index].value.toDoubles();
        std::erase_if(suspects, [&](std::size_t i) {
            return isFinite(i) && !(i < right.size() && std::abs(right[i] - leaf.flushed[i]) <= bounds.values[i]);
        });
    }

    void judgeFlush(const std::vector<Leaf>& leaves)
    {
        const Contract::Subnormals policy = m_session.contract().subnormals;
        if (policy == Contract::Subnormals::Either)
            return;
        std::int64_t exposed = 0;
        for (const Leaf& leaf : leaves) {
            std::vector<std::size_t> broken;
            std::int64_t kept = 0;
            for (std::size_t i = 0; i < leaf.exact.size(); ++i) {
                if (!leaf.isExposed(i))
                    continue;
                if (policy == Contract::Subnormals::Flush) {
                    if (std::abs(leaf.exact[i]) >= leaf.range.smallestNormal)
                        continue;
                    ++exposed;
                    if (leaf.answer[i] != 0)
                        broken.push_back(i);
                    continue;
                }
                if (policy == Contract::Subnormals::AsReference && !leaf.keeps(leaf.shipped[i], i)) {
                    kept += leaf.loses(leaf.shipped[i], i) && leaf.keeps(leaf.answer[i], i);
                    continue;
                }
                ++exposed;
                if (leaf.loses(leaf.answer[i], i))
                    broken.push_back(i);
            }
            if (kept > 0)
                m_session.flag(m_run.gate(), "keeps_subnormals",
                               fmt::format("The candidate keeps {} subnormal numbers that the reference loses on {}.", kept,
                                           m_stimulus.record.label));
            if (policy != Contract::Subnormals::Flush) {
                dropThoseThatRoundingExplains(leaf, broken);
                dropThoseThatUnderflowExplains(leaf, broken);
            }
            if (!broken.empty()) {
                failFlush(leaf, broken, exposed, policy);
                return;
            }
        }
        const auto isFinite
            = [](const Leaf& leaf) { return std::ranges::any_of(leaf.exact, [](double value) { return std::isfinite(value); }); };
        if (exposed == 0 && std::ranges::none_of(leaves, isFinite))
            m_run.other("flush", Verdict::Inapplicable, "not_finite",
                        fmt::format("The reference returns no finite number on {}.", m_stimulus.record.label), m_stimulus.record);
        else if (exposed == 0)
            m_run.other("flush", Verdict::NotExercised, "vacuous",
                        fmt::format("No output of the reference depends on subnormal numbers on {}.", m_stimulus.record.label),
                        m_stimulus.record);
        else
            m_run.pass("flush", m_stimulus.record, "elements", 0, 0);
    }

    /// Where large terms cancel, a right order of the sum may lose what the reference's happened to keep.
    void dropThoseThatRoundingExplains(const Leaf& leaf, std::vector<std::size_t>& broken)
    {
        if (broken.empty())
            return;
        const auto bounds = boundsOf(leaf);
        std::erase_if(broken, [&](std::size_t i) {
            return bounds && std::abs(leaf.answer[i] - leaf.exact[i]) <= bounds->values[i] - leaf.range.smallestNormal;
        });
    }

    /// A square of small numbers underflows whether they are subnormal or not: what is lost as well on the same numbers scaled
    /// into the normal range was never flushed.
    void dropThoseThatUnderflowExplains(const Leaf& leaf, std::vector<std::size_t>& broken)
    {
        constexpr double kIntoNormal = 0x1p30;
        if (broken.empty())
            return;
        std::vector<HostTensor> leaves = m_stimulus.stimulus->leaves;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            if (!m_shape->inputs[i].isFree())
                continue;
            std::vector<double> values = leaves[i].toDoubles();
            for (double& value : values)
                value *= kIntoNormal;
            leaves[i] = HostTensor::fromDoubles(leaves[i].dtype(), leaves[i].shape(), values);
        }
        const StimulusPtr scaled
            = m_session.stimuli().wrap(std::move(leaves), m_stimulus.record.label + ", scaled into the normal range");
        const auto exact = m_session.askReference(m_shape, scaled, "r64");
        const auto answer = m_session.askCandidate(m_shape, scaled);
        if (!exact || !answer || exact->outputs.size() <= leaf.index || answer->outputs.size() <= leaf.index)
            return;
        const std::vector<double> r = exact->outputs[leaf.index].value.toDoubles();
        const std::vector<double> c = answer->outputs[leaf.index].value.toDoubles();
        std::erase_if(broken, [&](std::size_t i) {
            return i < r.size() && i < c.size() && std::abs(r[i]) >= leaf.range.smallestNormal
                && std::abs(c[i] - r[i]) >= 0.5 * std::abs(r[i]);
        });
    }

    void failFlush(const Leaf& leaf, const std::vector<std::size_t>& broken, std::int64_t exposed, Contract::Subnormals policy)
    {
        // A normal result that is lost tells that it is the inputs which are not read.
        const auto normal = std::ranges::find_if(
            broken, [&leaf](std::size_t at) { return std::abs(leaf.exact[at]) >= leaf.range.smallestNormal; });
        const std::size_t i = normal == broken.end() ? broken.front() : *normal;
        std::string_view what = normal == broken.end() ? "flushes" : "reads subnormal inputs as zero and so loses";
        if (policy == Contract::Subnormals::Flush)
            what = "keeps, against the contract,";
        const std::string_view who = policy == Contract::Subnormals::AsReference ? " that the reference keeps" : "";
        m_run.fail("flush", Severity::Soft, policy == Contract::Subnormals::Flush ? "kept" : "flushed",
                   fmt::format("The candidate {} {} of {} results{} on {}: {:.6g} at {}, where the truth is {:.6g}.", what,
                               broken.size(), exposed, who, m_stimulus.record.label, leaf.answer[i], place(leaf, i),
                               leaf.exact[i]),
                   m_stimulus.record, "elements", static_cast<double>(broken.size()), 0, evidence(leaf, i));
    }

    GateRun& m_run;
    Session& m_session;
    const ShapePtr& m_shape;
    const SubnormalStimulus& m_stimulus;
    const CallRecord* m_exact = nullptr;
    const CallRecord* m_answer = nullptr;
};

} // namespace

void judgeSubnormals(GateRun& run, const ShapePtr& shape, const std::vector<SubnormalStimulus>& stimuli)
{
    std::vector<PlannedTrial> planned;
    std::vector<Trial> flushedTrials;
    for (const SubnormalStimulus& made : stimuli) {
        planned.push_back({{made.stimulus, {}}, made.record});
        flushedTrials.push_back({made.flushed, {}});
    }
    const auto flushed = askReferenceAll(run.session(), shape, flushedTrials, "r64");
    judgeTrials(run, shape, "n", planned,
                [&](std::size_t k, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer) {
                    const bool known = k < flushed.size() && flushed[k] && comparable(*flushed[k], exact);
                    SubnormalJudge(run, shape, stimuli[k]).judge(exact, known ? &*flushed[k] : nullptr, shipped, answer);
                });
}

/// Subnormal numbers: where the reference keeps them on the same device, so must the candidate, going in and coming out; they
/// must never turn into NaN, Inf or garbage; and indices beyond their range meet the reference's policy.
GateResult subnormals(Session& session)
{
    GateRun run(session, Gate::Exc02);
    if (!keepsSubnormals()) {
        run.other("judge", Verdict::Error, "flush_to_zero", "The judge's own process flushes subnormal numbers.");
        return run.finish("");
    }
    const ShapePtr shape = session.working();
    const std::vector<SubnormalStimulus> stimuli = subnormalStimuli(session, shape);
    if (stimuli.empty())
        run.other("n", Verdict::Inapplicable, "no_float_input", "No floating input may hold subnormal numbers.");
    judgeSubnormals(run, shape, stimuli);
    checkIndexBounds(run, shape);
    return run.finish("Subnormal numbers are kept where the reference keeps them and do no harm anywhere.");
}

} // namespace assay::contract::gates
