// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gate_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace assay::contract {

namespace {

/// Evidence larger than this stays out of the result: the stimulus replays.
constexpr std::int64_t kEvidenceElements = std::int64_t{1} << 20;

/// @p record with what is asked about the values, so that the same can be asked about other stimuli.
StimulusRecord withQuestion(const StimulusRecord& record, const ValueVerdictOptions& options)
{
    if (!record.call)
        return record;
    StimulusRecord asked = record;
    auto call = std::make_shared<CallSetup>(*record.call);
    call->values = options;
    call->values->code = {}; // may be text of the caller's
    asked.call = std::move(call);
    return asked;
}

/// How far the values of an answer may be off at @p gate, and how its checks say so.
class ValueLimit {
public:
    ValueLimit(const Session& session, Gate gate, const Shape& shape, bool chargeNoise)
        : m_cell(ExcessProbe::isCalibrated(gate) ? session.threshold(gate, shape) : nullptr)
        , m_version(session.thresholdVersion())
        , m_chargeNoise(chargeNoise)
    {
    }

    bool isCalibrated() const { return m_cell != nullptr; }
    double value() const { return m_cell != nullptr ? m_cell->value : 1; }
    /// A calibrated threshold is one of the excess, which is not the error over bound alone.
    const char* metric() const { return isCalibrated() ? "excess" : "error over bound"; }
    double measured(const ValueFinding& found) const
    {
        if (!isCalibrated())
            return found.worstOverBound;
        return m_chargeNoise ? std::max(found.worstExcess, found.worstNoise) : found.worstExcess;
    }
    /// Beyond the limit 1 that the rules have of their own, whatever is calibrated.
    bool breaksRules(const ValueFinding& found) const { return found.worstExcess > 1 || (m_chargeNoise && found.worstNoise > 1); }
    void mark(CheckResult& check) const
    {
        if (isCalibrated())
            check.calibrated = CalibratedLimit{m_version, m_cell->holdOutBound};
    }

private:
    const ThresholdCell* m_cell;
    std::string m_version;
    bool m_chargeNoise;
};

/// " Operands rounded to ... could be as far off.", where a reduction in fp32 breaks its bound and would keep the one of a
/// narrower operand; "" elsewhere. A hint for who reads it: a dropped term may be as small.
std::string operandsThatExplain(const LeafTruth& truth, const HostTensor& got, ValueRules rules)
{
    constexpr std::int64_t kFewestTerms = 8; // below, a product can hardly be told from any other operation
    if (got.dtype() != tensor::DType::Float32 || rules.operandRoundoff > 0 || truth.extent < kFewestTerms)
        return {};
    for (const auto& [name, roundoff] : {std::pair("TF32 or float16", 0x1p-11), std::pair("bfloat16", 0x1p-8)}) {
        rules.operandRoundoff = roundoff;
        if (!judgeFloat(truth, got, rules).boundBroken())
            return fmt::format(" Operands rounded to {} could be as far off.", name);
    }
    return {};
}

/// "3 of 64 elements break the rounding bound on ..., by up to 12 times", in the terms of the limit that they break.
std::string brokenBound(const ValueFinding& value, const ValueLimit& limit, const std::string& output, const std::string& label)
{
    if (!limit.isCalibrated())
        return fmt::format("{} of {} elements{} break the rounding bound on {}, by up to {:.3g} times", value.beyondBound,
                           value.elements, output, label, value.worstOverBound);
    return fmt::format("{} of {} elements{} are off by more than right kernels are on {}: the worst excess is {:.3g}, the "
                       "threshold {:.3g}",
                       value.beyondBound, value.elements, output, label, value.worstExcess, limit.value());
}

/// What a gate says where nothing failed. Its own sentence speaks of the rules' limit; a wider one may have let more pass.
std::string withinLimits(const std::vector<CheckResult>& checks, std::string cleanSentence)
{
    const auto wider = std::ranges::find_if(
        checks, [](const CheckResult& check) { return check.calibrated && tensor::toDouble(check.threshold) > 1; });
    return wider == checks.end() ? cleanSentence
                                 : fmt::format("Nothing exceeds the calibrated threshold of {:.3g}.", wider->threshold.value);
}

} // namespace

std::optional<Evidence> keepEvidence(const Stimulus& stimulus, const HostTensor& truth, const HostTensor& candidate,
                                     const std::string& path, std::int64_t position)
{
    if (truth.count() > kEvidenceElements)
        return std::nullopt;
    Evidence evidence;
    evidence.inputs = stimulus.leaves;
    evidence.reference = truth;
    evidence.candidate = candidate;
    evidence.outputPath = path;
    if (position >= 0)
        evidence.worstIndex = tensor::unravel(position, truth.shape());
    return evidence;
}

