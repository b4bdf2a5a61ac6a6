// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <span>

namespace assay::tensor {

/// Adds up @p values by halves: the upper half of a power of two onto the lower, until one is left. What is missing to the power
/// of two counts as zero. The values are used up.
///
/// compare() adds in this order on every machine, on the CPU and on the device, so that all give the same bits: first the 128
/// lanes of a block of 1024 elements (lane l adds elements l, l + 128, ... in turn), then the blocks of a span, then the spans.
inline double foldByHalves(std::span<double> values)
{
    std::size_t count = values.size();
    while (count > 1) {
        const std::size_t half = std::bit_ceil(count) / 2;
        for (std::size_t i = 0; i + half < count; ++i)
            values[i] += values[i + half];
        count = half;
    }
    return values.empty() ? 0 : values[0];
}

} // namespace assay::tensor
