// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/device_call.h"

#include <functional>
#include <memory>

namespace assay::tests {

using gdn::cuda::DeviceCall;
using gdn::cuda::KernelMemory;

/// Runs forward and backward. @throws std::runtime_error  with the line that says why not
using RunCall = std::function<void(DeviceCall&)>;
/// Memory of its own for each case, freed behind it.
using MakeMemory = std::function<std::unique_ptr<KernelMemory>()>;

/// Short: what the host runs within a test. Medium: all but the two that fill a device, which take the host minutes.
enum class CaseSet { Short, Medium, All };

/// The families, channels, lengths, decays and gates that the kernels are held to, each against the recurrence in fp64.
/// Prints a line a case. @return cases that failed
int checkAccuracy(const MakeMemory& makeMemory, const RunCall& run, CaseSet set);

/// @return of @p repeats runs, those that gave other bits than the first
int checkRepeats(const MakeMemory& makeMemory, const RunCall& run, int repeats);

} // namespace assay::tests
