// SPDX-License-Identifier: Apache-2.0
#include "core/launch/kernel_images.h"

#include "core/text/error.h"
#include "kernels/device/cubin.h"
#include "kernels/device/device_limits.h"
#include "kernels/device/fatbin.h"
#include "kernels/gdn/cuda/steps.h"
#include "kernels/gdn/plan/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

namespace assay::launch {

namespace {

namespace fs = std::filesystem;
namespace plan = gdn::plan;
using gdn::cuda::Step;

constexpr int kWarp = 32;
// Of a processor of compute capability 8.0, 9.0 and 10.0. Source: CUDA C++ Programming Guide 13.0, compute capabilities.
constexpr int kThreadsOfProcessor = 2048;
constexpr int kBlocksOfProcessor = 32;

/// How kernels/gdn/cuda/element_kernels.cuh instantiates a kernel.
struct Instance {
    Step step;
    bool hasGates; ///< has a form of its own for one decay a token
};

/// In the order of plannedKernels().
constexpr std::array kInstances = {
    Instance{Step::Prepare, true},      Instance{Step::ForwardScan, false}, Instance{Step::Output, false},
    Instance{Step::ReverseScan, false}, Instance{Step::Gradients, true},
};

/// The part of the mangled name that tells the instances apart (Itanium C++ ABI).
std::string symbolOf(const Instance& one, int keys, int values, bool hasTokenDecay)
{
    const auto gate = one.hasGates && hasTokenDecay ? gdn::cuda::Gate::Token : gdn::cuda::Gate::Channels;
    return fmt::format("stepKernelILNS1_4StepE{}ENS1_8BFloat16ELi{}ELi{}ELNS1_4GateE{}EE", static_cast<int>(one.step), keys,
                       values, static_cast<int>(gate));
}

std::string bytesOf(const fs::path& path)
{
    std::error_code none;
    const auto size = fs::file_size(path, none);
    std::string bytes(none ? 0 : size, '\0');
    std::ifstream file(path, std::ios::binary);
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())) || bytes.empty())
        throw Error("the library of the device kernels cannot be read", path.string(), "Build it anew");
    return bytes;
}

/// 90 of "sm_90a"
int numberOf(std::string_view target)
{
    int number = 0;
    const std::string_view digits = target.substr(target.find('_') + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

std::vector<device::CubinKernel> kernelsFor(int sm, const std::string& bytes)
{
    std::vector<device::CubinKernel> found;
    for (const device::FatbinEntry& entry : device::readFatbin(std::as_bytes(std::span(bytes)))) {
        if (entry.kind != device::FatbinEntry::Kind::Cubin || entry.sm != sm || entry.compressed)
            continue;
        std::vector<device::CubinKernel> kernels = device::readCubin(entry.content).kernels;
        std::ranges::move(kernels, std::back_inserter(found));
    }
    return found;
}

KernelImage imageOf(const device::CubinKernel& cubin, const PlannedKernel& planned, std::size_t target,
                    const device::DeviceLimits& limits)
{
    KernelImage image;
    image.registers = cubin.registers.value_or(0);
    image.stackBytes = cubin.stackBytes.value_or(cubin.frameBytes.value_or(0));
    const std::int64_t warps = planned.threads / kWarp;
    const std::int64_t ofWarp = (image.registers * kWarp + limits.registerUnit - 1) / limits.registerUnit * limits.registerUnit;
    image.blocksByRegisters = static_cast<int>(limits.registersPerSm / std::max<std::int64_t>(1, ofWarp * warps));
    image.blocks
        = std::min({image.blocksByRegisters, planned.blocks[target], kThreadsOfProcessor / planned.threads, kBlocksOfProcessor});
    image.occupancy = static_cast<double>(image.blocks * planned.threads) / kThreadsOfProcessor;
    return image;
}

} // namespace

fs::path imageLibrary()
{
    std::error_code none;
    const fs::path program = fs::read_symlink("/proc/self/exe", none);
    for (const char* place : {"../lib", "../worker/assay_worker", "../share/assay/worker/assay_worker"}) {
        fs::path library = (program.parent_path() / place / "libassay_gdn.so").lexically_normal();
        if (fs::exists(library, none))
            return library;
    }
    return {};
}

std::vector<std::optional<KernelImage>> kernelImages(const fs::path& library, std::size_t target, int keys, int values,
                                                     bool hasTokenDecay)
{
    const std::vector<PlannedKernel> planned = plannedKernels(keys, values);
    const int sm = numberOf(plannedTargets()[target].name);
    const auto limits = device::deviceLimits(sm);
    if (!limits)
        throw Error("no limits are known of this target", std::string(plannedTargets()[target].name), "Choose another");
    std::vector<std::optional<KernelImage>> images;
    try {
        const std::string bytes = bytesOf(library);
        const std::vector<device::CubinKernel> kernels = kernelsFor(sm, bytes);
        for (std::size_t i = 0; i < planned.size(); ++i) {
            const std::string symbol = symbolOf(kInstances[i], keys, values, hasTokenDecay);
            const auto found = std::ranges::find_if(
                kernels, [&](const device::CubinKernel& kernel) { return kernel.name.find(symbol) != std::string::npos; });
            images.push_back(found == kernels.end() ? std::nullopt : std::optional(imageOf(*found, planned[i], target, *limits)));
        }
    } catch (const device::BinaryError& error) {
        throw Error(error.what(), library.string(), "Build the library of the device kernels anew");
    }
    return images;
}

} // namespace assay::launch
