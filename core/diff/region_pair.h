// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/mask_profile.h"
#include "core/diff/region.h"

#include <cstdint>
#include <optional>

namespace assay::diff {

/// Two regions that hold the marked elements together where neither does alone.
struct RegionPair {
    Region first;                   ///< holds more than the second
    Region second;                  ///< holds nearly all that the first one leaves
    std::int64_t markedInFirst = 0; ///< elements
    std::int64_t markedInSecond = 0;
    std::int64_t markedInBoth = 0; ///< counted in the two numbers above
};

/// Looks for the region that stands out most from what is around it, and for the one that holds what is left then.
///
/// Each has to be what scattered marks give in fewer than one of 10^4 tensors, and both together have to hold kExplained of the
/// marks. Meant for masks in which findPattern names nothing.
std::optional<RegionPair> findRegionPair(const FailureMask& mask, const MaskProfile& profile, int threads = 0);

} // namespace assay::diff
