// SPDX-License-Identifier: Apache-2.0
#include "core/contract/verdict.h"

namespace assay::contract {

std::string_view name(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Absent:
        return "";
    case Verdict::Pass:
        return "pass";
    case Verdict::Fail:
        return "fail";
    case Verdict::Inapplicable:
        return "inapplicable";
    case Verdict::Unsupported:
        return "unsupported";
    case Verdict::NotExercised:
        return "not_exercised";
    case Verdict::Unknown:
        return "unknown";
    case Verdict::Crash:
        return "crash";
    case Verdict::Timeout:
        return "timeout";
    case Verdict::Error:
        return "error";
    }
    return "";
}

std::optional<Verdict> verdictFromName(std::string_view text)
{
    for (const Verdict verdict : kAllVerdicts) {
        if (name(verdict) == text)
            return verdict;
    }
    return std::nullopt;
}

std::string_view name(Severity severity)
{
    switch (severity) {
    case Severity::None:
        return "";
    case Severity::Note:
        return "note";
    case Severity::Soft:
        return "soft";
    case Severity::Hard:
        return "hard";
    }
    return "";
}

std::optional<Severity> severityFromName(std::string_view text)
{
    for (const Severity severity : {Severity::None, Severity::Note, Severity::Soft, Severity::Hard}) {
        if (name(severity) == text)
            return severity;
    }
    return std::nullopt;
}

bool countsAgainstCandidate(Verdict verdict)
{
    return verdict == Verdict::Fail || verdict == Verdict::Crash || verdict == Verdict::Timeout;
}

} // namespace assay::contract
