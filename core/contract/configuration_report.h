// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/kernel_evidence.h"
#include "kernels/device/resource_report.h"

#include <optional>
#include <string>
#include <vector>

namespace assay::contract {

constexpr int kBlackwell = 100; ///< the compute capability that kernels are held against without the GPU

/// What the evidence says about one compiled configuration of one kernel on one target.
struct ConfigurationReport {
    bool isLoaded = false;
    bool isAutotuned = false;
    device::ResourceReport report;
    std::vector<std::string> gaps; ///< parts of the evidence that could not be read, one line each
    std::string unsupported;       ///< why this target could not be asked about at all, where that is nobody's fault

    const device::ResourceFinding* firstOf(device::ResourceSeverity severity) const;
};

/// Every configuration against the device that the candidate runs on.
std::vector<ConfigurationReport> reportOnDevice(const KernelEvidence& evidence);

/// Every configuration against compute capability 10.0: assembled and modelled, never executed.
std::vector<ConfigurationReport> reportOnBlackwell(const KernelEvidence& evidence);

/// The limit that a kernel comes closest to.
struct TightestLimit {
    std::string resource; ///< "registers a thread"
    double share = 0;     ///< of the limit
};
std::optional<TightestLimit> tightestLimit(const device::ResourceReport& report);

/// "64 registers a thread, 24576 bytes of shared memory, 128 threads"; what is not known is left out.
std::string useText(const device::ResourceUse& use);

} // namespace assay::contract
