// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/failure_mask.h"

#include <cstdint>
#include <vector>

namespace assay::diff {

/// What a mask looks like along one axis. A run is a longest sequence of marked elements along the axis.
struct AxisProfile {
    std::int64_t size = 0;
    std::vector<std::int64_t> marked; ///< elements, by index; empty for axes beyond kLongestProfile
    std::vector<std::int64_t> starts; ///< runs, by the index of their first element
    std::vector<std::int64_t> ends;   ///< runs, by the index behind their last element: one entry more than size
};

/// What a mask looks like, small enough to look for structure in.
struct MaskProfile {
    std::int64_t count = 0;  ///< elements
    std::int64_t marked = 0; ///< of these
    std::vector<AxisProfile> axes;
    std::int64_t aboveDiagonal = 0; ///< marked elements whose last index exceeds the one before
    std::int64_t belowDiagonal = 0;
};

inline constexpr std::int64_t kLongestProfile = 1 << 20;

/// @param threads  0: as many as the machine has cores
MaskProfile profileOf(const FailureMask& mask, int threads = 0);

} // namespace assay::diff
