// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_finding.h"
#include "kernels/device/ptx_module.h"
#include "kernels/device/tmem_lifecycle.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::device {

/// What the text of one kernel says about its resources.
struct PtxKernel {
    std::string name; ///< mangled
    int line = 0;
    std::optional<std::array<std::int64_t, 3>> maxThreads;      ///< .maxntid
    std::optional<std::array<std::int64_t, 3>> requiredThreads; ///< .reqntid
    std::optional<std::array<std::int64_t, 3>> cluster;         ///< .reqnctapercluster
    std::optional<std::int64_t> maxClusterBlocks;               ///< .maxclusterrank
    std::optional<std::int64_t> maxRegisters;                   ///< .maxnreg
    std::optional<std::int64_t> minBlocksPerSm;                 ///< .minnctapersm
    std::int64_t staticSharedBytes = 0; ///< variables it declares or names, in order and aligned; functions it calls not counted
    bool usesDynamicShared = false;     ///< names an extern shared variable
    bool onlyTraps = false;             ///< its whole code is a trap: what Triton makes of a kernel that cannot fit
    TmemLifecycle tmem;
};

struct PtxReport {
    std::string version; ///< of the instruction set: "9.0"
    std::string target;  ///< "sm_100a"
    std::vector<PtxKernel> kernels;
};

/// Reads the resources that a PTX text declares and checks the life cycle of tensor memory (tmem_lifecycle.h).
/// @throws PtxError  where the text is not PTX, or breaks off
PtxReport lintPtx(std::string_view text);

} // namespace assay::device
