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
    double worstChannel = 0; ///< worst channel of a head: rms(error) / (relative rms(dg) + 4 roundoff rms(terms)), see DecayBound
};

/// What dg may err by.
struct DecayBound {
    double relative = 0; ///< of rms(dg)
    double roundoff = 0; ///< unit roundoff of what the terms are made of: of the operands of products, or of the sums
};

/// dg is the difference of the terms q dq, 2 b db and k dk, each of which errs by about a unit roundoff of what it is made of,
/// however little is left of them: design gdn.md states this for sums in fp32, and it holds with the operands' own roundoff where
/// products take operands of 16 bits.
/// @param dg  what is judged, against @p truth
DecayError decayError(const Problem& problem, const Outputs& truth, const tensor::HostTensor& dg, const DecayBound& bound);

/// What a kernel on operands of 16 bits may err by in output @p name: 8e-3, for db 1.5e-2, or twice the error of an emulation on
/// the same inputs, whichever is more.
double narrowTolerance(std::string_view name, double emulationError);

} // namespace assay::gdn
