// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/element_kernels.cuh"

namespace assay::gdn::cuda {

const void* bfloat16KernelOf(const Launch& launch, int keys, int values)
{
    return elementKernelOf<BFloat16>(launch, keys, values);
}

} // namespace assay::gdn::cuda
