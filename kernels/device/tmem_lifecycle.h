// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_finding.h"
#include "kernels/device/ptx_module.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::device {

constexpr std::int64_t kTmemColumns = 512; ///< of 128 lanes, 32 bits each; per multiprocessor

/// How a kernel handles tensor memory.
struct TmemLifecycle {
    bool usesTcgen05 = false;
    int allocations = 0;                    ///< alloc instructions
    int unknownAllocations = 0;             ///< whose column count is in a register of unknown value
    std::optional<std::int64_t> columns{0}; ///< most columns held at once on one path; nothing where a count is unknown
    std::vector<PtxFinding> findings;       ///< at most 32, by line
    int leftOut = 0;                        ///< findings beyond them
};

/// Checks the life cycle of tensor memory in one kernel.
///
/// Codes: columns-invalid, columns-exceeded, alloc-after-relinquish, alloc-grows, dealloc-missing, dealloc-mismatch,
/// alloc-missing, cta-group-mixed, ld-without-wait, ld-used-before-wait, st-without-wait, mma-without-commit, mma-without-wait;
/// ordering-not-checked where a kernel is too large to follow.
///
/// Warps are followed along the control flow of one thread; conditions of the thread's index and the parameters keep their truth
/// along a path, so that "if (warp 0) alloc ... if (warp 0) dealloc" is one life. What another warp does meanwhile is not
/// seen: a dealloc anywhere in the kernel counts as given back.
///
/// @param callsDeviceCode  true where functions with tcgen05 instructions are called: nothing is then said to be missing
/// Source: PTX ISA 9.0, 9.7.16.7 (allocation), 9.7.16.6 (memory consistency).
TmemLifecycle checkTmem(const PtxFunction& function, bool callsDeviceCode);

} // namespace assay::device
