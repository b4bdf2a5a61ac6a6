// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::contract {

/// The verdict lattice (gates.md section 4). "Not exercised", "unsupported", "failed" and "could not run" stay four different
/// things.
enum class Verdict : std::uint8_t {
    Absent,       ///< no result is recorded for this gate
    Pass,         ///< at least one check ran and none failed
    Fail,         ///< a check failed; its severity says how
    Inapplicable, ///< the task has nothing to ask about: the reference refuses, no floating output, no reduction
    Unsupported,  ///< the candidate refuses the dtype cleanly before any launch
    NotExercised, ///< it could be asked and was not: vacuous stimulus, no memory, no time, the reference's process lost
    Unknown,      ///< no evidence either way
    Crash,        ///< the candidate crashed
    Timeout,      ///< the candidate hung
    Error,        ///< the harness could not judge: never the kernel's fault
};

inline constexpr std::array<Verdict, 10> kAllVerdicts
    = {Verdict::Absent,       Verdict::Pass,    Verdict::Fail,  Verdict::Inapplicable, Verdict::Unsupported,
       Verdict::NotExercised, Verdict::Unknown, Verdict::Crash, Verdict::Timeout,      Verdict::Error};

/// How much a failure weighs. Hard failures need no tolerance.
enum class Severity : std::uint8_t { None, Note, Soft, Hard };

/// "pass", "not_exercised" and so on; Absent is "".
std::string_view name(Verdict verdict);
std::optional<Verdict> verdictFromName(std::string_view text);

/// "hard", "soft", "note"; None is "".
std::string_view name(Severity severity);
std::optional<Severity> severityFromName(std::string_view text);

/// True for Fail, Crash and Timeout: the verdicts that count against the candidate.
bool countsAgainstCandidate(Verdict verdict);

} // namespace assay::contract
