// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/tensor_view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::tensor {

/// Elements by non-finite class.
struct NonFiniteCounts {
    std::int64_t nan = 0;
    std::int64_t positiveInfinity = 0;
    std::int64_t negativeInfinity = 0;
    bool operator==(const NonFiniteCounts&) const = default;
};

/// One differing element, values widened to fp64.
struct WorstElement {
    std::int64_t position = 0; ///< row-major
    double reference = 0;
    double candidate = 0;
    double absolute = 0;
    std::optional<double> relative; ///< absent where the reference is zero
    std::optional<std::uint64_t> ulp;
};

/// Difference statistics of one tensor pair.
///
/// Differences are taken in fp64 over the pairs where both sides are finite. Relative error is |candidate - reference| /
/// |reference| where the reference is not zero. Ulp is the distance of the order-preserving integers of the reference's dtype
/// (-0 and +0 are 0 apart); a candidate of another dtype is rounded to the reference's first, and where that overflows it counts
/// as the pattern behind the largest number. Quantiles are exact order statistics of the absolute error (inverted distribution
/// function). Source: architecture.md section 4, "diff".
struct Comparison {
    std::int64_t count = 0;
    std::int64_t bitDifferent = 0; ///< elements whose bits differ, all NaN equal, -0 and +0 different; other dtypes: by value
    NonFiniteCounts reference;
    NonFiniteCounts candidate;
    std::int64_t classMismatch = 0; ///< elements whose class among {finite, NaN, +Inf, -Inf} differs
    std::int64_t finitePairs = 0;
    std::int64_t relativeUndefined = 0; ///< reference = 0, candidate != 0
    double maxAbsolute = 0;
    double maxRelative = 0;
    std::optional<std::uint64_t> maxUlp; ///< absent for bool
    double meanAbsolute = 0;
    double rms = 0;
    std::vector<double> quantiles;   ///< as asked, empty where no pair is finite
    std::vector<WorstElement> worst; ///< largest absolute error first, then by position; zero errors left out
};

struct CompareOptions {
    std::vector<double> quantiles{0.5, 0.9, 0.99, 0.999};
    int worst = 20;
    int threads = 0; ///< 0: as many as the machine has cores
};

/// Compares two tensors of the same shape, any strides. The result does not depend on the number of threads.
/// @throws std::invalid_argument  where the shapes differ
Comparison compare(const TensorView& reference, const TensorView& candidate, const CompareOptions& options = {});

} // namespace assay::tensor
