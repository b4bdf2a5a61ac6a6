// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/axis_pattern.h"
#include "core/diff/failure_mask.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::diff {

/// The elements whose indices every pattern holds: one entry per axis, none where all of its indices belong.
using Region = std::vector<std::optional<AxisPattern>>;

/// Elements of a region, marked or not.
std::int64_t sizeOfRegion(const std::vector<std::int64_t>& shape, const Region& region);

/// Marked elements in a region.
/// @param threads  0: as many as the machine has cores
std::int64_t markedInside(const FailureMask& mask, const Region& region, int threads = 0);

enum class Side { Inside, Outside };

/// The mask with the marks on one side of a region alone.
FailureMask keepSide(const FailureMask& mask, const Region& region, Side side, int threads = 0);

} // namespace assay::diff
