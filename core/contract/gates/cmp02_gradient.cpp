// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/script_builder.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "CMP-02";
constexpr int kCotangents = 3;
/// Draws after the first three are for gradients that are zero on all of those.
constexpr std::array kRegimes = {Regime::Native, Regime::Normal, Regime::Normal, Regime::Wide};

/// Tensors that numbers can be differentiated through; a Python number has left the graph.
bool carriesGradient(const OutputLeaf& leaf)
{
    return !leaf.isNone && !leaf.isPython && tensor::isFloating(leaf.value.dtype());
}

/// One leaf per output, so that they can be put into the candidate's order; those that carry no gradient get a placeholder.
StimulusPtr cotangents(Session& session, const std::vector<OutputLeaf>& outputs, int draw)
{
    std::vector<HostTensor> leaves;
    std::uint32_t index = 0;
    for (const OutputLeaf& leaf : outputs) {
        const random::Stream stream({session.seed(), session.stimuli().kernel(), kId, "cotangent", index++});
        if (!carriesGradient(leaf)) {
            leaves.emplace_back(tensor::DType::Bool, std::vector<std::int64_t>{0});
            continue;
        }
        std::vector<double> values(static_cast<std::size_t>(leaf.value.count()));
        stream.normal(static_cast<std::uint64_t>(draw) << 40, values);
        leaves.push_back(HostTensor::fromDoubles(leaf.value.dtype(), leaf.value.shape(), values));
    }
    return session.stimuli().cotangents(std::move(leaves), fmt::format("cotangent {}", draw + 1));
}

/// What the parties are given: one cotangent per floating output.
StimulusPtr withoutPlaceholders(Session& session, const StimulusPtr& cotangents)
{
    std::vector<HostTensor> leaves;
    std::ranges::copy_if(cotangents->leaves, std::back_inserter(leaves),
                         [](const HostTensor& leaf) { return tensor::isFloating(leaf.dtype()); });
    return session.stimuli().cotangents(std::move(leaves), cotangents->label);
}

/// @param precision  empty: the candidate's own
Script vjp(const Session& session, const ShapePtr& shape, const StimulusPtr& stimulus, const StimulusPtr& cotangent,
           const std::string& precision = {})
{
    ScriptBuilder script(session, shape, precision);
    script.inputWithGradient("a", stimulus).vjp("a", cotangent);
    return script.script();
}

/// How a backward rounds. Sums are held to what fp32 gives them whatever the dtype: half a tensor's worth of terms at u = 2^-8
/// would bound nothing.
struct Roundoffs {
    double accumulator = 0x1p-24;
    double operand = 0; ///< of what is multiplied, and of what lies between two operations, where that is narrower than fp32
    double output = 0x1p-24;
};

/// What a chain of a few operations makes of one rounded operand: the factor of PRC-01 for dtypes foreign to a task.
constexpr double kChain = 16;

/// One gradient tensor beside the truth. The scale is the tensor's largest entry (norm-wise: an entry that cancels owes no more),
/// N the number of output elements, which no backward reduction exceeds.
struct Beside {
    double worstOverBound = 0;
    std::int64_t position = -1;
    double truth = 0;
    double value = 0;
    double largest = 0;
    bool allZero = true;
    bool isFinite = true; ///< the truth, everywhere
};

