// SPDX-License-Identifier: Apache-2.0
//
// How fast two fp32 tensors are compared. Prints "what <tab> value <tab> unit", one line each.
//
// usage: bench_compare make FOLDER ELEMENTS        writes reference.npy and candidate.npy
//        bench_compare cpu FOLDER [REPEATS]        best of 5 with one thread and with all, then the statistics as one line of
//        JSON bench_compare cuda [ELEMENTS] [FOLDER_WITH_NVRTC ...]
//                                                  2^28 elements are 1 GiB; against a copy on the device in the same run
// Exit 77: no CUDA device or no NVRTC.
#include "kernels/tensor/compare.h"
#include "kernels/tensor/cuda_compare_device.h"
#include "kernels/tensor/device_compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace assay::tensor;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Times {
    std::vector<double> seconds;

    double best() const { return *std::min_element(seconds.begin(), seconds.end()); }
    double median() const
    {
        std::vector<double> sorted = seconds;
        std::sort(sorted.begin(), sorted.end());
        return sorted[sorted.size() / 2];
    }
};

void print(const std::string& what, double value, const char* unit)
{
    std::printf("%s\t%.6g\t%s\n", what.c_str(), value, unit);
}

std::uint64_t mixed(std::uint64_t number)
{
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9;
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB;
    return number ^ (number >> 31);
}

/// How the candidate differs.
enum class Kind {
    Rounded,   ///< relative errors up to 5e-4, hardly two the same
    LastBit,   ///< one unit in the last place or none: few errors, each very common
    Identical, ///< not at all
};

struct TensorPair {
    std::vector<float> reference, candidate;

    TensorPair(std::int64_t elements, Kind kind)
        : reference(static_cast<std::size_t>(elements))
        , candidate(reference.size())
    {
        const auto fill = [&](std::size_t first, std::size_t end) {
            for (std::size_t i = first; i < end; ++i) {
                const std::uint64_t bits = mixed(i * 0x9E3779B97F4A7C15 + 1);
                const auto a = static_cast<float>(bits & 0xFFFFFF) * 0x1p-24F;
                const auto b = static_cast<float>(bits >> 40) * 0x1p-24F;
                reference[i] = (8 * a - 4) * (a + 0.25F);
                if (kind == Kind::Rounded)
                    candidate[i] = reference[i] * (1 + (b - 0.5F) * 1e-3F);
                else if (kind == Kind::LastBit && b > 0.7F)
                    candidate[i] = std::nextafter(reference[i], 8.0F);
                else
                    candidate[i] = reference[i];
            }
        };
        const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
        std::vector<std::jthread> helpers;
        for (std::size_t t = 0; t < threads; ++t)
            helpers.emplace_back(fill, reference.size() * t / threads, reference.size() * (t + 1) / threads);
    }
};

TensorView view(const void* data, std::int64_t elements)
{
    return TensorView::contiguous(data, DType::Float32, {elements});
}

void writeNpy(const std::string& path, const std::vector<float>& values)
{
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.size());
    header.resize((10 + header.size() + 64) / 64 * 64 - 10, ' ');
    header.back() = '\n';
    std::ofstream file(path, std::ios::binary);
    file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size() & 0xFF) << static_cast<char>(header.size() >> 8) << header;
    file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    file.close();
    if (!file)
        throw std::runtime_error(fmt::format("{}: cannot be written", path));
}

std::vector<float> readNpy(const std::string& path)
{
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
        throw std::runtime_error(fmt::format("{}: cannot be read", path));
    const auto size = static_cast<std::size_t>(file.tellg());
    file.seekg(8);
    const int low = file.get();
    const int high = file.get();
    const std::size_t header = 10 + static_cast<std::size_t>(low) + 256 * static_cast<std::size_t>(high);
    std::vector<float> values((size - header) / sizeof(float));
    file.seekg(static_cast<std::streamoff>(header));
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
    if (!file)
        throw std::runtime_error(fmt::format("{}: ends early", path));
    return values;
}

