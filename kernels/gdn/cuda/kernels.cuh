// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/run_step.h"

/// A step as a kernel. Threads are those of the plan, so that the compiler knows how many registers there are.
namespace assay::gdn::cuda {

__host__ __device__ constexpr int threadsOf(Step step)
{
    switch (step) {
    case Step::Places:
        return plan::kPlaceThreads;
    case Step::Prepare:
        return plan::kPrepareThreads;
    case Step::ForwardScan:
    case Step::ReverseScan:
        return plan::kScanThreads;
    case Step::Output:
        return plan::kProductThreads;
    case Step::Gradients:
        return plan::kGradientThreads;
    }
    return 0;
}

/// Blocks that must fit on a processor.
__host__ __device__ constexpr int blocksOf(Step step)
{
    return step == Step::Gradients ? plan::kGradientBlocks : 1;
}

template <Step S, typename Element, int K, int V, Gate G>
__global__ void __launch_bounds__(threadsOf(S), blocksOf(S)) stepKernel(const __grid_constant__ Arguments arguments)
{
    extern __shared__ __align__(128) char shared[];
    runStep<S, Element, K, V, G>(arguments, static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), shared);
}

} // namespace assay::gdn::cuda
