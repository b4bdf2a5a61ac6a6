// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/binary_error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::device {

/// One image of a fat binary.
struct FatbinEntry {
    enum class Kind { Ptx, Cubin, Other };
    Kind kind = Kind::Other;
    int sm = 0;                           ///< 80, 90, 100, ...
    bool compressed = false;              ///< unsupported here: `content` is as stored
    std::span<const std::byte> content{}; ///< points into the bytes that were read
};

/// Takes a fat binary apart, or every one in the `.nv_fatbin` section of a host object, library or program.
/// @throws BinaryError  where the bytes are neither, truncated or damaged
/// Source: the layout of what `nvcc -fatbin` of CUDA 13.0 writes; compressed images are left as they are.
std::vector<FatbinEntry> readFatbin(std::span<const std::byte> bytes);

} // namespace assay::device
