// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/bench.h"

#include <stop_token>
#include <vector>

/// The operator's device kernels, timed and measured by a helper process: `[prefix] PYTHON -m assay_worker gdn`. Nothing here
/// loads a device library.
namespace assay::launch {

/// Medians of forward and backward by the device's events; floors are the caller's business.
/// @throws Error  where the process does not come up, has no such device, or the kernels refuse the shape; Cancelled
LaunchTiming timeOnDevice(const BenchAsk& ask, const std::stop_token& stop);

/// Every output against the recurrence in fp64 on the CPU, with the tolerances of check.h or twice what rounding operands to
/// 16 bits costs on the same inputs. @throws as timeOnDevice()
std::vector<LaunchError> errorsOnDevice(const BenchAsk& ask, const std::stop_token& stop);

} // namespace assay::launch
