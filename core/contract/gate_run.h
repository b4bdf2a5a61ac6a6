// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"
#include "core/contract/value_question.h"

#include <chrono>
#include <string>
#include <string_view>

namespace assay::contract {

/// Collects the checks of one gate and folds them into its verdict: the worst check wins.
class GateRun {
public:
    GateRun(Session& session, Gate gate);

    Session& session() { return m_session; }
    Gate gate() const { return m_gate; }

    /// Adds one finished check. @p code without the gate's id ("swallow"); the stimulus record is filled by the caller.
    /// @return the check as it was added, until the next one is
    CheckResult& add(CheckResult check);

    CheckResult& pass(std::string_view code, const StimulusRecord& stimulus, std::string metric = {}, double value = 0,
                      double threshold = 0);
    CheckResult& fail(std::string_view code, Severity severity, std::string reason, std::string sentence,
                      const StimulusRecord& stimulus, std::string metric = {}, double value = 0, double threshold = 0,
                      std::optional<Evidence> evidence = {});
    /// Verdicts that are neither pass nor fail: not exercised, inapplicable, unsupported, unknown.
    void other(std::string_view code, Verdict verdict, std::string reason, std::string sentence,
               const StimulusRecord& stimulus = {});
    /// The reference gave no answer: inapplicable where it refuses, not exercised where its process or the memory was lost, which
    /// says nothing about the candidate.
    void referenceFailure(std::string_view code, const PartyFailure& failure, const StimulusRecord& stimulus);
    /// The candidate raised, died or hung where the reference answered. @p severity of a clean exception.
    void failure(std::string_view code, const PartyFailure& failure, Severity severity, const StimulusRecord& stimulus);

    void power(std::string text) { m_result.power = std::move(text); }

    /// True where a hard failure is already known, so that further questions only cost time.
    bool hasHardFailure() const;
    /// A failure that stands without any calibration, or values beyond the rules' own limit although a calibrated one lets them
    /// pass: what a hard finding may lean on.
    bool hasFailureByRules() const;
    void noteBreach() { m_isBreached = true; }
    bool hasChecks() const { return m_result.total > 0; }
    bool isExercised() const { return m_result.exercised > 0; }
    /// False (with a `not_exercised: budget` check added) once the budget is spent; a gate without an exercised check has as long
    /// again. Where that is spent as well, and by the candidate, the check that is added is its soft timeout: nobody else can
    /// answer for it.
    /// @param share  of the whole budget that this gate may spend: a gate that asks at dozens of sizes leaves time for the others
    bool mayGoOn(std::string_view code, double share = 1);
    /// Seconds that are left of the budget and of this gate's share of it; not above 0 where one is spent.
    double secondsLeft(double share) const;
    /// False (with a `not_exercised: memory` check added) where @p shape would not fit.
    bool fits(std::string_view code, const ShapePtr& shape);

    /// Without any check the task has nothing to ask about: inapplicable. Whatever kept a gate from asking is a check of its own.
    GateResult finish(std::string cleanSentence);

private:
    Session& m_session;
    Gate m_gate;
    GateResult m_result;
    bool m_isBreached = false;
    double m_from; ///< seconds of the session
    std::chrono::steady_clock::time_point m_started = std::chrono::steady_clock::now();
};

/// Asks both sides about @p stimulus and adds one check: value bound, exact elements, classes, shape, dtype.
/// @return false where the reference refused the stimulus (the check is then inapplicable)
bool checkValues(GateRun& run, const ShapePtr& shape, const Recipe& recipe, const StimulusPtr& stimulus,
                 const ValueVerdictOptions& options = {});

/// The same for an answer that is at hand.
void judgeAnswer(GateRun& run, const ShapePtr& shape, const StimulusRecord& record, const StimulusPtr& stimulus,
                 const Truth& truth, const CallRecord& answer, const ValueVerdictOptions& options);

/// Tensors of a failing check for its result; nothing where they are so large that the stimulus had better be made again.
/// @param position  row-major element of @p truth to point at, or -1
std::optional<Evidence> keepEvidence(const Stimulus& stimulus, const HostTensor& truth, const HostTensor& candidate,
                                     const std::string& path, std::int64_t position);

/// " of output 0.x", or nothing for the only output.
std::string outputText(const std::string& path);

/// "[3, 511]" of row-major @p position in @p shape; "the only element" for a scalar.
std::string placeText(std::int64_t position, const std::vector<std::int64_t>& shape);

/// How @p verdict and @p severity rank: a larger number is worse. Source: gates.md section 4, "Lattice".
int badness(Verdict verdict, Severity severity);

} // namespace assay::contract