int badness(Verdict verdict, Severity severity)
{
    switch (verdict) {
    case Verdict::Crash:
        return 100;
    case Verdict::Timeout:
        return 95;
    case Verdict::Fail:
        return severity == Severity::Hard ? 90 : 80;
    case Verdict::Error:
        return 70;
    case Verdict::Unsupported:
        return 60;
    case Verdict::Pass:
        return 50;
    case Verdict::Unknown:
        return 40;
    case Verdict::NotExercised:
        return 30;
    case Verdict::Inapplicable:
        return 20;
    case Verdict::Absent:
        return 0;
    }
    return 0;
}

std::string outputText(const std::string& path)
{
    return path.empty() ? "" : fmt::format(" of output {}", path);
}

std::string placeText(std::int64_t position, const std::vector<std::int64_t>& shape)
{
    if (shape.empty())
        return "the only element";
    return fmt::format("[{}]", fmt::join(tensor::unravel(position, shape), ", "));
}

GateRun::GateRun(Session& session, Gate gate)
    : m_session(session)
    , m_gate(gate)
    , m_from(session.secondsSpent())
{
    m_result.gate = gate;
}

CheckResult& GateRun::add(CheckResult check)
{
    check.code = fmt::format("{}.{}", id(m_gate), check.code);
    ++m_result.total;
    if (check.verdict == Verdict::Pass || check.verdict == Verdict::Fail || check.verdict == Verdict::Crash
        || check.verdict == Verdict::Timeout)
        ++m_result.exercised;
    if (!countsAgainstCandidate(check.verdict))
        check.stimulus.call.reset(); // it holds the stimulus' tensors
    return m_result.checks.emplace_back(std::move(check));
}

CheckResult& GateRun::pass(std::string_view code, const StimulusRecord& stimulus, std::string metric, double value,
                           double threshold)
{
    CheckResult check;
    check.code = code;
    check.stimulus = stimulus;
    if (!metric.empty()) {
        check.metric = std::move(metric);
        check.value = tensor::measured(value);
        check.threshold = tensor::measured(threshold);
    }
    return add(std::move(check));
}

CheckResult& GateRun::fail(std::string_view code, Severity severity, std::string reason, std::string sentence,
                           const StimulusRecord& stimulus, std::string metric, double value, double threshold,
                           std::optional<Evidence> evidence)
{
    CheckResult check;
    check.code = code;
    check.verdict = Verdict::Fail;
    check.severity = severity;
    check.reason = std::move(reason);
    check.sentence = std::move(sentence);
    check.stimulus = stimulus;
    check.evidence = std::move(evidence);
    if (!metric.empty()) {
        check.metric = std::move(metric);
        check.value = tensor::measured(value);
        check.threshold = tensor::measured(threshold);
    }
    return add(std::move(check));
}

void GateRun::other(std::string_view code, Verdict verdict, std::string reason, std::string sentence,
                    const StimulusRecord& stimulus)
{
    CheckResult check;
    check.code = code;
    check.verdict = verdict;
    check.reason = std::move(reason);
    check.sentence = std::move(sentence);
    check.stimulus = stimulus;
    add(std::move(check));
}

void GateRun::referenceFailure(std::string_view code, const PartyFailure& failure, const StimulusRecord& stimulus)
{
    const bool outOfMemory = failure.kind == PartyFailure::Kind::OutOfMemory;
    const bool oracle = failure.kind == PartyFailure::Kind::Oracle;
    const bool refused = !failure.isGone() && !outOfMemory && !oracle;
    other(code, refused ? Verdict::Inapplicable : Verdict::NotExercised,
          refused           ? "reference_refuses"
              : outOfMemory ? "memory"
              : oracle      ? "oracle"
                            : "reference_lost",
          fmt::format("The reference itself {} on {}.", describeFailure(failure), stimulus.label), stimulus);
}

void GateRun::failure(std::string_view code, const PartyFailure& failure, Severity severity, const StimulusRecord& stimulus)
{
    if (failure.kind == PartyFailure::Kind::OutOfMemory) {
        // Never charged (gates.md section 10): the memory is the machine's and whoever else uses it.
        other(code, Verdict::NotExercised, "memory",
              fmt::format("The candidate {} on {}.", describeFailure(failure), stimulus.label), stimulus);
        return;
    }
    CheckResult check;
    check.code = code;
    check.stimulus = stimulus;
    check.reason = "exception";
    check.severity = severity;
    check.verdict = Verdict::Fail;
    if (failure.kind == PartyFailure::Kind::Died || failure.kind == PartyFailure::Kind::Nonsense) {
        check.verdict = Verdict::Crash;
        check.severity = Severity::Hard;
        check.reason = "crash";
    } else if (failure.kind == PartyFailure::Kind::TimedOut) {
        check.verdict = Verdict::Timeout;
        check.severity = Severity::Hard;
        check.reason = "timeout";
    }
    check.sentence
        = fmt::format("The candidate {} on {}, where the reference answers.", describeFailure(failure), stimulus.label);
    add(std::move(check));
    m_session.refusals().note(failure, stimulus);
}