Beside beside(const HostTensor& truth, const std::optional<HostTensor>& value, std::int64_t outputs, const Roundoffs& roundoffs)
{
    Beside result;
    const std::vector<double> g = truth.toDoubles();
    for (const double entry : g) {
        if (std::isfinite(entry))
            result.largest = std::max(result.largest, std::abs(entry));
        else
            result.isFinite = false;
    }
    if (!value || value->shape() != truth.shape())
        return result;
    const std::vector<double> c = value->toDoubles();
    const auto terms = static_cast<double>(std::max<std::int64_t>(outputs, 8));
    const double scale = (gammaBound(terms, 2 * roundoffs.accumulator) + kChain * roundoffs.operand) * result.largest;
    for (std::size_t i = 0; i < g.size(); ++i) {
        result.allZero = result.allZero && c[i] == 0;
        if (!std::isfinite(g[i]))
            continue;
        const double bound = scale + roundoffs.output * std::abs(g[i]) + 0x1p-126;
        const double over = std::isfinite(c[i]) ? std::abs(c[i] - g[i]) / bound : std::numeric_limits<double>::infinity();
        if (over > result.worstOverBound || result.position < 0) {
            result.worstOverBound = over;
            result.position = static_cast<std::int64_t>(i);
            result.truth = g[i];
            result.value = c[i];
        }
    }
    return result;
}

/// By the widest rounding of the outputs that carry a gradient. @return nothing where none is floating
std::optional<Roundoffs> roundoffsOf(const std::vector<OutputLeaf>& outputs, bool allowsTf32)
{
    std::optional<Roundoffs> found;
    for (const OutputLeaf& leaf : outputs) {
        if (!carriesGradient(leaf))
            continue;
        const double u = tensor::unitRoundoff(leaf.value.dtype());
        if (!found)
            found = Roundoffs{std::min(u, 0x1p-24), 0, u};
        found->accumulator = std::max(found->accumulator, std::min(u, 0x1p-24));
        found->output = std::max(found->output, u);
    }
    if (found && found->output > 0x1p-24)
        found->operand = found->output;
    if (found && allowsTf32)
        found->operand = std::max(found->operand, 0x1p-11);
    return found;
}

class GradientJudge {
public:
    GradientJudge(GateRun& run, const StimulusRecord& record, std::int64_t outputs, const Roundoffs& roundoffs, bool required)
        : m_run(run)
        , m_record(record)
        , m_outputs(outputs)
        , m_roundoffs(roundoffs)
        , m_required(required)
    {
    }

    /// @param shipped  the reference's own fp32 gradient: where it breaks the bound too, the bound is no verdict
    /// @return false once a failure was added
    bool judge(const std::string& what, const std::optional<HostTensor>& truth, const std::optional<HostTensor>& shipped,
               const std::optional<HostTensor>& value)
    {
        if (!truth)
            return true;
        const Beside found = beside(*truth, value, m_outputs, m_roundoffs);
        m_reached = true;
        m_finite = m_finite && found.isFinite;
        if (found.largest == 0)
            return true;
        if (!value) {
            m_run.fail("missing", m_required ? Severity::Hard : Severity::Soft, "missing",
                       fmt::format("No gradient reaches {}, where the truth's largest entry is {:.4g}.", what, found.largest),
                       m_record);
            return false;
        }
        if (value->shape() != truth->shape()) {
            m_run.fail("vjp", Severity::Hard, "shape",
                       fmt::format("The gradient of {} has another shape than the reference's.", what), m_record);
            return false;
        }
        if (found.allZero) {
            m_run.fail("zero", m_required ? Severity::Hard : Severity::Soft, "zero",
                       fmt::format("The gradient of {} is zero everywhere, where the truth's largest entry is {:.4g}.", what,
                                   found.largest),
                       m_record);
            return false;
        }
        const double own = beside(*truth, shipped, m_outputs, m_roundoffs).worstOverBound;
        if (found.worstOverBound > 1 && found.worstOverBound > 4 * own) {
            m_run.fail(
                "vjp", Severity::Soft, "bound",
                fmt::format(
                    "The gradient of {} breaks the rounding bound by {:.3g} times: {:.6g} at {}, the fp64 truth is {:.6g}.", what,
                    found.worstOverBound, found.value, placeText(found.position, truth->shape()), found.truth),
                m_record, "error over bound", found.worstOverBound, 1);
            return false;
        }
        m_worst = std::max(m_worst, found.worstOverBound);
        m_any = true;
        return true;
    }

