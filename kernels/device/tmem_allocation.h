// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_finding.h"
#include "kernels/device/ptx_flow.h"
#include "kernels/device/tmem_operation.h"

#include <cstdint>
#include <vector>

namespace assay::device {

struct AllocationFindings {
    std::int64_t mostColumns = 0;     ///< held at once on one path, of the counts that are known
    std::vector<PtxFinding> findings; ///< alloc-after-relinquish, alloc-grows, columns-exceeded
};

/// Follows allocations, deallocations and the relinquished permit along every path, without an assumption and then under each
/// stable condition taken as true and as false. A rule is broken for certain where, under some assumption, every path that
/// reaches the alloc breaks it; perhaps, where some path does under each assumption that lets the alloc be reached.
AllocationFindings checkAllocations(const PtxFlow& flow, const std::vector<TmemOperation>& operations);

} // namespace assay::device
