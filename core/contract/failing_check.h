// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/session.h"

#include <optional>
#include <string>

namespace assay::contract {

class GateRun;

/// What both sides are called with.
struct CallCase {
    ShapePtr shape;
    StimulusPtr stimulus;
    ModuleState state; ///< entries of the reference's state that this call alone starts from: a parameter that carries NaN
};

/// One failing check that can be asked again about other stimuli: values beyond their bound, classes of NaN and Inf, subnormal
/// numbers, refusals and deaths. Checks about several calls, gradients or resources cannot.
class FailingCheck {
public:
    /// @param session  opened, of the same pair, contract and seed
    FailingCheck(Session& session, Gate gate, const CheckResult& failed);

    /// Why it cannot be asked again, or "".
    const std::string& obstacle() const { return m_obstacle; }

    /// The call that it failed on.
    const CallCase& original() const { return m_original; }

    /// Asks about @p other. @return the check as it fails there, or nothing where it passes, the reference does not answer or
    /// something else fails
    std::optional<CheckResult> failsOn(const CallCase& other);

private:
    enum class Kind { Values, Refusal, Injected, Clean, Subnormal };

    void findKind();
    void findOriginal();
    void askValues(GateRun& run, const CallCase& other, const StimulusRecord& record);
    void askRefusal(GateRun& run, const CallCase& other, const StimulusRecord& record);
    void askClasses(GateRun& run, const CallCase& other, const StimulusRecord& record);
    StimulusRecord recordOf(const CallCase& other) const;

    Session& m_session;
    Gate m_gate;
    const CheckResult& m_failed;
    std::string m_code; ///< without the gate's id
    Kind m_kind = Kind::Values;
    std::string m_obstacle;
    CallCase m_original;
    std::optional<std::string> m_failureType; ///< of the exception or signal, once it was seen again
};

} // namespace assay::contract
