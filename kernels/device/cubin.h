// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/binary_error.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::device {

using Extent3 = std::array<std::int64_t, 3>; ///< x, y, z

/// What one kernel of a cubin takes. Dynamic shared memory and tensor-memory columns are not written in a cubin.
struct CubinKernel {
    std::string name; ///< mangled
    std::int64_t codeBytes = 0;
    std::optional<std::int64_t> registers;    ///< per thread
    std::optional<std::int64_t> frameBytes;   ///< local memory of the kernel's own frame, per thread
    std::optional<std::int64_t> stackBytes;   ///< with callees, per thread; too small where a callee recurses or is not inlined
    std::int64_t spillAnnotations = 0;        ///< spilling loads and stores; undocumented, a corroboration of stackBytes
    std::int64_t staticSharedBytes = 0;       ///< without the block's reserve
    std::int64_t reservedSharedBytes = 0;     ///< 1024 on compute capability 9 and later
    std::optional<Extent3> maxThreads;        ///< __launch_bounds__, .maxntid
    std::optional<Extent3> requiredThreads;   ///< .reqntid
    std::optional<std::int64_t> maxRegisters; ///< what the assembler was held to
    std::int64_t barriers = 0;                ///< named barriers
    std::int64_t mbarriers = 0;               ///< statically known ones
    std::optional<Extent3> cluster;           ///< blocks per cluster
    std::optional<std::int64_t> maxClusterBlocks;
    bool setsRegisterCount = false; ///< setmaxnreg
    bool tcgen05SingleBlock = false;
    bool tcgen05BlockPair = false;
    bool tcgen05Guarded = false; ///< traps on wrong use of tensor memory were linked in
};

struct Cubin {
    int sm = 0;                       ///< 80, 90, 100, ... The suffix of sm_90a is not written there.
    int abiVersion = 0;               ///< 7: CUDA 12, 8: CUDA 13
    std::vector<CubinKernel> kernels; ///< by name
};

/// Reads what the kernels of a cubin take.
/// @throws BinaryError  where the bytes are no cubin of CUDA 11.8 or later, truncated or damaged
/// Source: agrees with `ptxas -v` on the kernels under tests/kernels/device/data.
Cubin readCubin(std::span<const std::byte> bytes);

} // namespace assay::device
