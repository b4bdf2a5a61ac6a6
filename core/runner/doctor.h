// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/worker_client.h"

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace assay::runner {

/// One thing this machine has or lacks, found by trying it.
struct MachineFinding {
    std::string name; ///< "sqlite", "python", "pyarrow", "torch", "triton", "gpu", "sandbox", "judging", "isolation"
    bool present = false;
    std::string detail; ///< version or what was tried
    std::string remedy; ///< "" where present
};

struct DoctorSink {
    std::function<void(std::string_view what)> looking;            ///< what is tried next
    std::function<void(const MachineFinding& finding)> found = {}; ///< in the order of examineMachine()
};

/// What this machine can do, and the remedy for each lack. Everything is tried, nothing is guessed: modules are imported, the
/// sandbox is started, the driver is asked, and a worker makes a confined process as a judgement would.
/// @param device  where that process should work: "cpu", "cuda:0"
/// @param sink    called on the calling thread
/// @throws Cancelled
std::vector<MachineFinding> examineMachine(const WorkerOptions& worker, const std::string& device, const DoctorSink& sink,
                                           const std::stop_token& stop);

} // namespace assay::runner
