// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/exact_integers.h"
#include "core/contract/gates/gates.h"
#include "core/contract/gates/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "PRC-02";
constexpr std::int64_t kMostElements = std::int64_t{1} << 19;
/// rms of the candidate's error over that of one rounding of the truth: fp32 accumulation 1.00, fp16 lanes or trees 1.4 to 8.
constexpr double kRoundingRatio = 1.2;
constexpr std::int64_t kOutputsForRatio = 4096;

/// rms(c - R64) over rms(round(R64) - R64), for 16-bit outputs; 0 where it says nothing.
double roundingRatio(const HostTensor& truth, const HostTensor& candidate)
{
    const std::vector<double> r = truth.toDoubles();
    const std::vector<double> once = HostTensor::fromDoubles(candidate.dtype(), truth.shape(), r).toDoubles();
    const std::vector<double> c = candidate.toDoubles();
    double mine = 0;
    double rounding = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        if (!std::isfinite(r[i]) || !std::isfinite(c[i]) || !std::isfinite(once[i]))
            continue;
        mine += (c[i] - r[i]) * (c[i] - r[i]);
        rounding += (once[i] - r[i]) * (once[i] - r[i]);
    }
    return rounding > 0 ? std::sqrt(mine / rounding) : 0;
}

bool is16Bit(tensor::DType dtype)
{
    return dtype == tensor::DType::Float16 || dtype == tensor::DType::BFloat16;
}

/// .r: many outputs, their rms error beside that of one rounding. Only where the reference itself keeps the ratio.
void checkRoundingRatio(GateRun& run, const ShapePtr& shape)
{
    Session& session = run.session();
    if (session.roundoffOfOperands(shape) > 0) {
        run.other("ratio", Verdict::Inapplicable, "rounded_operands",
                  "The contract lets products round their operands, which outweighs the one rounding of an output.");
        return;
    }
    std::vector<double> mine;
    std::vector<double> shipped;
    std::int64_t outputs = 0;
    StimulusRecord record;
    for (int draw = 0; draw < 16 && outputs < kOutputsForRatio && run.mayGoOn("ratio"); ++draw) {
        const Recipe recipe{Regime::Normal, draw, -1, Layout::Contiguous, std::string(kId), "ratio"};
        const StimulusPtr stimulus = session.make(shape, recipe);
        record = session.record(shape, recipe, *stimulus);
        const auto exact = session.askReference(shape, stimulus, "r64");
        const auto own = session.askReference(shape, stimulus);
        const auto answer = session.askCandidate(shape, stimulus);
        if (!exact || !own || !answer || answer->outputs.size() != exact->outputs.size())
            return;
        bool any = false;
        for (std::size_t i = 0; i < exact->outputs.size(); ++i) {
            const HostTensor& got = answer->outputs[i].value;
            if (!is16Bit(got.dtype()) || got.dtype() != own->outputs[i].value.dtype()
                || got.shape() != exact->outputs[i].value.shape())
                continue;
            any = true;
            outputs += got.count();
            mine.push_back(roundingRatio(exact->outputs[i].value, got));
            shipped.push_back(roundingRatio(exact->outputs[i].value, own->outputs[i].value));
        }
        if (!any)
            return;
    }
    if (outputs < kOutputsForRatio)
        return;
    const double worst = *std::ranges::max_element(mine);
    const double reference = *std::ranges::max_element(shipped);
    if (reference > kRoundingRatio)
        return;
    if (worst > kRoundingRatio)
        run.fail("ratio", Severity::Soft, "accumulator",
                 fmt::format("Over {} outputs the rms error is {:.3g} times that of one rounding, the reference's {:.3g} times: "
                             "the accumulator is narrower than fp32.",
                             outputs, worst, reference),
                 record, "rounding ratio", worst, kRoundingRatio);
    else
        run.pass("ratio", record, "rounding ratio", worst, kRoundingRatio);
}

