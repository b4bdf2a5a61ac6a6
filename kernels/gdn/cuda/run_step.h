// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/gradients.h"
#include "kernels/gdn/cuda/output.h"
#include "kernels/gdn/cuda/places.h"
#include "kernels/gdn/cuda/prepare.h"
#include "kernels/gdn/cuda/scan.h"
#include "kernels/gdn/cuda/steps.h"

namespace assay::gdn::cuda {

/// What block (x, y) does of a step.
/// @param shared  memory of the block, as much as the step's Launch says, at a multiple of 16 bytes
template <Step S, typename Element, int K, int V, Gate G>
ASSAY_DEVICE void runStep(const Arguments& arguments, int x, int y, char* shared)
{
    if constexpr (S == Step::Prepare)
        Prepare<Element, K, V, G>(arguments, x, shared).run();
    else if constexpr (S == Step::ForwardScan)
        Scan<Element, K, V, Direction::Forward>(arguments, x, shared).run();
    else if constexpr (S == Step::Output)
        computeOutput<Element, K, V>(arguments, x, shared);
    else if constexpr (S == Step::ReverseScan)
        Scan<Element, K, V, Direction::Reverse>(arguments, x, shared).run();
    else if constexpr (S == Step::Gradients)
        Gradients<Element, K, V, G>(arguments, x, y, shared).run();
}

} // namespace assay::gdn::cuda
