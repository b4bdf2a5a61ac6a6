// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/sample.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assay::calibration {

/// The half a kernel belongs to: thresholds are set on one and tried on the other.
enum class Half : unsigned char { Calibration, HoldOut };

/// "calibration", "hold-out".
std::string_view name(Half half);

/// The half of @p kernel, from the SHA-256 of seed and identity alone: a kernel stays where it is when others are added.
///
/// @param holdOutShare  expected share of kernels held out, in [0, 1]
Half halfOf(std::string_view kernel, std::uint64_t seed, double holdOutShare = 1.0 / 3);

/// All samples, each in its kernel's half and in the order given.
struct Split {
    std::vector<Sample> calibration;
    std::vector<Sample> holdOut;
};

Split split(std::span<const Sample> samples, std::uint64_t seed, double holdOutShare = 1.0 / 3);

} // namespace assay::calibration
