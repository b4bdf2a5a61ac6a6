// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::runner::sandbox {

/// Forbids the calling thread and its descendants the system calls with which code leaves a sandbox or looks into its neighbours:
/// tracing and foreign memory, mounts and namespaces, loading into the kernel, keyrings, performance counters, io_uring, sockets
/// other than Unix ones, and connecting anywhere. Forbidden calls fail with EPERM; clone3 with ENOSYS, so that C libraries fall
/// back to clone, whose flags a filter can read.
/// @return "" or why there is no filter, in plain words
std::string installSeccompFilter();

} // namespace assay::runner::sandbox
