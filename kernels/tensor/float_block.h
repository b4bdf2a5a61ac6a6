// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/error_block.h"

#include <cstdint>

namespace assay::tensor {

/// What measureFloats() says of one block.
struct FloatErrors {
    bool finite = false; ///< false: an element is NaN or infinite, and nothing else here holds
    BlockErrors errors;  ///< maxRelative and relativeUndefined as measure() gives them, or 0 where none exceeds what is known
    std::uint32_t maxUlp = 0; ///< distance of the order-preserving integers
    std::int64_t bitDifferent = 0;
};

/// measure(), maxUlp() and the comparison of bits for a block of fp32 pairs straight from the tensors, for this is what nearly
/// every comparison asks. Fills block.absolute and block.high.
///
/// @param count  at most kBlockElements
/// @param knownRelative  a relative error that occurs elsewhere: quotients are formed only where one may exceed it
FloatErrors measureFloats(const float* reference, const float* candidate, std::int64_t count, double knownRelative,
                          ErrorBlock& block);

} // namespace assay::tensor
