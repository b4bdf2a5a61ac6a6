// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/problem.h"

#include <array>
#include <string_view>

namespace assay::gdn {

/// All that the operator puts out.
struct Outputs {
    ForwardResult forward;
    BackwardResult backward;
};

struct NamedOutput {
    std::string_view name; ///< "o", "dq", ...
    const tensor::HostTensor* tensor;
};

/// o dq dk dv db dw dg dS0 ST, valid while @p outputs live.
std::array<NamedOutput, 9> outputsOf(const Outputs& outputs);

/// Root mean square of the error over that of the reference; 0 where both are 0, infinite where the reference alone is.
double rmsRatio(const tensor::HostTensor& reference, const tensor::HostTensor& found);

/// The decay's gradient subtracts terms that may be much larger than it is, so what sums are kept in bounds it from below.
struct DecayError {
    double error = 0;        ///< rmsRatio() of dg
    double cancellation = 0; ///< 4 roundoff rms(|q dq| + 2 |b db| + |k dk|) / rms(dg): what any kernel may err by
    double worstChannel = 0; ///< worst channel of a head: rms(error) / (relative rms(dg) + 4 roundoff rms(terms))
};

/// @param dg        what is judged, against @p truth
/// @param relative  error that is allowed for dg
/// @param roundoff  unit roundoff of what sums are kept in
/// A channel in which much cancels may well exceed 1 with operands of 16 bits, as an emulation does.
DecayError decayError(const Problem& problem, const Outputs& truth, const tensor::HostTensor& dg, double relative,
                      double roundoff);

} // namespace assay::gdn
