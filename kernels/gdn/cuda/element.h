// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Marks a function of device code. The same text is compiled for the host where tests run it without a device.
#ifdef __CUDACC__
#define ASSAY_DEVICE __device__ __forceinline__
#else
#define ASSAY_DEVICE inline
#endif

namespace assay::gdn::cuda {

/// 16-bit elements that tensor cores multiply. Bits only: arithmetic is in fp32.
struct BFloat16 {
    std::uint16_t bits;
};

struct Float16 {
    std::uint16_t bits;
};

} // namespace assay::gdn::cuda
