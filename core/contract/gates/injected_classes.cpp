// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/injected_classes.h"

#include "core/contract/class_confusion.h"
#include "core/contract/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace assay::contract::gates {

namespace {

bool isFloatingLeaf(const OutputLeaf& leaf)
{
    return !leaf.isNone && tensor::isFloating(leaf.value.dtype());
}

bool isClose(double a, double b)
{
    return std::isfinite(a) && std::abs(a - b) <= 1e-4 * std::max(std::abs(a), std::abs(b));
}

} // namespace

/// One injected trial with its answers.
struct InjectedClasses::Question {
    std::string_view code;
    const Injection& injection;
    const Trial& trial;
    const StimulusRecord& record;
    const CallRecord& exact;
    const CallRecord& shipped;
    const CallRecord& answer;
    std::vector<ClassConfusion> confusions; ///< per leaf; empty for leaves that are not floating

    const HostTensor& want(std::size_t leaf) const { return exact.outputs[leaf].value; }
    const HostTensor& got(std::size_t leaf) const { return answer.outputs[leaf].value; }
    std::optional<Evidence> evidence(std::size_t leaf, std::int64_t position) const
    {
        return keepEvidence(*trial.stimulus, want(leaf), got(leaf), exact.outputs[leaf].path, position);
    }
};

InjectedClasses::InjectedClasses(GateRun& run, ShapePtr shape, StimulusPtr base)
    : m_run(run)
    , m_shape(std::move(shape))
    , m_base(std::move(base))
{
}

namespace {

/// What kind of code gives such an answer, as far as the numbers tell. Triton's tl.max, tl.min, maximum, minimum and clamp skip
/// NaN by design, which is another cause than a reduction's start value or a comparison.
std::string causeOf(const Sensitivity& sensitivity, std::size_t leaf, std::int64_t position, double candidate,
                    bool referenceIsNaN)
{
    if (std::abs(candidate) >= std::numeric_limits<float>::max())
        return "; the answer is a start value that no element replaced";
    if (candidate == 0)
        return "";
    if (referenceIsNaN && isClose(candidate, sensitivity.answer(leaf, position, 1)))
        return "; the NaN counts as if it were very small, as in a maximum that skips NaN (tl.max, tl.maximum, fmax, or `>`)";
    if (referenceIsNaN && isClose(candidate, sensitivity.answer(leaf, position, 0)))
        return "; the NaN counts as if it were very large, as in a minimum that skips NaN (tl.min, tl.minimum, fmin, or `<`)";
    return "";
}

} // namespace

bool InjectedClasses::failsHard(const Question& question)
{
    const bool suspicious = std::ranges::any_of(
        question.confusions, [](const ClassConfusion& found) { return !found.swallowed.empty() || !found.flipped.empty(); });
    if (!suspicious)
        return false;
    const auto sensitivity = Sensitivity::probe(m_run.session(), m_shape, m_base, question.injection);
    if (!sensitivity) {
        m_run.other(question.code, Verdict::Unknown, "sensitivity",
                    fmt::format("Classes differ on {}, but the reference refuses finite numbers there, so that nobody can tell "
                                "which outputs the element reaches.",
                                question.record.label),
                    question.record);
        return true;
    }
    for (std::size_t leaf = 0; leaf < question.confusions.size(); ++leaf) {
        const ClassConfusion& confusion = question.confusions[leaf];
        const auto sensitive = [&](const std::vector<std::int64_t>& positions) {
            std::vector<std::int64_t> kept;
            std::ranges::copy_if(positions, std::back_inserter(kept),
                                 [&](std::int64_t position) { return sensitivity->isSensitive(leaf, position); });
            return kept;
        };
        const std::vector<std::int64_t> swallowed = sensitive(confusion.swallowed);
        const std::vector<std::int64_t> flipped = firmSigns(question, leaf, sensitive(confusion.flipped));
        const std::string output = outputText(question.exact.outputs[leaf].path);
        if (!swallowed.empty()) {
            const std::int64_t first = swallowed.front();
            if (ignoresParameter(question, leaf, first)) {
                m_run.other(
                    question.code, Verdict::NotExercised, "ignores_state",
                    fmt::format("The candidate does not follow a change of parameter {} here, NaN or not: ORD-02 judges that.",
                                question.injection.parameter),
                    question.record);
                return true;
            }
            const double value = question.got(leaf).toDoubles()[static_cast<std::size_t>(first)];
            const double truth = question.want(leaf).toDoubles()[static_cast<std::size_t>(first)];
            m_run.fail("swallow", Severity::Hard, "swallow",
                       fmt::format("The candidate returns finite values at {} of {} elements{} where the reference is {}, on {}; "
                                   "{:.6g} at {}{}.",
                                   swallowed.size(), confusion.referenceNonFinite(), output, name(confusion.dominantClass()),
                                   question.record.label, value, placeText(first, question.want(leaf).shape()),
                                   causeOf(*sensitivity, leaf, first, value, std::isnan(truth))),
                       question.record, "elements", static_cast<double>(swallowed.size()), 0, question.evidence(leaf, first));
            return true;
        }
        if (!flipped.empty()) {
            m_run.fail("sign", Severity::Hard, "sign",
                       fmt::format("The candidate turns {} of {} infinities{} around on {}, first at {}.", flipped.size(),
                                   confusion.referenceNonFinite(), output, question.record.label,
                                   placeText(flipped.front(), question.want(leaf).shape())),
                       question.record, "elements", static_cast<double>(flipped.size()), 0,
                       question.evidence(leaf, flipped.front()));
            return true;
        }
        if (!confusion.swallowed.empty())
            m_run.session().flag(m_run.gate(), "structural",
                                 fmt::format("{} elements{} are finite on {} where the reference is {} through 0 x alone.",
                                             confusion.swallowed.size(), output, question.record.label,
                                             name(confusion.dominantClass())));
    }
    return false;
}

