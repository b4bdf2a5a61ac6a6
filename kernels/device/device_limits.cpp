// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/device_limits.h"

namespace assay::device {

std::optional<DeviceLimits> deviceLimits(int sm)
{
    DeviceLimits limits;
    limits.sm = sm;
    constexpr std::int64_t kKiB = 1024;
    switch (sm) {
    case 70:
        limits.sharedBytesPerBlock = 96 * kKiB;
        return limits;
    case 75:
        limits.sharedBytesPerBlock = 64 * kKiB;
        return limits;
    case 80:
    case 87:
        limits.sharedBytesPerBlock = 163 * kKiB;
        return limits;
    case 86:
    case 89:
        limits.sharedBytesPerBlock = 99 * kKiB;
        return limits;
    case 90:
    case 100:
    case 103:
    case 110:
        limits.sharedBytesPerBlock = 227 * kKiB;
        limits.clusterBlocks = 8;
        limits.clusterBlocksNonPortable = 16;
        limits.tmemColumns = sm == 90 ? 0 : 512;
        return limits;
    case 120:
    case 121:
        limits.sharedBytesPerBlock = 99 * kKiB;
        limits.clusterBlocks = 8;
        limits.clusterBlocksNonPortable = 8;
        return limits;
    default:
        return std::nullopt;
    }
}

} // namespace assay::device