/// The same keys as compare_numpy.py prints.
std::string statistics(const Comparison& found)
{
    const auto classes = [](const NonFiniteCounts& counts) {
        return fmt::format("[{}, {}, {}]", counts.nan, counts.positiveInfinity, counts.negativeInfinity);
    };
    std::string quantiles, worst;
    for (const double q : found.quantiles)
        quantiles += fmt::format("{}{:.17g}", quantiles.empty() ? "" : ", ", q);
    for (const WorstElement& element : found.worst)
        worst += fmt::format("{}{}", worst.empty() ? "" : ", ", element.position);
    return fmt::format("{{\"count\": {}, \"bit_different\": {}, \"reference\": {}, \"candidate\": {}, \"class_mismatch\": {}, "
                       "\"finite_pairs\": {}, \"relative_undefined\": {}, \"max_absolute\": {:.17g}, \"max_relative\": {:.17g}, "
                       "\"max_ulp\": {}, \"mean_absolute\": {:.17g}, \"rms\": {:.17g}, \"quantiles\": [{}], \"worst\": [{}]}}",
                       found.count, found.bitDifferent, classes(found.reference), classes(found.candidate), found.classMismatch,
                       found.finitePairs, found.relativeUndefined, found.maxAbsolute, found.maxRelative, found.maxUlp.value_or(0),
                       found.meanAbsolute, found.rms, quantiles, worst);
}

int make(const std::string& folder, std::int64_t elements)
{
    const TensorPair pair(elements, Kind::Rounded);
    writeNpy(folder + "/reference.npy", pair.reference);
    writeNpy(folder + "/candidate.npy", pair.candidate);
    return 0;
}

int benchCpu(const std::string& folder, int repeats)
{
    const std::vector<float> reference = readNpy(folder + "/reference.npy");
    const std::vector<float> candidate = readNpy(folder + "/candidate.npy");
    const std::int64_t elements = std::ssize(reference);
    Comparison found;
    for (const int threads : {1, static_cast<int>(std::thread::hardware_concurrency())}) {
        CompareOptions options;
        options.threads = threads;
        Times times;
        for (int i = 0; i < repeats; ++i) {
            const auto start = Clock::now();
            found = compare(view(reference.data(), elements), view(candidate.data(), elements), options);
            times.seconds.push_back(secondsSince(start));
        }
        print(fmt::format("comparison on the CPU, threads: {}, best of {}", threads, repeats), times.best(), "s");
    }
    std::printf("%s\n", statistics(found).c_str());
    return 0;
}

/// Two tensors and room for a copy in device memory.
class Resident {
public:
    Resident(CudaCompareDevice& device, std::size_t bytes)
        : m_device(device)
        , m_bytes(bytes)
    {
        for (auto& address : m_addresses)
            address = device.allocate(bytes);
    }
    ~Resident()
    {
        for (const auto address : m_addresses)
            m_device.release(address);
    }
    Resident(const Resident&) = delete;
    Resident& operator=(const Resident&) = delete;

    void fill(const TensorPair& pair)
    {
        m_device.upload(m_addresses[0], pair.reference.data(), m_bytes);
        m_device.upload(m_addresses[1], pair.candidate.data(), m_bytes);
    }

    /// Seconds of one copy on the device, by its own clock.
    double copy()
    {
        const auto& driver = m_device.driver();
        void* const begin = driver.openEvent();
        void* const end = driver.openEvent();
        driver.record(begin, m_device.stream());
        driver.copy(m_addresses[2], m_addresses[0], m_bytes, m_device.stream());
        driver.record(end, m_device.stream());
        const double seconds = driver.elapsedSeconds(begin, end);
        driver.closeEvent(begin);
        driver.closeEvent(end);
        return seconds;
    }

    TensorView reference() const { return view(reinterpret_cast<const void*>(m_addresses[0]), elements()); }
    TensorView candidate() const { return view(reinterpret_cast<const void*>(m_addresses[1]), elements()); }

private:
    std::int64_t elements() const { return static_cast<std::int64_t>(m_bytes / sizeof(float)); }

    CudaCompareDevice& m_device;
    std::size_t m_bytes;
    CompareDevice::Address m_addresses[3]{};
};

