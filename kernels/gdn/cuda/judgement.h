// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/accuracy.h"

#include <string>
#include <vector>

namespace assay::gdn::cuda {

/// An output's distance from the recurrence in fp64.
struct OutputError {
    std::string name;   ///< "o", "dq", ..., "dg-by-channel" or "dg-summed"
    double error = 0;   ///< rms of the error over rms of the truth; by channel: the worst one's share of what it may err by
    double allowed = 0; ///< narrowTolerance(); by channel 1
    bool isGood() const { return error <= allowed; } ///< not for a NaN
};

struct Judgement {
    std::vector<OutputError> outputs;
    bool isGood() const;
    std::string text() const; ///< " o=2.9e-03 dq=..."
};

/// What kernels with 16-bit operands made of @p problem, whose numbers are those that they were given. dg may also miss by what
/// its cancelling terms lose in fp32. Source: gdn.md, section 2, the contract on twice the emulation's error.
Judgement judge(const Problem& problem, tensor::DType element, const Outputs& found);

} // namespace assay::gdn::cuda
