// SPDX-License-Identifier: Apache-2.0
// bench_gdn LIBRARY [SAMPLES]: times of the operator on device 0 for the published shapes, one JSON line each.
#include "kernels/gdn/cuda/call_arguments.h"
#include "tests/kernels/gdn/cuda/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

namespace {

using namespace assay::tests;
using assay::gdn::cuda::workspaceBytes;

struct Size {
    std::int64_t batch, tokens, heads, channels;
    bool hasTokenGates = false; ///< one decay and one gate a token: Gated DeltaNet
};

/// Device memory filled with numbers of a distribution; bfloat16 or fp32.
class Inputs {
public:
    explicit Inputs(DriverMemory& memory)
        : m_memory(memory)
    {
    }

    assay_gdn_tensor elements(const Size& size, const std::function<float(float, float)>& draw)
    {
        std::vector<std::uint16_t> numbers(count(size));
        for (std::uint16_t& number : numbers)
            number = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(draw(uniform(), uniform())) >> 16);
        return place(size, numbers.data(), numbers.size() * sizeof(std::uint16_t));
    }

    assay_gdn_tensor floats(const Size& size, const std::function<float(float, float)>& draw)
    {
        std::vector<float> numbers(count(size));
        for (float& number : numbers)
            number = draw(uniform(), uniform());
        return place(size, numbers.data(), numbers.size() * sizeof(float));
    }

private:
    static std::int64_t rows(const Size& size) { return size.batch * size.tokens * size.heads; }
    static std::size_t count(const Size& size) { return static_cast<std::size_t>(rows(size) * size.channels); }
    float uniform() { return static_cast<float>((m_random() >> 8) + 1) * 0x1p-24F; }

    assay_gdn_tensor place(const Size& size, const void* numbers, std::size_t bytes)
    {
        void* const data = m_memory.allocate(bytes);
        m_memory.upload(data, numbers, bytes);
        const std::int64_t repeats = size.channels == 1 ? 0 : 1;
        return {data, size.tokens * size.heads * size.channels, size.heads * size.channels, size.channels, repeats};
    }

    DriverMemory& m_memory;
    std::minstd_rand m_random{1};
};

float normal(float a, float b)
{
    return std::sqrt(-2 * std::log(a)) * std::cos(6.2831853F * b);
}

assay_gdn_call makeCall(const Size& size, DriverMemory& memory)
{
    Inputs inputs(memory);
    Size gates = size;
    gates.channels = size.hasTokenGates ? 1 : size.channels;
    const float unit = 1 / std::sqrt(static_cast<float>(size.channels));
    const auto direction = [unit](float a, float b) { return normal(a, b) * unit; };
    const auto gate = [](float a, float) { return a; };
    assay_gdn_call call{};
    call.element = ASSAY_GDN_BFLOAT16;
    call.batch = call.sequences = size.batch;
    call.tokens = size.tokens;
    call.heads = size.heads;
    call.keys = call.values = size.channels;
    call.scale = unit;
    call.q = inputs.elements(size, direction);
    call.k = inputs.elements(size, direction);
    call.b = inputs.elements(gates, gate);
    call.w = size.hasTokenGates ? call.b : inputs.elements(gates, gate);
    call.v = inputs.elements(size, normal);
    call.output_grad = inputs.elements(size, normal);
    // log sigmoid of a normal number around 2, as layers start
    call.g = inputs.floats(gates, [](float a, float b) { return -std::log1p(std::exp(-2 - normal(a, b))); });
    const auto count = static_cast<std::size_t>(size.batch * size.tokens * size.heads * size.channels);
    for (void** output : {&call.o, &call.dq, &call.dk, &call.db, &call.dv, &call.dw})
        *output = memory.allocate(count * 2);
    call.dg = static_cast<float*>(memory.allocate(count * sizeof(float)));
    call.workspace_bytes = workspaceBytes(call, true);
    call.workspace = memory.allocate(static_cast<std::size_t>(call.workspace_bytes));
    return call;
}