std::vector<std::int64_t> InjectedClasses::firmSigns(const Question& question, std::size_t leaf,
                                                     std::vector<std::int64_t> flipped)
{
    if (flipped.empty() || question.injection.isParameter())
        return flipped;
    Session& session = m_run.session();
    const Trial finite = injectedWith(session, m_shape, m_base, question.injection, Sensitivity::kValues.front());
    const auto truth = session.truth(m_shape, finite.stimulus);
    if (!truth || leaf >= (*truth)->leaves.size())
        return flipped;
    const LeafTruth& right = (*truth)->leaves[leaf];
    const std::vector<double> values = right.r64.toDoubles();
    const std::vector<double> bounds = errorBounds(right, session.rules(m_shape, *finite.stimulus, (*truth)->reference[leaf]));
    const std::size_t before = flipped.size();
    std::erase_if(flipped, [&](std::int64_t position) {
        const auto at = static_cast<std::size_t>(position);
        return at < values.size() && std::abs(values[at]) <= bounds[at];
    });
    if (flipped.size() < before)
        session.flag(m_run.gate(), "sign_within_rounding",
                     fmt::format("{} infinities{} have the other sign on {}, where rounding may turn that of a finite number.",
                                 before - flipped.size(), outputText(question.exact.outputs[leaf].path), question.record.label));
    return flipped;
}

bool InjectedClasses::ignoresParameter(const Question& question, std::size_t leaf, std::int64_t position)
{
    if (!question.injection.isParameter())
        return false;
    Session& session = m_run.session();
    const std::array trials
        = {Trial{m_base, {}}, injectedWith(session, m_shape, m_base, question.injection, Sensitivity::kValues.front())};
    const auto answers = askCandidateAll(session, m_shape, trials);
    const auto element
        = [&](std::size_t at) { return answers[at]->outputs[leaf].value.toDoubles()[static_cast<std::size_t>(position)]; };
    return answers.size() == trials.size() && answers[0] && answers[1] && comparable(*answers[0], question.answer)
        && comparable(*answers[1], question.answer) && element(0) == element(1);
}

bool InjectedClasses::failsDecision(const Question& question)
{
    // Several NaN in a row are equals, among which a sort promises no order.
    if (m_shape->reference.sorts && question.injection.places.size() > 1)
        return false;
    std::optional<Sensitivity> sensitivity;
    for (std::size_t leaf = 0; leaf < question.exact.outputs.size(); ++leaf) {
        if (question.shipped.outputs[leaf].isNone || isFloatingLeaf(question.shipped.outputs[leaf]))
            continue;
        const std::vector<double> exact = question.want(leaf).toDoubles();
        const std::vector<double> shipped = question.shipped.outputs[leaf].value.toDoubles();
        const std::vector<double> got = question.got(leaf).toDoubles();
        for (std::size_t i = 0; i < exact.size(); ++i) {
            if (exact[i] != shipped[i] || got[i] == exact[i])
                continue;
            if (!sensitivity)
                sensitivity = Sensitivity::probe(m_run.session(), m_shape, m_base, question.injection);
            // An index that an extreme number in the same place gets as well: the reference lets NaN win or lose, it does not
            // convert NaN to an integer, which has no defined result.
            const auto position = static_cast<std::int64_t>(i);
            if (!sensitivity || !sensitivity->isSensitive(leaf, position)
                || (sensitivity->answer(leaf, position, 0) != exact[i] && sensitivity->answer(leaf, position, 1) != exact[i]))
                continue;
            m_run.fail(
                "decision", Severity::Soft, "decision",
                fmt::format("On {} the candidate decides for {:.17g} at {}{}, the reference for {:.17g}: NaN or Inf does not "
                            "take part as it does there.",
                            question.record.label, got[i], placeText(position, question.want(leaf).shape()),
                            outputText(question.exact.outputs[leaf].path), exact[i]),
                question.record, "index", got[i], exact[i], question.evidence(leaf, position));
            return true;
        }
    }
    return false;
}

