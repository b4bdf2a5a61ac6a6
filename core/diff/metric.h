// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/dtype.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::diff {

/// How far a candidate's element may be from the reference's: |candidate - reference| <= absolute + relative * |reference|.
struct Bound {
    double absolute = 0;
    double relative = 0;
    bool operator==(const Bound&) const = default;
};

/// What an error is measured in.
enum class Metric {
    Absolute,       ///< |candidate - reference|
    Relative,       ///< over |reference|; infinite where the reference alone is zero
    Ulp,            ///< distance of the order-preserving integers of the reference's dtype
    UlpOfCandidate, ///< the same in the candidate's dtype, to which the reference is rounded: for a reference that is the fp64
                    ///< truth
    OverBound,      ///< over what the bound allows: above 1 it is broken; infinite where nothing is allowed
};

/// "absolute", "relative", "ulp", "ulp of the candidate", "bound"
std::string_view name(Metric metric);
std::optional<Metric> metricFromName(std::string_view name);

/// Which non-finite classes occur in an element pair, or anywhere in a group of them.
enum ClassFlag : std::uint8_t {
    kReferenceNaN = 1,
    kReferencePosInf = 2,
    kReferenceNegInf = 4,
    kCandidateNaN = 8,
    kCandidatePosInf = 16,
    kCandidateNegInf = 32,
    kMismatch = 64, ///< the class among {finite, NaN, +Inf, -Inf} differs
};

/// Flags of every pair. @return false where all pairs are finite, and then every flag is 0
bool classify(const double* reference, const double* candidate, std::int64_t count, std::uint8_t* flags);

/// Absolute and relative errors and errors over a bound; 0 where a pair is not finite, which the flags tell.
void measureErrors(Metric metric, const Bound& bound, const double* reference, const double* candidate, std::int64_t count,
                   double* error);

} // namespace assay::diff
