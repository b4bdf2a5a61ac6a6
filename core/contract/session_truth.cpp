// SPDX-License-Identifier: Apache-2.0
#include "core/contract/session.h"
#include "core/contract/session_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

/// The part of a session that knows what is right for a stimulus and holds answers against it.
namespace assay::contract {

namespace {

using tensor::DType;

constexpr int kConditionDraws = 8;
constexpr double kU32 = 0x1p-24;
/// Beyond this many times the native maximum a stimulus is extrapolated (prototype lesson 4).
constexpr double kExtrapolation = 16;
/// Truths kept for gates that ask about the same stimulus again, which they do at once or not at all: one takes megabytes, and
/// every worker of a campaign has its own.
constexpr std::size_t kTruthsKept = 4;

double largestFinite(DType dtype)
{
    switch (dtype) {
    case DType::Float64:
        return std::numeric_limits<double>::max();
    case DType::Float16:
        return 65504;
    case DType::BFloat16:
        return 0x1.FEp127;
    case DType::Float8E4M3:
        return 448;
    case DType::Float8E5M2:
        return 57344;
    default:
        return std::numeric_limits<float>::max();
    }
}

/// The scale of complex elements for their real and imaginary parts.
HostTensor inPairs(const HostTensor& scale)
{
    const std::vector<double> values = scale.toDoubles();
    std::vector<double> pairs;
    for (const double value : values)
        pairs.insert(pairs.end(), {value, value});
    std::vector<std::int64_t> shape = scale.shape();
    shape.push_back(2);
    return HostTensor::fromDoubles(DType::Float64, shape, pairs);
}

/// Unit roundoff of the coarsest dtype among the task's own floating inputs: a kernel made for it owes no finer result.
double nativeRoundoff(const Shape& shape)
{
    double coarsest = 0;
    for (const HostTensor& leaf : shape.reference.inputLeaves) {
        if (tensor::isFloating(leaf.dtype()))
            coarsest = std::max(coarsest, tensor::unitRoundoff(leaf.dtype()));
    }
    return coarsest;
}

} // namespace

DType Shape::dtype() const
{
    if (isCast())
        return castTo;
    DType widest = DType::Float16;
    bool any = false;
    for (const InputSpec& spec : inputs) {
        if (spec.isFloating && (!any || tensor::sizeOf(spec.dtype) > tensor::sizeOf(widest))) {
            widest = spec.dtype;
            any = true;
        }
    }
    return any ? widest : DType::Float32;
}

Asked<TruthPtr> Session::truth(const ShapePtr& shape, const StimulusPtr& stimulus, const CallRecord* shipped)
{
    const std::pair<int, std::uint64_t> at{shape->id(), stimulus->id};
    if (const auto it = m_truths.find(at); it != m_truths.end())
        return it->second;
    auto made = makeTruth(shape, stimulus, shipped);
    if (made) {
        if (m_truths.size() >= kTruthsKept) // stimulus numbers rise
            m_truths.erase(std::ranges::min_element(m_truths, {}, [](const auto& kept) { return kept.first.second; }));
        m_truths.emplace(at, *made);
    }
    return made;
}

Asked<TruthPtr> Session::makeTruth(const ShapePtr& shape, const StimulusPtr& stimulus, const CallRecord* given)
{
    auto shipped = given != nullptr ? Asked<CallRecord>(*given) : askReference(shape, stimulus);
    if (!shipped)
        return shipped.failure();
    auto exact = askReference(shape, stimulus, "r64");
    if (!exact)
        return exact.failure();
    auto scale = m_reference.condition(shape->id(), stimulus, kConditionDraws, kU32, m_options.seed);
    if (!scale)
        return asOracle(scale.failure());
    auto truth = std::make_shared<Truth>();
    truth->reference = shipped->outputs;
    truth->structure = shipped->structure;
    std::vector<std::int64_t>& extents = m_extents[shape->id()];
    if (extents.size() != shipped->outputs.size()) {
        const auto asked = m_reference.extent(shape->id(), stimulus);
        if (!asked)
            m_extentFailures.insert_or_assign(shape->id(), asOracle(asked.failure()));
        extents
            = asked && asked->size() == shipped->outputs.size() ? *asked : std::vector<std::int64_t>(shipped->outputs.size(), 1);
    }
    std::vector<CallRecord> conforming;
    if (!shape->isCast()) {
        for (const std::string& name : shape->reference.conforming) {
            auto evaluation = askReference(shape, stimulus, "conforming:" + name);
            if (evaluation && evaluation->outputs.size() == shipped->outputs.size())
                conforming.push_back(std::move(*evaluation));
        }
    }
    const auto fits = [](const HostTensor& a, const HostTensor& b) { return a.shape() == b.shape(); };
    for (std::size_t i = 0; i < scale->size() && i < shipped->outputs.size(); ++i) {
        if (shipped->outputs[i].isComplex)
            (*scale)[i] = inPairs((*scale)[i]);
    }
    for (std::size_t i = 0; i < shipped->outputs.size(); ++i) {
        const OutputLeaf& leaf = shipped->outputs[i];
        LeafTruth right;
        std::optional<HostTensor> firm;
        bool agree = true;
        const bool known = i < exact->outputs.size() && i < scale->size() && fits(exact->outputs[i].value, leaf.value)
            && fits((*scale)[i], leaf.value);
        if (tensor::isFloating(leaf.value.dtype())) {
            right.r64 = known ? exact->outputs[i].value : leaf.value;
            truth->oracleIsFp32 = truth->oracleIsFp32 || !known || right.r64.dtype() != DType::Float64;
            right.scale = known ? (*scale)[i] : HostTensor(DType::Float64, leaf.value.shape());
            right.extent = std::max<std::int64_t>(extents[i], 1);
            right.conforming.push_back(leaf.value);
            for (const CallRecord& evaluation : conforming) {
                if (fits(evaluation.outputs[i].value, leaf.value))
                    right.conforming.push_back(evaluation.outputs[i].value);
            }
        } else if (known) {
            std::vector<double> isFirm = (*scale)[i].toDoubles();
            for (double& value : isFirm)
                value = value == 0 ? 1 : 0;
            firm = HostTensor::fromDoubles(DType::Bool, leaf.value.shape(), isFirm);
            for (const CallRecord& evaluation : conforming)
                agree = agree && fits(evaluation.outputs[i].value, leaf.value)
                    && judgeExact(leaf.value, evaluation.outputs[i].value, {}).different == 0;
        }
        truth->leaves.push_back(std::move(right));
        truth->firm.push_back(std::move(firm));
        truth->conformingAgree.push_back(agree);
    }
    return TruthPtr(truth);
}

std::int64_t Session::largestExtent(const ShapePtr& shape)
{
    std::vector<std::int64_t>& extents = m_extents[shape->id()];
    if (extents.empty()) {
        const auto asked
            = m_reference.extent(shape->id(), make(shape, {Regime::Native, 0, -1, Layout::Contiguous, "open", "extent"}));
        if (asked)
            extents = *asked;
        else
            m_extentFailures.insert_or_assign(shape->id(), asOracle(asked.failure()));
    }
    return extents.empty() ? 1 : std::max<std::int64_t>(1, *std::ranges::max_element(extents));
}

std::optional<PartyFailure> Session::extentFailure(const ShapePtr& shape) const
{
    const auto it = m_extentFailures.find(shape->id());
    return it == m_extentFailures.end() ? std::nullopt : std::optional(it->second);
}

ValueRules Session::rules(const ShapePtr& shape, const Stimulus& stimulus, const OutputLeaf& referenceLeaf) const
{
    ValueRules rules;
    // A Python number crosses as fp64 and was computed in the inputs' own precision.
    const DType out = referenceLeaf.isPython ? shape->dtype() : referenceLeaf.value.dtype();
    rules.outputRoundoff = tensor::unitRoundoff(out);
    rules.outputSmallestNormal = tensor::smallestNormal(out);
    rules.outputLargest = largestFinite(out);
    rules.halfRange = out == DType::Float16;
    rules.inputLargest = largestInput(stimulus);
    rules.normWise = stimulus.isUneven;
    if (const auto it = m_nativeScales.find(referenceLeaf.path); it != m_nativeScales.end())
        rules.nativeScale = it->second;
    double native = 0;
    for (const InputSpec& spec : shape->inputs)
        native = std::max(native, spec.isFloating ? spec.largest : 0);
    rules.extrapolated = native > 0 && rules.inputLargest > kExtrapolation * native;
    if (out == DType::Float64)
        rules.accumulatorRoundoff = 0x1p-53;
    if (m_allowsTf32 && out == DType::Float32)
        rules.operandRoundoff = 0x1p-11;
    rules.operandRoundoff = std::max(rules.operandRoundoff, roundoffOfOperands(shape));
    bool batched = !referenceLeaf.value.shape().empty();
    for (const InputSpec& spec : shape->inputs)
        batched
            = batched && (!spec.isFloating || spec.shape.size() < 2 || spec.shape.front() == referenceLeaf.value.shape().front());
    rules.batchExtent = batched ? referenceLeaf.value.shape().front() : 0;
    if (shape->isCast() && !shape->reference.widens) {
        // A dtype that the task was not written for: intermediate roundings are the reference's own too.
        rules.accumulatorRoundoff = std::max(tensor::unitRoundoff(shape->castTo), nativeRoundoff(*shape));
        rules.outputRoundoff = std::max(rules.outputRoundoff, nativeRoundoff(*shape));
        rules.boundFactor = 16;
        rules.judgeNoiseRatio = false;
    }
    return rules;
}

double Session::roundoffOfOperands(const ShapePtr& shape) const
{
    if (m_contract.operands != Contract::Operands::AsInputs)
        return 0;
    double coarsest = 0;
    for (const InputSpec& spec : shape->inputs) {
        if (spec.isFloating && tensor::sizeOf(spec.dtype) <= 2)
            coarsest = std::max(coarsest, tensor::unitRoundoff(spec.dtype));
    }
    return coarsest;
}

std::vector<OutputFinding> Session::compare(const ShapePtr& shape, const Stimulus& stimulus, const Truth& truth,
                                            const CallRecord& answer, bool probabilistic, double limit) const
{
    if (answer.outputs.size() != truth.reference.size()) {
        OutputFinding finding;
        finding.mismatch
            = fmt::format("returns {} tensors where the reference returns {}", answer.outputs.size(), truth.reference.size());
        return {finding};
    }
    std::vector<OutputFinding> findings;
    for (std::size_t i = 0; i < truth.reference.size(); ++i) {
        const OutputLeaf& want = truth.reference[i];
        const OutputLeaf& got = answer.outputs[i];
        OutputFinding finding;
        finding.path = want.path;
        finding.leaf = i;
        const std::string where = want.path.empty() ? "" : fmt::format(" as output {}", want.path);
        if (want.isNone || got.isNone) {
            if (want.isNone != got.isNone)
                finding.mismatch = fmt::format("returns {}{} where the reference returns {}", got.isNone ? "None" : "a tensor",
                                               where, want.isNone ? "None" : "a tensor");
        } else if (want.value.shape() != got.value.shape() || want.path != got.path) {
            finding.mismatch = fmt::format("returns shape [{}]{} where the reference returns [{}]",
                                           fmt::join(got.value.shape(), ", "), where, fmt::join(want.value.shape(), ", "));
        } else {
            if (want.value.dtype() != got.value.dtype() && !(want.isPython || got.isPython))
                finding.dtypeDiffers = fmt::format("returns {}{} where the reference returns {}", tensor::name(got.value.dtype()),
                                                   where, tensor::name(want.value.dtype()));
            if (tensor::isFloating(want.value.dtype())) {
                ValueRules bound = rules(shape, stimulus, want);
                bound.probabilistic = probabilistic;
                bound.limit = limit;
                finding.value = judgeFloat(truth.leaves[i], got.value, bound);
            } else {
                // Exact ties are decided by the reference's rule wherever every conforming evaluation decides alike; a sorting
                // reference promises no order among equals.
                const bool all = truth.conformingAgree[i] && !shape->reference.sorts;
                finding.exact = judgeExact(want.value, got.value, all ? std::nullopt : truth.firm[i]);
            }
        }
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace assay::contract
