// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/compare.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::diff {

/// One element as exactly as it can be written.
struct ExactValue {
    std::string
        text; ///< the shortest decimal that reads back to it in its dtype's width, an integer in full, "NaN", "+Inf", "true"
    std::string bits; ///< "0x3dcccccd": as many digits as the dtype has
};

/// The element at @p index of @p view.
ExactValue exactValue(const tensor::TensorView& view, const std::vector<std::int64_t>& index);

/// One pair of elements and how far they are apart, by the definitions of tensor::Comparison.
struct ExactPair {
    std::vector<std::int64_t> index;
    ExactValue reference;
    ExactValue candidate;
    bool isFinite = false;
    bool isSameBits = false;          ///< of one dtype: all NaN equal, -0 and +0 different
    double absolute = 0;              ///< of a finite pair
    std::optional<double> relative;   ///< absent where the reference is zero
    std::optional<std::uint64_t> ulp; ///< absent for bool
};

/// @param ulpOfCandidate  count ulp in the candidate's dtype, see Metric::UlpOfCandidate
ExactPair exactPair(const tensor::TensorView& reference, const tensor::TensorView& candidate,
                    const std::vector<std::int64_t>& index, bool ulpOfCandidate = false);

} // namespace assay::diff