/// Whether the candidate finds single elements at sizes that are not the task's own. Every accumulator keeps a lone term to its
/// own precision: what loses more was not made for this size, which is CMP-03's business.
bool findsSingleElements(Session& session, const ShapePtr& shape)
{
    constexpr double kLoneTerm = 0x1p-6; // twice a rounding to e4m3, the narrowest
    for (int draw = 0; draw < 2; ++draw) {
        const StimulusPtr stimulus
            = session.make(shape, {Regime::OneHot, draw, -1, Layout::Contiguous, std::string(kId), "single elements"});
        const auto known = session.truth(shape, stimulus);
        const auto answer = session.askCandidate(shape, stimulus);
        if (!answer)
            return false;
        if (!known)
            continue;
        for (const OutputFinding& finding : session.compare(shape, *stimulus, **known, *answer)) {
            if (!finding.mismatch.empty()
                || (finding.value && finding.value->boundBroken() && finding.value->worstRelative > kLoneTerm))
                return false;
        }
    }
    return true;
}

/// .s: longer reductions of values of one sign, where a narrow accumulator stagnates.
void checkSwamping(GateRun& run)
{
    Session& session = run.session();
    const ShapePtr base = session.working();
    const std::int64_t extent = session.largestExtent(base);
    std::vector<ShapePtr> shapes{base};
    for (const SizeSlot& slot : session.slots()) {
        if (slot.inParameters || !slot.inInputs)
            continue;
        const auto it = base->sizes.slots.find(slot.id);
        const std::int64_t now = it == base->sizes.slots.end() ? slot.native : it->second;
        for (const std::int64_t wanted : {std::int64_t{1024}, std::int64_t{4096}}) {
            if (wanted <= now || base->inputElements() / std::max<std::int64_t>(now, 1) * wanted > kMostElements)
                continue;
            // Building a long reduction and counting its terms costs as much as asking about it.
            if (!run.mayGoOn("swamping"))
                return;
            SizeChoice choice = base->sizes;
            choice.slots[slot.id] = wanted;
            const ShapePtr longer = session.shape(choice);
            if (longer->isReady() && session.largestExtent(longer) > extent)
                shapes.push_back(longer);
        }
    }
    for (const ShapePtr& shape : shapes) {
        if (!run.mayGoOn("swamping"))
            return;
        if (shape != base && !findsSingleElements(session, shape))
            continue;
        for (const Regime regime : {Regime::Uniform, Regime::Ones}) {
            if (!run.mayGoOn("swamping"))
                return;
            const Recipe recipe{
                regime, 0, -1, Layout::Contiguous, std::string(kId), fmt::format("swamping N={}", session.largestExtent(shape))};
            const StimulusPtr stimulus = session.make(shape, recipe);
            const auto answer = session.askCandidate(shape, stimulus);
            // A size that the candidate refuses is CMP-03's business.
            if (answer)
                checkValues(run, shape, recipe, stimulus,
                            {.code = "swamping", .mintSeverity = Severity::Soft, .chargeNoise = true, .chargeShape = false});
        }
    }
}

} // namespace

/// Hidden low precision: the noise ratio rho on ordinary draws (TF32 and half operands show at any N), swamping at N up to 4096,
/// the rounding ratio of 16-bit outputs, and integers whose sums fp32 holds exactly (exact_integers.h).
GateResult accumulator(Session& session)
{
    GateRun run(session, Gate::Prc02);
    const ShapePtr shape = session.working();
    if (!isReduction(run, "noise", shape))
        return run.finish("");
    for (int draw = 0; draw < 2 && run.mayGoOn("noise"); ++draw) {
        const Recipe recipe{draw == 0 ? Regime::Native : Regime::Normal, draw, -1, Layout::Contiguous, std::string(kId), "noise"};
        checkValues(run, shape, recipe, session.make(shape, recipe),
                    {.code = "noise", .mintSeverity = Severity::Soft, .chargeNoise = true});
    }
    checkSwamping(run);
    checkRoundingRatio(run, shape);
    checkExactIntegers(run, shape);
    run.power(fmt::format("Reductions of up to {} terms at the judged shape.", session.largestExtent(shape)));
    return run.finish("Accumulates as precisely as right fp32 evaluations of the reference do.");
}

} // namespace assay::contract::gates
