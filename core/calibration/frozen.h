// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/sample.h"
#include "core/calibration/separation.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::calibration {

/// The threshold of one gate for one op family and dtype. Numbers are nothing where the state has none.
struct FrozenThreshold {
    std::string gate;
    std::string family;
    std::string dtype;
    GapState state = GapState::NoConforming;
    std::optional<double> floor;
    std::optional<double> onset;
    std::optional<double> threshold;
};

/// Everything that makes a calibration what it is. Two of equal content have one version, however they were put together.
struct FrozenCalibration {
    std::vector<FrozenThreshold> thresholds;
    std::string samplesDigest; ///< digestOf() the samples
    std::string device;
    std::map<std::string, std::string> versions; ///< of what measured: "torch", "driver", ...
    std::uint64_t seed = 0;
    double holdOutShare = 1.0 / 3;
    ThresholdRule rule;
};

/// Stable word of a state for files: "safe", "no-safe-gap", "overlap", ...
std::string_view name(GapState state);

/// SHA-256 of samples in canonical order, so that the order they were measured in does not count; their number does.
std::string digestOf(std::span<const Sample> samples);

/// The calibration as one line of JSON: members and thresholds in ascending order, numbers as the shortest decimals that read
/// back, the seed as text (it has 64 bits).
///
/// @throws Error  where a gate, family and dtype occur twice or a number is not finite
std::string canonicalJson(const FrozenCalibration& calibration);

/// Reads what canonicalJson() wrote.
///
/// @param where  names the calibration in messages
/// @throws Error  where it is no such definition
FrozenCalibration readFrozen(std::string_view definition, const std::string& where);

/// SHA-256 of canonicalJson(): what a verdict cites.
std::string versionOf(const FrozenCalibration& calibration);

} // namespace assay::calibration