    /// @param hasUnpaired  gradients reach parameters, and none of those has a counterpart to compare
    /// @return true where the truth's gradients are zero everywhere, so that other inputs may tell more
    bool finish(bool hasUnpaired)
    {
        if (m_any)
            m_run.pass("vjp", m_record, "error over bound", m_worst, 1);
        else if (!m_reached && hasUnpaired)
            m_run.other("vjp", Verdict::NotExercised, "unaligned",
                        "Gradients reach parameters alone, and the candidate holds none of those in the reference's shape.",
                        m_record);
        else if (!m_reached)
            m_run.other("vjp", Verdict::Inapplicable, "no_gradient",
                        "The reference's outputs depend on no floating input and on no parameter.", m_record);
        else if (!m_finite)
            m_run.other("vjp", Verdict::NotExercised, "vacuous",
                        fmt::format("The truth's gradients hold nothing but zero, NaN and Inf on {}.", m_record.label), m_record);
        else
            m_run.other(
                "vjp", Verdict::Inapplicable, "zero_gradient",
                fmt::format("The truth's gradients are zero everywhere on {}: a missing one is as right.", m_record.label),
                m_record);
        return !m_any && m_reached;
    }

private:
    GateRun& m_run;
    const StimulusRecord& m_record;
    std::int64_t m_outputs;
    Roundoffs m_roundoffs;
    bool m_required;
    double m_worst = 0;
    bool m_any = false;
    bool m_reached = false;
    bool m_finite = true;
};

std::optional<HostTensor> named(const Gradients& gradients, const std::string& name)
{
    const auto it = std::ranges::find(gradients.state, name, &std::pair<std::string, std::optional<HostTensor>>::first);
    return it == gradients.state.end() ? std::nullopt : it->second;
}

/// Whether no input and no parameter has a gradient other than zero: a candidate that gives none loses nothing.
bool isZero(const Gradients& gradients)
{
    const auto holdsZeros = [](const std::optional<HostTensor>& tensor) {
        return !tensor || std::ranges::all_of(tensor->toDoubles(), [](double x) { return x == 0; });
    };
    return std::ranges::all_of(gradients.inputs, holdsZeros)
        && std::ranges::all_of(gradients.state, [&](const auto& entry) { return holdsZeros(entry.second); });
}

