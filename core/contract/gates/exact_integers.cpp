// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/exact_integers.h"

#include "core/contract/dimension_pairing.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::contract::gates {

namespace {

constexpr int kDraws = 4;
constexpr int kTf32Draw = 1; ///< has an entry of 2^12 + 1, which TF32 does not hold
constexpr double kExactLimit = 0x1p24;

bool isMultilinear(Session& session, const ShapePtr& shape, int input)
{
    const Recipe recipe{Regime::Normal, 1, -1, Layout::Contiguous, "PRC-02", "linear"};
    Recipe other = recipe;
    other.draw = 2;
    const StimulusPtr a = session.make(shape, recipe);
    const StimulusPtr drawn = session.make(shape, other);
    const auto at = static_cast<std::size_t>(input);
    const std::vector<double> x = a->leaves[at].toDoubles();
    const std::vector<double> y = drawn->leaves[at].toDoubles();
    std::vector<double> sum(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        // Rounded to the input's dtype, the sum would not be the sum: small integers are exact in all of them.
        sum[i] = std::round(4 * x[i]) + std::round(4 * y[i]);
    }
    const auto rounded = [&](const std::vector<double>& values) {
        std::vector<double> integers(values.size());
        std::ranges::transform(values, integers.begin(), [](double v) { return std::round(4 * v); });
        return integers;
    };
    const InputSpec& spec = shape->inputs[at];
    const auto ask = [&](const std::vector<double>& values) {
        return session.askReference(
            shape, session.stimuli().replaced(a, input, HostTensor::fromDoubles(spec.dtype, spec.shape, values), "linear"),
            "r64");
    };
    const auto fa = ask(rounded(x));
    const auto fb = ask(rounded(y));
    const auto fsum = ask(sum);
    const auto f0 = ask(std::vector<double>(x.size(), 0.0));
    if (!fa || !fb || !fsum || !f0)
        return false;
    for (std::size_t leaf = 0; leaf < fa->outputs.size(); ++leaf) {
        if (!tensor::isFloating(fa->outputs[leaf].value.dtype()))
            return false;
        const auto p = fa->outputs[leaf].value.toDoubles();
        const auto q = fb->outputs[leaf].value.toDoubles();
        const auto s = fsum->outputs[leaf].value.toDoubles();
        const auto z = f0->outputs[leaf].value.toDoubles();
        double largest = 0;
        for (const double value : s)
            largest = std::max(largest, std::abs(value));
        for (std::size_t i = 0; i < s.size(); ++i) {
            if (!(std::abs(s[i] - p[i] - q[i] + z[i]) <= 0x1p-40 * largest))
                return false;
        }
    }
    return true;
}

/// Integers for the one linear input: draw 0 a 2048 among ones, draw 1 an entry of 2^12 + 1 among ones (lost by TF32 and half
/// operands), draws 2 and 3 odd integers in 1025..2047 balanced by their negatives.
std::vector<double> integers(std::int64_t count, int draw, const random::Stream& stream)
{
    std::vector<double> values(static_cast<std::size_t>(count), 1.0);
    std::vector<double> uniform(values.size());
    stream.uniform(static_cast<std::uint64_t>(draw) << 40, uniform);
    if (draw < 2) {
        const double large = draw == 0 ? 2048 : 4097;
        for (std::size_t first = 0; first < values.size(); first += 64) {
            const std::size_t length = std::min<std::size_t>(64, values.size() - first);
            values[first + static_cast<std::size_t>(uniform[first] * static_cast<double>(length))] = large;
        }
        return values;
    }
    const std::size_t half = values.size() / 2;
    for (std::size_t i = 0; i < half; ++i)
        values[i] = 1025 + 2 * std::floor(uniform[i] * 512);
    const std::vector<std::int64_t> order = movingPermutation(static_cast<std::int64_t>(half), static_cast<std::uint64_t>(draw));
    for (std::size_t i = 0; i < half; ++i)
        values[half + i] = -values[static_cast<std::size_t>(order[i])];
    return values;
}

bool isInteger(double value)
{
    return std::isfinite(value) && value == std::nearbyint(value);
}

/// The largest |r| under all-absolute inputs bounds every partial sum.
bool staysExact(const CallRecord& absolute)
{
    return std::ranges::all_of(absolute.outputs, [](const OutputLeaf& leaf) {
        const std::vector<double> values = leaf.value.toDoubles();
        return std::ranges::all_of(values, [](double v) { return std::abs(v) < kExactLimit && isInteger(v); });
    });
}

bool equals(const CallRecord& exact, const CallRecord& other)
{
    for (std::size_t i = 0; i < exact.outputs.size(); ++i) {
        if (other.outputs.size() <= i || exact.outputs[i].value.toDoubles() != other.outputs[i].value.toDoubles())
            return false;
    }
    return true;
}

/// Names the narrowest format that holds every one of the candidate's numbers though it does not hold the truth's, and in which
/// sums of @p extent terms may come out as far from the truth as they did.
/// @param absolute  the sums of the terms' absolute values
std::string explains(const CallRecord& exact, const CallRecord& answer, const CallRecord& absolute, std::int64_t extent)
{
    for (const tensor::DType dtype : {tensor::DType::BFloat16, tensor::DType::Float16}) {
        bool candidateFits = true;
        bool truthFits = true;
        const double reach = static_cast<double>(extent) * tensor::unitRoundoff(dtype);
        for (std::size_t i = 0; i < exact.outputs.size(); ++i) {
            const std::vector<double> c = answer.outputs[i].value.toDoubles();
            const std::vector<double> r = exact.outputs[i].value.toDoubles();
            candidateFits
                = candidateFits && HostTensor::fromDoubles(dtype, {static_cast<std::int64_t>(c.size())}, c).toDoubles() == c;
            truthFits = truthFits && HostTensor::fromDoubles(dtype, {static_cast<std::int64_t>(r.size())}, r).toDoubles() == r;
            const std::vector<double> sums = absolute.outputs[i].value.toDoubles();
            candidateFits = candidateFits && c.size() == r.size() && sums.size() == r.size();
            for (std::size_t j = 0; candidateFits && j < r.size(); ++j)
                candidateFits = std::abs(c[j] - r[j]) <= reach * sums[j];
        }
        if (candidateFits && !truthFits)
            return std::string(tensor::name(dtype));
    }
    return {};
}

/// @p value with @p bits of significand, to nearest.
double withSignificand(double value, int bits)
{
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

/// Input @p input holds @p values, every other free input ones.
StimulusPtr integerStimulus(Session& session, const ShapePtr& shape, std::size_t input, const std::vector<double>& values,
                            std::string label)
{
    std::vector<HostTensor> leaves;
    for (std::size_t i = 0; i < shape->inputs.size(); ++i) {
        const InputSpec& spec = shape->inputs[i];
        if (i == input)
            leaves.push_back(HostTensor::fromDoubles(spec.dtype, spec.shape, values));
        else if (spec.isFree())
            leaves.push_back(HostTensor::fromDoubles(spec.dtype, spec.shape,
                                                     std::vector<double>(static_cast<std::size_t>(spec.count()), 1.0)));
        else
            leaves.push_back(shape->reference.inputLeaves[i]);
    }
    return session.stimuli().wrap(std::move(leaves), std::move(label));
}

/// Names the format in which products must have read @p values, where the truth of the rounded ones is what the candidate
/// answers.
std::string explainsOperands(Session& session, const ShapePtr& shape, std::size_t input, const std::vector<double>& values,
                             const CallRecord& answer)
{
    constexpr std::array kFormats = {std::pair(11, "TF32 or float16 operands"), std::pair(8, "bfloat16 operands")};
    for (const auto& [bits, name] : kFormats) {
        std::vector<double> rounded = values;
        for (double& value : rounded)
            value = withSignificand(value, bits);
        if (rounded == values)
            continue;
        const auto exact = session.askReference(shape, integerStimulus(session, shape, input, rounded, name), "r64");
        if (exact && equals(*exact, answer))
            return name;
    }
    return {};
}

/// R64 is integer-valued, no partial sum leaves fp32's integers, and the shipped reference and a reordered evaluation give its
/// bits.
bool isExactForTheReference(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus, const CallRecord& absolute,
                            const CallRecord& exact)
{
    const auto shipped = session.askReference(shape, stimulus);
    if (!shipped || !staysExact(absolute) || !staysExact(exact) || !equals(exact, *shipped))
        return false;
    if (shape->reference.conforming.empty())
        return true;
    return std::ranges::any_of(shape->reference.conforming, [&](const std::string& name) {
        const auto evaluation = session.askReference(shape, stimulus, "conforming:" + name);
        return evaluation && equals(exact, *evaluation);
    });
}

/// @return whether the draw could be judged
bool checkDraw(GateRun& run, const ShapePtr& shape, std::size_t input, int draw)
{
    Session& session = run.session();
    const random::Stream stream(
        {session.seed(), session.stimuli().kernel(), "PRC-02", "exact", static_cast<std::uint32_t>(input)});
    const Recipe recipe{Regime::Ties, draw, static_cast<int>(input), Layout::Contiguous, "PRC-02", "exact"};
    std::vector<double> values = integers(shape->inputs[input].count(), draw, stream);
    const StimulusPtr stimulus
        = integerStimulus(session, shape, input, values, fmt::format("exact integers in input {}, draw {}", input, draw + 1));
    const std::vector<double> own = values;
    std::ranges::transform(values, values.begin(), [](double v) { return std::abs(v); });
    const StimulusPtr bounding = integerStimulus(session, shape, input, values, "absolute values");
    const auto exact = session.askReference(shape, stimulus, "r64");
    const auto absolute = session.askReference(shape, bounding, "r64");
    if (!exact || !absolute || !isExactForTheReference(session, shape, stimulus, *absolute, *exact))
        return false;
    const auto answer = session.askCandidate(shape, stimulus);
    if (!answer || answer->outputs.size() != exact->outputs.size())
        return false;
    const StimulusRecord record = session.record(shape, recipe, *stimulus);
    if (equals(*exact, *answer)) {
        run.pass("exact", record, "elements", 0, 0);
        return true;
    }
    // Where the number of terms is not known, any distance may have come of rounding.
    const std::int64_t extent = session.largestExtent(shape);
    const bool isKnown = !session.extentFailure(shape);
    std::string format = explains(*exact, *answer, *absolute, isKnown ? extent : std::numeric_limits<std::int64_t>::max());
    if (format.empty())
        format = explainsOperands(session, shape, input, own, *answer);
    if (!format.empty() || run.hasFailureByRules())
        run.fail("exact", Severity::Hard, "accumulator",
                 fmt::format("Integer sums that fp32 holds exactly in any order come out wrong{}.",
                             format.empty() ? "" : ", as " + format + " would give them"),
                 record);
    else
        session.flag(Gate::Prc02, "inexact_algorithm",
                     "Integer sums that fp32 holds exactly come out rounded: the algorithm scales or transforms its terms.");
    return true;
}

/// Parameters of one, so that products of integers stay integers. False (nothing changed) where they cannot be set on both sides.
bool setParametersToOne(Session& session, const ShapePtr& shape)
{
    if (session.state(shape).empty() || !shape->alignment.isComplete() || session.candidateIgnoresState())
        return false;
    ModuleState ones = session.state(shape);
    for (StateEntry& entry : ones) {
        if (entry.isParameter && tensor::isFloating(entry.value.dtype()))
            entry.value = HostTensor::fromDoubles(entry.value.dtype(), entry.value.shape(),
                                                  std::vector<double>(static_cast<std::size_t>(entry.value.count()), 1.0));
    }
    return session.setState(shape, ones);
}

} // namespace

void checkExactIntegers(GateRun& run, const ShapePtr& shape)
{
    Session& session = run.session();
    const ModuleState before = session.state(shape);
    const bool changed = setParametersToOne(session, shape);
    bool judged = false;
    bool isLinear = false;
    for (std::size_t input = 0; input < shape->inputs.size(); ++input) {
        const InputSpec& spec = shape->inputs[input];
        // 16-bit inputs hold no integers large enough to overrun a 16-bit accumulator and stay exact in the output.
        if (!spec.isFree() || spec.domain.isBounded() || tensor::sizeOf(spec.dtype) != 4 || !run.mayGoOn("exact")
            || !isMultilinear(session, shape, static_cast<int>(input)))
            continue;
        isLinear = true;
        for (int draw = 0; draw < kDraws && !run.hasHardFailure(); ++draw) {
            if (draw == kTf32Draw && run.session().allowsTf32())
                continue;
            judged = checkDraw(run, shape, input, draw) || judged;
        }
    }
    if (changed)
        session.setState(shape, before);
    if (judged)
        return;
    if (isLinear)
        run.other("exact", Verdict::NotExercised, "vacuous", "No draw of integers stays exact in fp32 through the reference.");
    else
        run.other("exact", Verdict::Inapplicable, "not_linear", "The outputs are linear in no fp32 input.");
}

} // namespace assay::contract::gates
