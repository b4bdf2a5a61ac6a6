// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

#include <cstdint>

namespace assay::contract {

/// Bit comparison on integer views, every NaN equal to every other. -0 and +0 differ.
struct BitDifference {
    std::int64_t elements = 0;  ///< that differ; all of them where shapes or dtypes differ
    std::int64_t position = -1; ///< first one, row-major
    std::size_t leaf = 0;
    double first = 0;
    double second = 0;
    double largest = 0;     ///< largest |difference| over finite pairs
    std::int64_t kinds = 0; ///< elements that are finite in one and not in the other
    bool shapes = false;

    explicit operator bool() const { return elements > 0 || shapes; }
};

BitDifference differenceInBits(const tensor::HostTensor& a, const tensor::HostTensor& b);

/// Over all output leaves of two answers.
BitDifference differenceInBits(const CallRecord& a, const CallRecord& b);

} // namespace assay::contract
