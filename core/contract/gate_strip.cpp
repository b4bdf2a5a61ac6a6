// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gate_strip.h"

namespace assay::contract {

StripCell stripCell(Verdict verdict, Severity severity)
{
    switch (verdict) {
    case Verdict::Absent:
        return StripCell::Absent;
    case Verdict::Pass:
        return severity == Severity::Note ? StripCell::PassWithNote : StripCell::Pass;
    case Verdict::Fail:
        return severity == Severity::Hard ? StripCell::FailHard : StripCell::FailSoft;
    case Verdict::Inapplicable:
        return StripCell::Inapplicable;
    case Verdict::Unsupported:
        return StripCell::Unsupported;
    case Verdict::NotExercised:
        return StripCell::NotExercised;
    case Verdict::Unknown:
        return StripCell::Unknown;
    case Verdict::Crash:
        return StripCell::Crash;
    case Verdict::Timeout:
        return StripCell::Timeout;
    case Verdict::Error:
        return StripCell::Error;
    }
    return StripCell::Absent;
}

std::string_view name(StripCell cell)
{
    switch (cell) {
    case StripCell::Absent:
        return "absent";
    case StripCell::Pass:
        return "pass";
    case StripCell::FailHard:
        return "fail_hard";
    case StripCell::FailSoft:
        return "fail_soft";
    case StripCell::Inapplicable:
        return "inapplicable";
    case StripCell::Unsupported:
        return "unsupported";
    case StripCell::NotExercised:
        return "not_exercised";
    case StripCell::Unknown:
        return "unknown";
    case StripCell::Crash:
        return "crash";
    case StripCell::Timeout:
        return "timeout";
    case StripCell::Error:
        return "error";
    case StripCell::Running:
        return "running";
    case StripCell::PassWithNote:
        return "pass_with_note";
    }
    return "absent";
}

bool isFailing(StripCell cell)
{
    return cell == StripCell::FailHard || cell == StripCell::FailSoft || cell == StripCell::Crash || cell == StripCell::Timeout;
}

void GateStrip::set(Gate gate, StripCell cell)
{
    m_packed &= ~(std::int64_t{0xF} << shift(gate));
    m_packed |= static_cast<std::int64_t>(cell) << shift(gate);
}

int GateStrip::failMask() const
{
    int mask = 0;
    for (const Gate gate : kAllGates) {
        if (isFailing(cell(gate)))
            mask |= 1 << indexOf(gate);
    }
    return mask;
}

} // namespace assay::contract
