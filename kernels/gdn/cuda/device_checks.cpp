// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/device_checks.h"

#include "kernels/gdn/cuda/judgement.h"
#include "kernels/gdn/cuda/kernel_table.h"
#include "kernels/gdn/cuda/runtime.h"
#include "kernels/gdn/draw.h"
#include "kernels/gdn/plan/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace assay::gdn::cuda {

namespace {

std::string architectureOf(int device)
{
    return fmt::format("sm_{}{}", attributeOf(device, cudaDevAttrComputeCapabilityMajor, "major"),
                       attributeOf(device, cudaDevAttrComputeCapabilityMinor, "minor"));
}

std::string absenceOf(int device)
{
    int version = 0, devices = 0;
    require(cudaDriverGetVersion(&version), "cudaDriverGetVersion");
    if (version == 0)
        return "no NVIDIA driver on this machine";
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code == cudaErrorNoDevice)
        return "no CUDA device on this machine";
    require(code, "cudaGetDeviceCount");
    return device >= 0 && device < devices ? std::string()
                                           : fmt::format("no CUDA device {}: this machine has {}", device, devices);
}

/// A problem of the largest tiles, in the elements' type.
assay_gdn_call largestCall(int device, int element)
{
    assay_gdn_call call{};
    call.element = element;
    call.device = device;
    call.batch = call.heads = call.sequences = 1;
    call.tokens = plan::kChunk;
    call.keys = call.values = 128;
    return call;
}

std::string lackOf(int device)
{
    const int shared = attributeOf(device, cudaDevAttrMaxSharedMemoryPerBlockOptin, "sharedMemPerBlockOptin");
    for (const int element : {ASSAY_GDN_BFLOAT16, ASSAY_GDN_FLOAT16}) {
        for (const Launch& launch : launchesOf(largestCall(device, element), true)) {
            cudaFuncAttributes attributes{};
            const cudaError_t code = cudaFuncGetAttributes(&attributes, kernelOf(launch, element, 128, 128));
            if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction)
                return fmt::format("no image for {}: there are {}", architectureOf(device), imagesText());
            require(code, fmt::format("cudaFuncGetAttributes of {}", name(launch.step)));
            if (launch.sharedBytes > shared)
                return fmt::format("a block of {} may have {} bytes of shared memory; {} needs {}", architectureOf(device),
                                   shared, name(launch.step), launch.sharedBytes);
        }
    }
    return {};
}

/// Forward and backward of a small problem against the CPU: two heads, a chunk that is not full, states on both ends.
std::string selfTest(int device, tensor::DType element, std::int64_t channels)
{
    Drawing drawing;
    drawing.dtype = element;
    const DrawnCall drawn = drawCall(Family::Gdn2, {1, 80, 2, channels, channels}, drawing);
    const FamilyProblem family(drawn.call());
    CudaMemory memory;
    DeviceCall tensors(family.problem(), element, 0, memory);
    assay_gdn_call call = tensors.call();
    call.device = device;
    start(call, false);
    start(call, true);
    require(cudaDeviceSynchronize(), "the self-test");
    const Judgement judgement = judge(tensors.rounded(), element, tensors.results());
    if (judgement.isGood())
        return {};
    return fmt::format("the kernels fail their self-test on {} with {} and {} channels:{}", architectureOf(device),
                       tensor::name(element), channels, judgement.text());
}

std::string findRefusal(int device)
{
    if (std::string line = absenceOf(device); !line.empty())
        return line;
    const DeviceScope scope(device);
    if (std::string line = lackOf(device); !line.empty())
        return line;
    for (const tensor::DType element : {tensor::DType::BFloat16, tensor::DType::Float16}) {
        for (const std::int64_t channels : {64, 128}) {
            if (std::string line = selfTest(device, element, channels); !line.empty())
                return line;
        }
    }
    return {};
}

} // namespace

const char* imagesText()
{
    return "sm_80, sm_90a, sm_100a (assembled, not executed)";
}

std::string refusalOf(int device)
{
    static std::mutex mutex;
    static std::map<int, std::string> refusals;
    const std::lock_guard lock(mutex);
    const auto known = refusals.find(device);
    if (known != refusals.end())
        return known->second;
    return refusals[device] = findRefusal(device);
}

} // namespace assay::gdn::cuda
