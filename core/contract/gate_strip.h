// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/verdict.h"

#include <cstdint>
#include <string_view>

namespace assay::contract {

/// What one cell of the gate strip shows: a verdict with the severity folded in. The numbers are stored; never reorder them.
enum class StripCell : std::uint8_t {
    Absent = 0,
    Pass = 1,
    FailHard = 2,
    FailSoft = 3,
    Inapplicable = 4,
    Unsupported = 5,
    NotExercised = 6,
    Unknown = 7,
    Crash = 8,
    Timeout = 9,
    Error = 10,
    Running = 11,
    PassWithNote = 12,
};

/// The cell that stands for @p verdict with @p severity.
StripCell stripCell(Verdict verdict, Severity severity);

/// Stable name for filters, exports and accessibility: "pass", "fail_hard", "fail_soft", "not_exercised", ...
std::string_view name(StripCell cell);

/// True for FailHard, FailSoft, Crash and Timeout.
bool isFailing(StripCell cell);

/// Twelve cells, four bits a gate, CMP-01 in the lowest bits. Fits SQLite's signed 64-bit integer.
class GateStrip {
public:
    GateStrip() = default;
    explicit GateStrip(std::int64_t packed)
        : m_packed(packed)
    {
    }

    StripCell cell(Gate gate) const { return static_cast<StripCell>((m_packed >> shift(gate)) & 0xF); }
    void set(Gate gate, StripCell cell);
    std::int64_t packed() const { return m_packed; }

    /// Bit i set where gate i is failing (isFailing), the "fail set" of reports.
    int failMask() const;

    static constexpr int shift(Gate gate) { return 4 * indexOf(gate); }
    bool operator==(const GateStrip&) const = default;

private:
    std::int64_t m_packed = 0;
};

} // namespace assay::contract
