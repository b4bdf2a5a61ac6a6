// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace assay::device {

/// What one block may take on a compute capability.
struct DeviceLimits {
    int sm = 0; ///< 80, 90, 100, ...
    std::int64_t registersPerThread = 255;
    std::int64_t registersPerSm = 65536;
    std::int64_t registerUnit = 256; ///< a warp's registers are handed out in multiples of this
    std::int64_t threadsPerBlock = 1024;
    std::int64_t sharedBytesPerBlock = 0; ///< static and dynamic, opted in, without the reserve
    std::int64_t localBytesPerThread = 512 * 1024;
    std::int64_t clusterBlocks = 1;            ///< that every device of this capability takes
    std::int64_t clusterBlocksNonPortable = 1; ///< with the launch attribute that permits it
    std::int64_t tmemColumns = 0;              ///< 0: no tensor memory
};

/// Limits of compute capability @p sm, or nothing where they are not known here.
/// Source: CUDA C++ Programming Guide 13.0, compute capabilities, technical specifications; PTX ISA 9.0, 9.7.16.1 (tensor
/// memory).
std::optional<DeviceLimits> deviceLimits(int sm);

} // namespace assay::device