bool GateRun::hasHardFailure() const
{
    return std::ranges::any_of(m_result.checks, [](const CheckResult& check) {
        return countsAgainstCandidate(check.verdict) && check.severity == Severity::Hard;
    });
}

bool GateRun::hasFailureByRules() const
{
    return m_isBreached || std::ranges::any_of(m_result.checks, [](const CheckResult& check) {
               return countsAgainstCandidate(check.verdict) && !check.calibrated;
           });
}

bool GateRun::mayGoOn(std::string_view code, double share)
{
    if (isExercised() ? secondsLeft(share) > 0 : m_session.withinGrace())
        return true;
    if (!isExercised() && m_session.isCandidateSlow()) {
        CheckResult check;
        check.code = code;
        check.verdict = Verdict::Timeout;
        check.severity = Severity::Soft;
        check.reason = "slow";
        check.sentence
            = fmt::format("The candidate took so long for its other answers that this was not asked: more than the {:g} s "
                          "that a whole judgement has.",
                          m_session.contract().cpuBudgetSeconds);
        add(std::move(check));
        return false;
    }
    other(code, Verdict::NotExercised, "budget", "The time budget of this judgement was spent before this check.");
    return false;
}

double GateRun::secondsLeft(double share) const
{
    const double budget = m_session.contract().cpuBudgetSeconds;
    const double spent = m_session.secondsSpent();
    return std::min(budget - spent, share * budget - (spent - m_from));
}

bool GateRun::fits(std::string_view code, const ShapePtr& shape)
{
    if (m_session.fitsMemory(shape))
        return true;
    other(code, Verdict::NotExercised, "memory", "The memory budget of this judgement does not hold inputs of this size.");
    return false;
}

GateResult GateRun::finish(std::string cleanSentence)
{
    m_result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_started).count();
    const CheckResult* worst = nullptr;
    for (const CheckResult& check : m_result.checks) {
        if (worst == nullptr || badness(check.verdict, check.severity) > badness(worst->verdict, worst->severity))
            worst = &check;
    }
    if (worst == nullptr) {
        m_result.verdict = Verdict::Inapplicable;
        m_result.reason = "no_check";
        m_result.finding = "No check of this gate applies to this task.";
        return std::move(m_result);
    }
    m_result.verdict = worst->verdict;
    m_result.severity = worst->severity;
    m_result.reason = worst->reason;
    m_result.finding
        = worst->verdict == Verdict::Pass ? withinLimits(m_result.checks, std::move(cleanSentence)) : worst->sentence;
    return std::move(m_result);
}

bool checkValues(GateRun& run, const ShapePtr& shape, const Recipe& recipe, const StimulusPtr& stimulus,
                 const ValueVerdictOptions& options)
{
    const StimulusRecord record = run.session().record(shape, recipe, *stimulus);
    const auto truth = run.session().truth(shape, stimulus);
    if (!truth) {
        run.referenceFailure(options.code, truth.failure(), record);
        return false;
    }
    const auto answer = run.session().askCandidate(shape, stimulus);
    if (!answer) {
        run.failure(options.code, answer.failure(), Severity::Soft, record);
        return true;
    }
    judgeAnswer(run, shape, record, stimulus, **truth, *answer, options);
    return true;
}

