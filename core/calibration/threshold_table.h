// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/frozen.h"
#include "core/calibration/series.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Thresholds as a judge takes them: what one frozen calibration gives for each gate, op family and dtype, in a file of its own.
namespace assay::calibration {

/// One gate, op family and dtype.
struct ThresholdRow {
    std::string gate;
    std::string family;
    std::string dtype;
    std::optional<double> threshold; ///< nothing where the calibration gives none
    std::string reason;              ///< why there is none; "" where there is one
    std::optional<double> floor;     ///< what right kernels keep
    std::optional<double> onset;     ///< the least of what has to be seen
    std::int64_t kernels = 0;        ///< right kernels that set it
    std::int64_t holdOutKernels = 0; ///< right kernels that only tried it
    std::int64_t holdOutAlarms = 0;  ///< of these: kernels that it charges
    double holdOutBound = 1;         ///< one-sided 95 % bound of their share
    bool isOneSided = false;         ///< set from the floor alone: nothing promises that all of what has to be seen lies beyond
    double seenShare = 0;            ///< of the samples that ought to be seen: those beyond the threshold
    bool operator==(const ThresholdRow&) const = default;
};

struct ThresholdTable {
    std::string calibration; ///< versionOf() the calibration it was made from
    std::string device;      ///< that was calibrated on: printable, without quotes
    std::vector<ThresholdRow> rows;
    std::string kind = "cuda"; ///< of that device, "cpu" or "cuda"
    bool operator==(const ThresholdTable&) const = default;

    /// Rows of @p family that have a threshold. Kernels of no known family have none: nothing was calibrated for them.
    std::vector<ThresholdRow> of(std::string_view family) const;
};

/// What the limit of a gate, family and dtype is tried on.
struct LimitGround {
    std::int64_t kernels = 0; ///< right ones of the calibration half
    Series heldOut;           ///< what right kernels of the other half give
    Series seen;              ///< what ought to be seen, of both halves
};

/// @param rule  what ought to be seen in that dtype
LimitGround groundOf(std::span<const Sample> samples, std::uint64_t seed, double holdOutShare, const ThresholdRule& rule);

/// What becomes of one frozen threshold, where kernels enough stand on both sides of the split: it is taken over where its gap is
/// safe. Elsewhere the limit is a decade above what right kernels keep and never looser than the rules' own, 1; there is none
/// where that leaves less than half a decade, or charges a kernel that was held out.
/// @param samples  of that gate, family and dtype
/// @param rule     what ought to be seen in that dtype
ThresholdRow rowOf(const FrozenThreshold& frozen, std::span<const Sample> samples, std::uint64_t seed, double holdOutShare,
                   const ThresholdRule& rule);
ThresholdRow rowOf(const FrozenThreshold& frozen, const LimitGround& ground, const ThresholdRule& rule);

/// The table as one line of JSON, rows in ascending order; versionOf() is its SHA-256: what a verdict cites.
/// @throws Error  where a gate, family and dtype occur twice or a number is not finite
std::string canonicalJson(const ThresholdTable& table);
std::string versionOf(const ThresholdTable& table);

/// The table as a file: canonicalJson() with a row a line and its own version.
std::string toText(const ThresholdTable& table);

/// Reads such a file.
/// @param where  its path, for messages
/// @throws Error  where it is none, was changed since it was written, or holds a threshold outside its gap
ThresholdTable readThresholdTable(std::string_view text, const std::string& where);

} // namespace assay::calibration