double median(std::vector<double> times)
{
    std::ranges::sort(times);
    return times[times.size() / 2];
}

double medianMilliseconds(const GdnLibrary& library, const assay_gdn_call& call, bool isBackward, int samples)
{
    const auto& driver = library.driver();
    void *const from = driver.openEvent(), *const to = driver.openEvent();
    std::vector<double> times;
    for (int i = -3; i < samples; ++i) { // three to warm up
        driver.record(from, nullptr);
        isBackward ? library.backward(call) : library.forward(call);
        driver.record(to, nullptr);
        driver.wait(nullptr);
        if (i >= 0)
            times.push_back(driver.elapsedSeconds(from, to) * 1e3);
    }
    driver.closeEvent(from);
    driver.closeEvent(to);
    return median(times);
}

std::string kernelTimes(const GdnLibrary& library, const assay_gdn_call& call, bool isBackward)
{
    std::string text;
    for (const GdnLibrary::KernelTime& kernel : library.profile(call, isBackward))
        text += fmt::format("{}\"{}\":{:.4f}", text.empty() ? "" : ",", kernel.name, kernel.milliseconds);
    return "{" + text + "}";
}

/// Bytes that must move and operations of the collapsed form, backward: gdn.md, section 4.
void report(const GdnLibrary& library, const Size& size, int samples)
{
    constexpr double kBytesPerSecond = 4.3e12, kOperationsPerSecond = 790e12; // what an H200 reaches
    const auto memory = library.memory();
    const assay_gdn_call call = makeCall(size, *memory);
    const double tokens = static_cast<double>(size.batch * size.tokens * size.heads), d = static_cast<double>(size.channels);
    const double bytes = tokens * (size.hasTokenGates ? d * 14 + 12 : d * 30), states = tokens / 64 * d * d * 2 * 4;
    const double operations = tokens * (16 * d * d + 22 * 64 * d);
    const double floor = std::max(bytes / kBytesPerSecond, operations / kOperationsPerSecond) * 1e3;
    const double forward = medianMilliseconds(library, call, false, samples);
    const double backward = medianMilliseconds(library, call, true, samples);
    fmt::print("{{\"family\":\"{}\",\"shape\":[{},{},{},{},{}],\"dtype\":\"bfloat16\",\"device\":\"{}\",\"forward_ms\":{:.4f},"
               "\"backward_ms\":{:.4f},"
               "\"bytes_min\":{:.0f},\"flops\":{:.0f},\"floor_ms\":{:.4f},\"floor_with_states_ms\":{:.4f},"
               "\"fraction_of_floor\":{:.3f},\"workspace_bytes\":{},\"samples\":{},\"forward_kernels_ms\":{},"
               "\"backward_kernels_ms\":{}}}\n",
               size.hasTokenGates ? "gdn" : "gdn2", size.batch, size.tokens, size.heads, size.channels, size.channels,
               library.driver().deviceName(0), forward, backward, bytes, operations, floor,
               (bytes + states) / kBytesPerSecond * 1e3, floor / backward, call.workspace_bytes, samples,
               kernelTimes(library, call, false), kernelTimes(library, call, true));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fputs("usage: bench_gdn LIBRARY [SAMPLES]\n", stderr);
        return 2;
    }
    try {
        std::string absence;
        const std::unique_ptr<GdnLibrary> library = GdnLibrary::open(argv[1], absence);
        if (!library) {
            fmt::print("skipped: {}\n", absence);
            return 77;
        }
        const int samples = argc > 2 ? std::max(1, std::atoi(argv[2])) : 20;
        for (const Size& size : {Size{1, 32768, 16, 128}, Size{8, 2048, 16, 128}, Size{1, 8192, 16, 128},
                                 Size{1, 32768, 16, 128, true}, Size{8, 2048, 16, 128, true}})
            report(*library, size, samples);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
