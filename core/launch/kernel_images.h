// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/plan_report.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace assay::launch {

/// What one device kernel takes of a processor, as the assembler left it in its image.
struct KernelImage {
    std::int64_t registers = 0;  ///< of a thread
    std::int64_t stackBytes = 0; ///< of a thread's local memory; 0 where nothing spills
    int blocksByRegisters = 0;   ///< on a processor, as far as registers go
    int blocks = 0;              ///< on a processor: what registers, shared memory and threads all leave room for
    double occupancy = 0;        ///< resident warps over those that a processor can hold; modelled, not measured
};

/// The library with the device kernels where it lies beside the running program as it is built or installed; "" where it is not.
std::filesystem::path imageLibrary();

/// What the images of a library hold for one target, in the order of plannedKernels(): the kernels on operands of bf16.
/// @param target        of plannedTargets()
/// @param hasTokenDecay  one decay a token (gdn, mamba2): the cheaper forms where there are some
/// @return nothing for a kernel that the library has no image of
/// @throws Error  where the file cannot be read or holds no images; as plannedKernels()
std::vector<std::optional<KernelImage>> kernelImages(const std::filesystem::path& library, std::size_t target, int keys,
                                                     int values, bool hasTokenDecay);

} // namespace assay::launch
