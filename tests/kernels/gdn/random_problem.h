// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/draw.h"

#include <map>
#include <string>

namespace assay::tests {

using gdn::Drawing;

/// A problem that owns its tensors, by name: q k b g v w do S0 dST.
struct OwnedProblem {
    std::map<std::string, tensor::HostTensor, std::less<>> tensors;
    double scale = 1;
    std::vector<std::int32_t> starts;

    gdn::Problem problem() const;
};

/// With the gates of Gated DeltaNet-2, which are the operator's own.
OwnedProblem drawProblem(const gdn::Shape& shape, const Drawing& drawing = {});

/// The outputs by name: o ST dq dk dv db dw dg dS0, as doubles.
std::map<std::string, std::vector<double>> byName(const gdn::ForwardResult& forward, const gdn::BackwardResult& backward);

/// Largest error against the largest reference; the largest error where the reference is all zero. NaN where one holds a NaN.
double relativeError(const std::vector<double>& reference, const std::vector<double>& found);

/// Root of the mean square error over that of the reference.
double rmsRatio(const std::vector<double>& reference, const std::vector<double>& found);

} // namespace assay::tests
