// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_finding.h"
#include "kernels/device/ptx_flow.h"
#include "kernels/device/tmem_operation.h"

#include <vector>

namespace assay::device {

/// Follows asynchronous reads and writes of tensor memory along the paths of one thread. Codes: ld-without-wait, a tcgen05.ld
/// whose registers are used and that no tcgen05.wait::ld follows; ld-used-before-wait, the same where one follows (never certain,
/// one remark a kernel); st-without-wait, a tcgen05.st whose data is read, multiplied or freed before tcgen05.wait::st. Certain
/// where both instructions stand in one straight piece of code. Plain moves hand the wait on to their target.
std::vector<PtxFinding> checkTmemOrdering(const PtxFunction& function, const PtxValues& values, const PtxFlow& flow,
                                          const std::vector<TmemOperation>& operations);

} // namespace assay::device
