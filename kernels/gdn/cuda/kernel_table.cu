// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/kernel_table.h"

#include "kernels/gdn/cuda/gdn_api.h"
#include "kernels/gdn/cuda/places.h"

namespace assay::gdn::cuda {

const void* bfloat16KernelOf(const Launch& launch, int keys, int values);
const void* float16KernelOf(const Launch& launch, int keys, int values);

namespace {

__global__ void __launch_bounds__(plan::kPlaceThreads) placesKernel(const __grid_constant__ Arguments arguments)
{
    setPlaces(arguments, plan::kPlaceThreads);
}

} // namespace

const void* kernelOf(const Launch& launch, int element, int keys, int values)
{
    if (launch.step == Step::Places)
        return reinterpret_cast<const void*>(&placesKernel);
    return element == ASSAY_GDN_BFLOAT16 ? bfloat16KernelOf(launch, keys, values) : float16KernelOf(launch, keys, values);
}

} // namespace assay::gdn::cuda
