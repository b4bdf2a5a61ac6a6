// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/kernels/gdn/cuda/check_cases.h"

namespace assay::tests {

class HostKernelMemory : public KernelMemory {
public:
    HostKernelMemory() = default;
    HostKernelMemory(const HostKernelMemory&) = delete;
    ~HostKernelMemory() override;

    void* allocate(std::size_t bytes) override;
    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;

private:
    std::vector<void*> m_blocks;
};

/// Forward or backward with the kernels' own code, lane by lane.
/// @throws std::runtime_error  with the line that says what is wrong with the call
void runOnHost(const assay_gdn_call& call, bool isBackward);

/// Forward and backward.
void runOnHost(DeviceCall& call);

} // namespace assay::tests
