// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/kernels.cuh"

/// All kernels of one type of elements. A translation unit for each, so that they compile side by side.
namespace assay::gdn::cuda {

/// Only these two have a cheaper form for one decay a token.
template <Step S, typename Element, int K, int V> const void* gatedKernelOf(Gate gate)
{
    if (gate == Gate::Token)
        return reinterpret_cast<const void*>(&stepKernel<S, Element, K, V, Gate::Token>);
    return reinterpret_cast<const void*>(&stepKernel<S, Element, K, V, Gate::Channels>);
}

template <typename Element, int K, int V> const void* elementKernelOf(const Launch& launch)
{
    switch (launch.step) {
    case Step::Places:
        return nullptr;
    case Step::Prepare:
        return gatedKernelOf<Step::Prepare, Element, K, V>(launch.gate);
    case Step::ForwardScan:
        return reinterpret_cast<const void*>(&stepKernel<Step::ForwardScan, Element, K, V, Gate::Channels>);
    case Step::Output:
        return reinterpret_cast<const void*>(&stepKernel<Step::Output, Element, K, V, Gate::Channels>);
    case Step::ReverseScan:
        return reinterpret_cast<const void*>(&stepKernel<Step::ReverseScan, Element, K, V, Gate::Channels>);
    case Step::Gradients:
        return gatedKernelOf<Step::Gradients, Element, K, V>(launch.gate);
    }
    return nullptr;
}

template <typename Element> const void* elementKernelOf(const Launch& launch, int keys, int values)
{
    if (keys == 64)
        return values == 64 ? elementKernelOf<Element, 64, 64>(launch) : elementKernelOf<Element, 64, 128>(launch);
    return values == 64 ? elementKernelOf<Element, 128, 64>(launch) : elementKernelOf<Element, 128, 128>(launch);
}

} // namespace assay::gdn::cuda
