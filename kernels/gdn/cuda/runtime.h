// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/call_arguments.h"
#include "kernels/gdn/cuda/device_call.h"

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

/// CUDA's run time, each call checked.
namespace assay::gdn::cuda {

/// @throws std::runtime_error  with what was asked and the run time's words
void require(cudaError_t code, const std::string& call);

/// Makes a device the calling thread's, and the one before it again at the end.
class DeviceScope {
public:
    explicit DeviceScope(int device);
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

private:
    int m_before = 0;
};

/// Memory of the current device.
class CudaMemory : public KernelMemory {
public:
    CudaMemory() = default;
    CudaMemory(const CudaMemory&) = delete;
    ~CudaMemory() override;

    void* allocate(std::size_t bytes) override;
    void upload(void* to, const void* from, std::size_t bytes) override;
    void download(void* to, const void* from, std::size_t bytes) override;

private:
    std::vector<void*> m_blocks;
};

int attributeOf(int device, cudaDeviceAttr attribute, const char* name);

/// Starts the kernels of a call that has no mistakes on its stream.
/// @param marks  one event before the first kernel and one behind each; null: none
void start(const assay_gdn_call& call, bool isBackward, const std::vector<cudaEvent_t>* marks = nullptr);

/// The kernels that start() starts.
std::vector<Launch> launchesOf(const assay_gdn_call& call, bool isBackward);

} // namespace assay::gdn::cuda
