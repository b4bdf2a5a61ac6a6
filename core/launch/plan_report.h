// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What the operator's device kernels are planned to take, as kernels/gdn/plan has it.
namespace assay::launch {

/// A kind of processor that images are built for.
struct PlannedTarget {
    std::string_view name;     ///< "sm_90a"
    int sharedBytes = 0;       ///< that a block may have
    std::string_view status;   ///< whether it ever ran
    int sharedOfProcessor = 0; ///< bytes that the blocks on a processor share
};
std::span<const PlannedTarget> plannedTargets();

/// One kernel of version 1.
struct PlannedKernel {
    std::string_view name;
    std::string_view phase;  ///< "forward", "backward" or "both"
    int threads = 0;         ///< of a block
    int sharedBytes = 0;     ///< of a block
    std::vector<int> blocks; ///< on a processor, as far as shared memory goes; by plannedTargets()
};

/// @param keys, values  64 or 128, each
/// @throws Error  for other sizes: nothing is built for them
std::vector<PlannedKernel> plannedKernels(int keys, int values);

/// "assay.gdn-plan/1" and the same for people. @throws Error as plannedKernels()
std::string planJson(int keys, int values);
std::string planText(int keys, int values);

} // namespace assay::launch
