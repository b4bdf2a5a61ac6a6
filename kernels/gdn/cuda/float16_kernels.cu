// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/element_kernels.cuh"

namespace assay::gdn::cuda {

const void* float16KernelOf(const Launch& launch, int keys, int values)
{
    return elementKernelOf<Float16>(launch, keys, values);
}

} // namespace assay::gdn::cuda
