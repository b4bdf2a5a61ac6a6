// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/region.h"

#include <cstdint>
#include <string>

namespace assay::diff {

/// What the indices of an axis are called: the last two are columns and rows.
struct AxisName {
    std::string one, many;
};

/// @param axes  of the tensor
AxisName nameOf(std::size_t axis, std::size_t axes);

/// Columns first, as one would say it: "the last 37 columns of every 128th row"; "" for a region without a pattern.
std::string textOf(const Region& patterns);

/// "2,638"
std::string grouped(std::int64_t value);

} // namespace assay::diff