/// @return true where nothing was learnt because the truth's gradients are zero everywhere
bool judgeOne(GateRun& run, const ShapePtr& shape, const StimulusPtr& stimulus, const StimulusPtr& cotangent,
              const StimulusRecord& record, std::int64_t outputs, const Roundoffs& roundoffs)
{
    Session& session = run.session();
    const bool required = session.contract().training == Contract::Training::Required;
    const StimulusPtr given = withoutPlaceholders(session, cotangent);
    const auto exact = session.runReference(vjp(session, shape, stimulus, given, "r64"));
    const auto shipped = session.runReference(vjp(session, shape, stimulus, given, "r32"));
    for (const auto* asked : {&shipped, &exact}) {
        if (*asked && !(*asked)->back().failure)
            continue;
        run.referenceFailure("vjp", *asked ? *(*asked)->back().failure : asked->failure(), record);
        return false;
    }
    const Gradients& truth = exact->back().gradients;
    GradientJudge judge(run, record, outputs, roundoffs, required);
    const auto nothingToLose = [&] {
        for (const std::optional<HostTensor>& input : truth.inputs)
            judge.judge("", input, std::nullopt, std::nullopt);
        return judge.finish(false);
    };
    const auto answer
        = session.runCandidate(vjp(session, shape, stimulus, withoutPlaceholders(session, session.inCandidateOrder(cotangent))));
    if (!answer || answer->back().failure) {
        const PartyFailure& failure = answer ? *answer->back().failure : answer.failure();
        const bool forwardOnly = failure.kind == PartyFailure::Kind::Raised && !required;
        if (forwardOnly && isZero(truth))
            return nothingToLose();
        if (forwardOnly && !shape->reference.outputsRequireGrad)
            run.other("vjp", Verdict::Inapplicable, "forward_only",
                      "The candidate is forward-only, and the task's own outputs ask for no gradient.", record);
        else
            run.failure("vjp", failure, required ? Severity::Hard : Severity::Soft, record);
        return false;
    }
    const Gradients& own = shipped->back().gradients;
    const Gradients& got = answer->back().gradients;
    const bool severed = std::ranges::none_of(got.outputsRequireGrad, std::identity{});
    if (severed) {
        if (!required && isZero(truth))
            return nothingToLose();
        if (!required && !shape->reference.outputsRequireGrad) {
            session.flag(Gate::Cmp02, "forward_only",
                         "The candidate's outputs carry no gradient; the task has no parameters that would ask for one.");
            run.other("vjp", Verdict::Inapplicable, "forward_only",
                      "The candidate is forward-only, and the task's own outputs ask for no gradient.", record);
        } else {
            run.fail("missing", required ? Severity::Hard : Severity::Soft, "forward_only",
                     "The output carries no gradient although the reference's does: forward-only.", record);
        }
        return false;
    }
    for (std::size_t i = 0; i < truth.inputs.size() && i < got.inputs.size() && i < own.inputs.size(); ++i) {
        if (!judge.judge(fmt::format("input {}", i), truth.inputs[i], own.inputs[i], got.inputs[i]))
            return false;
    }
    for (const StatePair& pair : shape->alignment.pairs) {
        // A transposed copy's gradient is transposed as well; comparing it would need the copy's own layout.
        if (!pair.transposed
            && !judge.judge("parameter " + pair.reference, named(truth, pair.reference), named(own, pair.reference),
                            named(got, pair.candidate)))
            return false;
    }
    return judge.finish(std::ranges::any_of(truth.state, [](const auto& entry) { return entry.second.has_value(); }));
}

} // namespace

/// The vector-Jacobian product with three cotangents against autograd of R64. Bound: gamma_N(2u) times the tensor's largest entry
/// plus one rounding, N the number of output elements and u that of fp32, plus what rounded operands make of that entry; failing
/// takes more than four times the reference's own fp32 error as well.
GateResult gradient(Session& session)
{
    GateRun run(session, Gate::Cmp02);
    if (session.contract().training == Contract::Training::Off) {
        run.other("vjp", Verdict::Inapplicable, "training_off", "The contract asks for no gradient.");
        return run.finish("");
    }
    const ShapePtr shape = session.working();
    bool isZero = false;
    for (int draw = 0; draw < static_cast<int>(kRegimes.size()) && !run.hasHardFailure(); ++draw) {
        if ((draw >= kCotangents && (run.isExercised() || !isZero)) || !run.mayGoOn("vjp"))
            break;
        const Recipe recipe{kRegimes[static_cast<std::size_t>(draw)], draw, -1, Layout::Contiguous, std::string(kId), "vjp"};
        const StimulusPtr stimulus = session.make(shape, recipe);
        const StimulusRecord record = session.record(shape, recipe, *stimulus);
        const auto forward = session.askReference(shape, stimulus);
        if (!forward) {
            run.referenceFailure("vjp", forward.failure(), record);
            continue;
        }
        std::int64_t outputs = 0;
        for (const OutputLeaf& leaf : forward->outputs)
            outputs = std::max(outputs, leaf.value.count());
        const std::optional<Roundoffs> roundoffs = roundoffsOf(forward->outputs, session.allowsTf32());
        if (!roundoffs) {
            run.other("vjp", Verdict::Inapplicable, "no_float_output", "No output is floating.");
            break;
        }
        isZero = judgeOne(run, shape, stimulus, cotangents(session, forward->outputs, draw), record, outputs, *roundoffs);
    }
    return run.finish("Gradients agree with autograd of the fp64 reference for three cotangents.");
}

} // namespace assay::contract::gates