int benchCuda(std::int64_t elements, const std::vector<std::filesystem::path>& folders)
{
    constexpr int kRepeats = 20;
    const CudaCompareDevice::Opening opening = CudaCompareDevice::open(0, folders);
    if (!opening.device) {
        std::fprintf(stderr, "%s\n", opening.absence.c_str());
        return 77;
    }
    std::fprintf(stderr, "  %s, %lld elements\n", opening.device->name().c_str(), static_cast<long long>(elements));
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
    const double moved = 2 * static_cast<double>(bytes) * 1e-9; // read and written, or read from both
    Resident resident(*opening.device, bytes);
    DeviceComparer comparer(*opening.device);
    CompareOptions onePass;
    onePass.quantiles.clear();
    bool same = true;
    const std::pair<Kind, const char*> kinds[]
        = {{Kind::Rounded, "errors all different"}, {Kind::LastBit, "last bits differ"}, {Kind::Identical, "identical tensors"}};
    for (const auto& [kind, kindName] : kinds) {
        const TensorPair pair(elements, kind);
        resident.fill(pair);
        const auto measure = [&](const CompareOptions& options) {
            Times times;
            comparer.compare(resident.reference(), resident.candidate(), options); // compiles, allocates
            for (int i = 0; i < kRepeats; ++i) {
                const auto start = Clock::now();
                comparer.compare(resident.reference(), resident.candidate(), options);
                times.seconds.push_back(secondsSince(start));
            }
            return times;
        };
        Times copies;
        resident.copy();
        for (int i = 0; i < kRepeats; ++i)
            copies.seconds.push_back(resident.copy());
        const Times whole = measure({});
        const Times noQuantiles = measure(onePass);
        print(fmt::format("copy on the device, best of {}", kRepeats), moved / copies.best(), "GB/s");
        print(fmt::format("copy on the device, median of {}", kRepeats), moved / copies.median(), "GB/s");
        print(fmt::format("comparison, {}, best", kindName), moved / whole.best(), "GB/s");
        print(fmt::format("comparison, {}, median", kindName), moved / whole.median(), "GB/s");
        print(fmt::format("comparison without quantiles, {}, best", kindName), moved / noQuantiles.best(), "GB/s");
        print(fmt::format("comparison without quantiles, {}, median", kindName), moved / noQuantiles.median(), "GB/s");
        print(fmt::format("comparison, {}, best, of the copy's bandwidth", kindName), 100 * copies.best() / whole.best(), "%");
        print(fmt::format("comparison, {}, median, of the copy's bandwidth", kindName), 100 * copies.median() / whole.median(),
              "%");
        const std::string device = statistics(comparer.compare(resident.reference(), resident.candidate()));
        const std::string host
            = statistics(compare(view(pair.reference.data(), elements), view(pair.candidate.data(), elements)));
        std::fprintf(stderr, "  %s: %s\n", kindName, device == host ? "the CPU gives the same statistics" : "THE CPU DIFFERS");
        if (device != host)
            std::fprintf(stderr, "  device %s\n  CPU    %s\n", device.c_str(), host.c_str());
        same = same && device == host;
    }
    return same ? 0 : 1;
}

int run(const std::vector<std::string>& words)
{
    if (words.size() == 3 && words[0] == "make")
        return make(words[1], std::stoll(words[2]));
    if ((words.size() == 2 || words.size() == 3) && words[0] == "cpu")
        return benchCpu(words[1], words.size() == 3 ? std::stoi(words[2]) : 5);
    if (!words.empty() && words[0] == "cuda") {
        std::vector<std::filesystem::path> folders;
        for (std::size_t i = 2; i < words.size(); ++i)
            folders.emplace_back(words[i]);
        return benchCuda(words.size() > 1 ? std::stoll(words[1]) : std::int64_t{1} << 28, folders);
    }
    std::fprintf(stderr,
                 "usage: bench_compare make FOLDER ELEMENTS | cpu FOLDER [REPEATS] | cuda [ELEMENTS] [FOLDER_WITH_NVRTC ...]\n");
    return 2;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "bench_compare: %s\n", problem.what());
        return 2;
    }
}
