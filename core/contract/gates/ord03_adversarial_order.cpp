// SPDX-License-Identifier: Apache-2.0
#include "core/contract/dimension_pairing.h"
#include "core/contract/gates/gates.h"
#include "core/contract/gates/reduction.h"
#include "core/contract/same_bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "ORD-03";
constexpr double kLarge = 1;
constexpr double kSmall = kLarge * 0x1p-14;
constexpr std::int64_t kBlocks = 8;
constexpr std::int64_t kShortestDimension = 16;
/// The true answer must be this many bounds, or returning zeros would pass.
constexpr double kBounds = 8;

enum class Placement { Blocks, Ascending, Descending, Random };

std::string_view text(Placement placement)
{
    switch (placement) {
    case Placement::Blocks:
        return "blocks of M, small terms, -M";
    case Placement::Ascending:
        return "ascending";
    case Placement::Descending:
        return "descending";
    case Placement::Random:
        return "random order";
    }
    return "";
}

/// @p length values: M, then small terms, then -M, block by block; the sum is that of the small terms.
std::vector<double> line(std::int64_t length, Placement placement, std::uint64_t seed)
{
    const std::int64_t block = std::max<std::int64_t>(4, length / kBlocks);
    std::vector<double> values(static_cast<std::size_t>(length), kSmall);
    for (std::int64_t first = 0; first + block <= length; first += block) {
        values[static_cast<std::size_t>(first)] = kLarge;
        values[static_cast<std::size_t>(first + block - 1)] = -kLarge;
    }
    if (placement == Placement::Ascending)
        std::ranges::sort(values);
    else if (placement == Placement::Descending)
        std::ranges::sort(values, std::greater{});
    else if (placement == Placement::Random) {
        const std::vector<std::int64_t> order = movingPermutation(length, seed);
        std::vector<double> shuffled(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            shuffled[i] = values[static_cast<std::size_t>(order[i])];
        values = std::move(shuffled);
    }
    return values;
}

/// Every line of @p spec along @p dimension holds the pattern.
HostTensor pattern(const InputSpec& spec, int dimension, Placement placement, std::uint64_t seed)
{
    const std::vector<double> along = line(spec.shape[static_cast<std::size_t>(dimension)], placement, seed);
    std::int64_t inner = 1;
    for (std::size_t i = static_cast<std::size_t>(dimension) + 1; i < spec.shape.size(); ++i)
        inner *= spec.shape[i];
    std::vector<double> values(static_cast<std::size_t>(spec.count()));
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = along[static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner) % along.size()];
    return HostTensor::fromDoubles(spec.dtype, spec.shape, values);
}

/// Largest |r| over the bound: how much a candidate that lost the small terms would miss.
double power(const Session& session, const ShapePtr& shape, const Stimulus& stimulus, const Truth& truth)
{
    double most = 0;
    for (std::size_t leaf = 0; leaf < truth.leaves.size(); ++leaf) {
        if (!tensor::isFloating(truth.reference[leaf].value.dtype()))
            continue;
        const std::vector<double> r = truth.leaves[leaf].r64.toDoubles();
        const std::vector<double> bounds = errorBounds(truth.leaves[leaf], session.rules(shape, stimulus, truth.reference[leaf]));
        for (std::size_t i = 0; i < r.size(); ++i) {
            if (std::isfinite(r[i]) && std::isfinite(bounds[i]))
                most = std::max(most, std::abs(r[i]) / bounds[i]);
        }
    }
    return most;
}

} // namespace

/// Small terms between large ones that cancel: a legal order keeps the bound gamma_N(2u) s, low precision or dropped terms do
/// not. Exercised only where the true answer is at least 8 bounds. With bitwiseOrder the candidate must give the reference's
/// bits, the published audit's rule.
GateResult adversarialOrder(Session& session)
{
    GateRun run(session, Gate::Ord03);
    const ShapePtr shape = session.working();
    if (!isReduction(run, "cancel", shape))
        return run.finish("");
    double strongest = 0;
    bool anyDimension = false;
    for (std::size_t input = 0; input < shape->inputs.size(); ++input) {
        const InputSpec& spec = shape->inputs[input];
        // Where signs or magnitudes are bounded, large terms that cancel cannot be written.
        const bool takesPattern = spec.isFree() && !spec.domain.isBounded();
        for (std::size_t dimension = 0; takesPattern && dimension < spec.shape.size(); ++dimension) {
            if (spec.shape[dimension] < kShortestDimension)
                continue;
            anyDimension = true;
            for (const Placement placement :
                 {Placement::Blocks, Placement::Ascending, Placement::Descending, Placement::Random}) {
                if (!run.mayGoOn("cancel") || run.hasHardFailure())
                    break;
                const Recipe recipe{Regime::Normal,          0,
                                    static_cast<int>(input), Layout::Contiguous,
                                    std::string(kId),        fmt::format("{} along {}", text(placement), dimension)};
                const StimulusPtr stimulus = session.stimuli().replaced(
                    session.make(shape, recipe), static_cast<int>(input),
                    pattern(spec, static_cast<int>(dimension), placement, session.seed()),
                    fmt::format("M, small terms, -M along dimension {} of input {}, {}", dimension, input, text(placement)));
                const StimulusRecord record = session.record(shape, recipe, *stimulus);
                const auto truth = session.truth(shape, stimulus);
                if (!truth) {
                    run.referenceFailure("cancel", truth.failure(), record);
                    continue;
                }
                const double bounds = power(session, shape, *stimulus, **truth);
                if (bounds < kBounds)
                    continue;
                strongest = std::max(strongest, bounds);
                const auto answer = session.askCandidate(shape, stimulus);
                if (!answer) {
                    run.failure("cancel", answer.failure(), Severity::Soft, record);
                    continue;
                }
                judgeAnswer(run, shape, record, stimulus, **truth, *answer, {.code = "cancel"});
                if (!session.contract().bitwiseOrder)
                    continue;
                CallRecord reference;
                reference.outputs = (*truth)->reference;
                if (const BitDifference difference = differenceInBits(reference, *answer))
                    run.fail("bitwise", Severity::Soft, "other_order",
                             fmt::format("{} elements differ in bits from the reference: another summation order.",
                                         difference.elements),
                             record, "elements", static_cast<double>(difference.elements), 0);
            }
        }
    }
    if (!anyDimension)
        run.other("cancel", Verdict::Inapplicable, "no_reduction", "No dimension of a floating input holds 16 elements.");
    else if (strongest == 0)
        run.other("cancel", Verdict::Inapplicable, "no_power",
                  "The small terms move no output by 8 bounds: the operation does not add them up.");
    run.power(fmt::format("Losing the small terms would show as up to {:.3g} times the bound.", strongest));
    return run.finish("Small terms between large ones survive, whatever the order.");
}

} // namespace assay::contract::gates