void judgeAnswer(GateRun& run, const ShapePtr& shape, const StimulusRecord& given, const StimulusPtr& stimulus,
                 const Truth& truth, const CallRecord& answer, const ValueVerdictOptions& options)
{
    const StimulusRecord record = withQuestion(given, options);
    const ValueLimit limit(run.session(), run.gate(), *shape, options.chargeNoise);
    double worst = 0;
    std::int64_t judged = 0;
    std::int64_t elements = 0;
    const auto findings = run.session().compare(shape, *stimulus, truth, answer, options.probabilistic, limit.value());
    for (const OutputFinding& finding : findings) {
        if (finding.value && limit.breaksRules(*finding.value))
            run.noteBreach();
    }
    for (const OutputFinding& finding : findings) {
        if (!finding.mismatch.empty()) {
            if (options.chargeShape)
                run.fail(options.code, Severity::Hard, "shape",
                         fmt::format("The candidate {} on {}.", finding.mismatch, record.label), record);
            return;
        }
        if (!finding.dtypeDiffers.empty() && options.chargeDtype) {
            run.fail(options.code, Severity::Hard, "dtype",
                     fmt::format("The candidate {} on {}.", finding.dtypeDiffers, record.label), record);
            return;
        }
        const HostTensor& got = answer.outputs[finding.leaf].value;
        const std::string output = outputText(finding.path);
        if (finding.exact) {
            judged += finding.exact->judged;
            elements += finding.exact->elements;
            if (finding.exact->different == 0)
                continue;
            const HostTensor& want = truth.reference[finding.leaf].value;
            run.fail(options.code, Severity::Hard, "exact",
                     fmt::format("{} of {} exact elements{} differ on {}: {} where the reference gives {} at {}.",
                                 finding.exact->different, finding.exact->judged, output, record.label, finding.exact->candidate,
                                 finding.exact->reference, placeText(finding.exact->worstPosition, want.shape())),
                     record, "elements", static_cast<double>(finding.exact->different), 0,
                     keepEvidence(*stimulus, want, got, finding.path, finding.exact->worstPosition));
            return;
        }
        if (!finding.value) // None on both sides
            continue;
        const ValueFinding& value = *finding.value;
        const HostTensor& want = truth.leaves[finding.leaf].r64;
        const auto rulesHere = [&] {
            ValueRules rules = run.session().rules(shape, *stimulus, truth.reference[finding.leaf]);
            rules.probabilistic = options.probabilistic;
            return rules;
        };
        if (ExcessProbe* const probe = run.session().probe(); probe != nullptr)
            probe->look(shape->dtype(), truth.leaves[finding.leaf], value, rulesHere());
        judged += value.judged;
        elements += value.elements;
        if (options.chargeClasses && value.minted > 0) {
            run.fail(
                options.code, options.mintSeverity, "mint",
                fmt::format(
                    "The candidate returns NaN or Inf at {} of {} elements{} on {}, where the reference is finite; first at {}.",
                    value.minted, value.elements, output, record.label, placeText(value.firstClassMismatch, want.shape())),
                record, "elements", static_cast<double>(value.minted), 0,
                keepEvidence(*stimulus, want, got, finding.path, value.firstClassMismatch));
            return;
        }
        if (value.boundBroken()) {
            limit.mark(run.fail(
                options.code, Severity::Soft, "bound",
                fmt::format("{}; at {} the candidate gives {:.9g}, the fp64 truth is {:.9g}.{}",
                            brokenBound(value, limit, output, record.label), placeText(value.worstPosition, want.shape()),
                            value.worstCandidate, value.worstReference,
                            limit.breaksRules(value) ? operandsThatExplain(truth.leaves[finding.leaf], got, rulesHere()) : ""),
                record, limit.metric(), limit.measured(value), limit.value(),
                keepEvidence(*stimulus, want, got, finding.path, value.worstPosition)));
            return;
        }
        if (options.chargeNoise && value.noisy > 0) {
            const bool calibrated = limit.isCalibrated();
            limit.mark(run.fail(
                options.code, Severity::Soft, "noise_ratio",
                fmt::format(
                    "Errors{} are up to {:.3g} times those of right fp32 evaluations on {}: the precision is below the claim.",
                    output, value.worstRho, record.label),
                record, calibrated ? limit.metric() : "noise ratio", calibrated ? limit.measured(value) : value.worstRho,
                calibrated ? limit.value() : 30, keepEvidence(*stimulus, want, got, finding.path, value.worstPosition)));
            return;
        }
        worst = std::max(worst, limit.measured(value));
        if (value.orderLimited > 0)
            run.session().flag(run.gate(), "order_limited",
                               fmt::format("{} elements lie between the probabilistic and the deterministic bound on {}.",
                                           value.orderLimited, record.label));
        if (value.signedZeros > 0)
            run.session().flag(run.gate(), "signed_zero",
                               fmt::format("{} zeros have the other sign on {}.", value.signedZeros, record.label));
    }
    if (elements == 0) {
        run.other(options.code, Verdict::Inapplicable, "empty",
                  fmt::format("The reference returns no element on {}.", record.label), record);
        return;
    }
    if (judged == 0) {
        run.other(options.code, Verdict::NotExercised, "vacuous",
                  fmt::format("No element can be judged on {}: ill conditioned or not finite.", record.label), record);
        return;
    }
    limit.mark(run.pass(options.code, record, limit.metric(), worst, limit.value()));
}

} // namespace assay::contract
