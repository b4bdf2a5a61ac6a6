// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/launch.h"
#include "core/runner/worker_client.h"

namespace assay::launch {

/// What `assay gdn bench` is asked for.
struct BenchAsk {
    gdn::Family family = gdn::Family::Gdn2;
    gdn::Shape shape{1, 8192, 16, 128, 128};
    tensor::DType dtype = tensor::DType::Float32;
    std::string device = "cpu";
    int samples = 20;
    int threads = 0; ///< on the CPU; 0: one a core
    std::uint64_t seed = 1;
    runner::WorkerOptions worker; ///< where the device is not the CPU
};

/// Times of forward and backward, medians. On the CPU the chunked form in this process, at least three calls of each and no
/// more than fit ten seconds; elsewhere the kernels in a helper process, by the device's own events.
/// @throws Error  where the device is not there or refuses the shape; Cancelled
LaunchTiming bench(const BenchAsk& ask, std::stop_token stop);

/// "assay.gdn-bench/1" and the same for people.
std::string toJson(const BenchAsk& ask, const LaunchTiming& timing);
std::string toText(const BenchAsk& ask, const LaunchTiming& timing);

/// The members of @p timing alone, as gdn_run keeps them.
std::string timingsText(const LaunchTiming& timing);

} // namespace assay::launch
