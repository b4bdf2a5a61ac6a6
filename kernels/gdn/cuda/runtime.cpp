// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/runtime.h"

#include "kernels/gdn/cuda/kernel_table.h"

#include <fmt/format.h>

#include <stdexcept>

namespace assay::gdn::cuda {

void require(cudaError_t code, const std::string& call)
{
    if (code != cudaSuccess)
        throw std::runtime_error(fmt::format("{}: {} ({})", call, cudaGetErrorString(code), cudaGetErrorName(code)));
}

DeviceScope::DeviceScope(int device)
{
    require(cudaGetDevice(&m_before), "cudaGetDevice");
    require(cudaSetDevice(device), fmt::format("cudaSetDevice({})", device));
}

DeviceScope::~DeviceScope()
{
    cudaSetDevice(m_before);
}

CudaMemory::~CudaMemory()
{
    for (void* block : m_blocks)
        cudaFree(block);
}

void* CudaMemory::allocate(std::size_t bytes)
{
    void* block = nullptr;
    require(cudaMalloc(&block, bytes), fmt::format("cudaMalloc of {} bytes", bytes));
    m_blocks.push_back(block);
    return block;
}

void CudaMemory::upload(void* to, const void* from, std::size_t bytes)
{
    require(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), fmt::format("cudaMemcpy of {} bytes to the device", bytes));
}

void CudaMemory::download(void* to, const void* from, std::size_t bytes)
{
    require(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), fmt::format("cudaMemcpy of {} bytes from the device", bytes));
}

int attributeOf(int device, cudaDeviceAttr attribute, const char* name)
{
    int value = 0;
    require(cudaDeviceGetAttribute(&value, attribute, device), fmt::format("cudaDeviceGetAttribute({}, {})", name, device));
    return value;
}

std::vector<Launch> launchesOf(const assay_gdn_call& call, bool isBackward)
{
    const Sizes sizes = sizesOf(call);
    return isBackward ? backwardLaunches(sizes, gateOf(call)) : forwardLaunches(sizes, gateOf(call));
}

void start(const assay_gdn_call& call, bool isBackward, const std::vector<cudaEvent_t>* marks)
{
    Arguments arguments = argumentsOf(call, isBackward);
    void* parameters[] = {&arguments};
    auto* const stream = static_cast<cudaStream_t>(call.stream);
    const auto mark = [&](std::size_t number) {
        if (marks)
            require(cudaEventRecord((*marks)[number], stream), "cudaEventRecord");
    };
    mark(0);
    std::size_t number = 0;
    for (const Launch& launch : launchesOf(call, isBackward)) {
        const void* const kernel = kernelOf(launch, call.element, arguments.sizes.keys, arguments.sizes.values);
        const std::string text = fmt::format(
            "{} of {} x {} blocks, {} threads and {} bytes of shared memory, B T H K V {} {} {} {} {}, on device {}",
            name(launch.step), launch.blocksX, launch.blocksY, launch.threads, launch.sharedBytes, call.batch, call.tokens,
            call.heads, call.keys, call.values, call.device);
        if (launch.sharedBytes > 0)
            require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, launch.sharedBytes), text);
        const dim3 grid(static_cast<unsigned>(launch.blocksX), static_cast<unsigned>(launch.blocksY));
        require(cudaLaunchKernel(kernel, grid, dim3(static_cast<unsigned>(launch.threads)), parameters,
                                 static_cast<std::size_t>(launch.sharedBytes), stream),
                text);
        mark(++number);
    }
}

} // namespace assay::gdn::cuda