bool InjectedClasses::entriesAreIndependent(int input, std::size_t leaf)
{
    const std::pair key(input, leaf);
    const auto known = m_isBatch.find(key);
    if (known != m_isBatch.end())
        return known->second;
    return m_isBatch[key] = isBatch(m_run.session(), m_shape, m_base, input, leaf);
}

bool InjectedClasses::failsAcrossEntries(const Question& question)
{
    const std::vector<std::int64_t> own = question.injection.entries();
    for (std::size_t leaf = 0; leaf < question.confusions.size(); ++leaf) {
        const std::vector<std::int64_t>& gained = question.confusions[leaf].gained;
        if (gained.empty())
            continue;
        const HostTensor& want = question.want(leaf);
        const std::string output = outputText(question.exact.outputs[leaf].path);
        std::int64_t foreign = 0;
        std::int64_t first = -1;
        if (!own.empty() && !want.shape().empty() && want.shape().front() == question.injection.shape.front()) {
            const std::int64_t perEntry = want.count() / want.shape().front();
            for (const std::int64_t position : gained) {
                if (std::ranges::binary_search(own, position / perEntry))
                    continue;
                first = first < 0 ? position : first;
                ++foreign;
            }
        }
        if (foreign > 0 && entriesAreIndependent(question.injection.input, leaf)) {
            m_run.fail(
                "spread", Severity::Soft, "spread",
                fmt::format("{} elements{} of other batch entries become NaN or Inf on {}, first at {}; the reference keeps "
                            "the entries apart.",
                            foreign, output, question.record.label, placeText(first, want.shape())),
                question.record, "elements", static_cast<double>(foreign), 0, question.evidence(leaf, first));
            return true;
        }
        m_run.session().flag(m_run.gate(), "over_propagation",
                             fmt::format("NaN or Inf reaches {} elements{} more than in the reference on {}.", gained.size(),
                                         output, question.record.label));
    }
    return false;
}

void InjectedClasses::judge(std::string_view code, const Injection& injection, const Trial& trial, const StimulusRecord& record,
                            const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer)
{
    Question question{code, injection, trial, record, exact, shipped, answer, {}};
    std::int64_t decided = 0;
    std::int64_t elements = 0;
    for (std::size_t leaf = 0; leaf < shipped.outputs.size(); ++leaf) {
        const bool floating = isFloatingLeaf(shipped.outputs[leaf]);
        question.confusions.push_back(floating ? confuse(question.want(leaf), shipped.outputs[leaf].value, question.got(leaf))
                                               : ClassConfusion{});
        elements += shipped.outputs[leaf].value.count();
        decided += floating ? question.confusions.back().decided() : shipped.outputs[leaf].value.count();
        if (!question.confusions.back().otherKind.empty())
            m_run.session().flag(m_run.gate(), "kind",
                                 fmt::format("{} elements{} are NaN instead of Inf or Inf instead of NaN on {}.",
                                             question.confusions.back().otherKind.size(), outputText(shipped.outputs[leaf].path),
                                             record.label));
    }
    if (elements == 0) {
        m_run.other(code, Verdict::Inapplicable, "empty", fmt::format("The reference returns no element on {}.", record.label),
                    record);
        return;
    }
    if (decided == 0) {
        m_run.other(code, Verdict::NotExercised, "vacuous",
                    fmt::format("The fp64 oracle and the reference as shipped agree on no element's class on {}.", record.label),
                    record);
        return;
    }
    if (failsHard(question) || failsAcrossEntries(question) || failsDecision(question))
        return;
    m_run.pass(code, record, "elements", 0, 0);
}

} // namespace assay::contract::gates
