// SPDX-License-Identifier: Apache-2.0
//
// DeviceComparer against compare(): every field the same to the bit. Without Qt, so that it runs on a bare GPU machine.
//
// usage: tst_device_compare host|cuda [FOLDER_WITH_NVRTC ...]
// Exit 0: all the same, 1: something differs, 77: this machine has no CUDA device or no NVRTC.
#include "kernels/tensor/compare.h"
#include "kernels/tensor/cuda_compare_device.h"
#include "kernels/tensor/device_compare.h"
#include "kernels/tensor/element_reader.h"
#include "kernels/tensor/float_codec.h"
#ifdef ASSAY_WITH_HOST_KERNELS
#include "tests/kernels/tensor/host_kernels.h"
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace assay::tensor;

namespace {

using Bytes = std::vector<std::byte>;

/// Counts what was asked and says what differed.
class Report {
public:
    template <typename T> void same(const std::string& where, const char* field, const T& expected, const T& found)
    {
        ++m_asked;
        if (bitsEqual(expected, found))
            return;
        ++m_failed;
        if constexpr (std::is_convertible_v<T, double>)
            std::printf("FAIL %s: %s is %.17g, not %.17g\n", where.c_str(), field, static_cast<double>(found),
                        static_cast<double>(expected));
        else
            std::printf("FAIL %s: %s differs\n", where.c_str(), field);
    }

    void holds(const std::string& where, const char* what, bool value) { same(where, what, true, value); }

    bool end() const
    {
        std::printf("%d passed, %d failed\n", m_asked - m_failed, m_failed);
        return m_asked > 0 && m_failed == 0;
    }

private:
    template <typename T> static bool bitsEqual(const T& a, const T& b)
    {
        if constexpr (std::is_same_v<T, double>)
            return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
        else
            return a == b;
    }

    int m_asked = 0;
    int m_failed = 0;
};

void compareFields(Report& report, const std::string& where, const Comparison& expected, const Comparison& found)
{
    report.same(where, "count", expected.count, found.count);
    report.same(where, "bitDifferent", expected.bitDifferent, found.bitDifferent);
    report.same(where, "reference classes", expected.reference, found.reference);
    report.same(where, "candidate classes", expected.candidate, found.candidate);
    report.same(where, "classMismatch", expected.classMismatch, found.classMismatch);
    report.same(where, "finitePairs", expected.finitePairs, found.finitePairs);
    report.same(where, "relativeUndefined", expected.relativeUndefined, found.relativeUndefined);
    report.same(where, "maxAbsolute", expected.maxAbsolute, found.maxAbsolute);
    report.same(where, "maxRelative", expected.maxRelative, found.maxRelative);
    report.same(where, "maxUlp", expected.maxUlp, found.maxUlp);
    report.same(where, "meanAbsolute", expected.meanAbsolute, found.meanAbsolute);
    report.same(where, "rms", expected.rms, found.rms);
    report.same(where, "number of quantiles", expected.quantiles.size(), found.quantiles.size());
    for (std::size_t q = 0; q < std::min(expected.quantiles.size(), found.quantiles.size()); ++q)
        report.same(where, "quantile", expected.quantiles[q], found.quantiles[q]);
    report.same(where, "number of worst elements", expected.worst.size(), found.worst.size());
    for (std::size_t i = 0; i < std::min(expected.worst.size(), found.worst.size()); ++i) {
        const WorstElement& e = expected.worst[i];
        const WorstElement& f = found.worst[i];
        report.same(where, "position of a worst element", e.position, f.position);
        report.same(where, "reference of a worst element", e.reference, f.reference);
        report.same(where, "candidate of a worst element", e.candidate, f.candidate);
        report.same(where, "error of a worst element", e.absolute, f.absolute);
        report.same(where, "relative error of a worst element", e.relative, f.relative);
        report.same(where, "ulp of a worst element", e.ulp, f.ulp);
    }
}

/// Random bits: every class of number in its share, subnormal ones too.
Bytes randomBits(DType dtype, std::int64_t count, std::uint32_t seed)
{
    std::mt19937 generator(seed);
    Bytes bytes(static_cast<std::size_t>(count * sizeOf(dtype)));
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(generator() & (dtype == DType::Bool ? 1 : 0xFF));
    return bytes;
}

/// Some elements replaced by a neighbour in bits, some by other random bits, some with their sign turned.
Bytes perturbed(const Bytes& reference, DType dtype, std::uint32_t seed)
{
    std::mt19937 generator(seed);
    Bytes bytes = reference;
    const auto size = static_cast<std::size_t>(sizeOf(dtype));
    for (std::size_t i = 0; i < bytes.size(); i += size) {
        const std::uint32_t dice = generator() % 16;
        if (dtype == DType::Bool)
            bytes[i] ^= static_cast<std::byte>(dice == 0);
        else if (dice < 6)
            bytes[i] ^= std::byte{1}; // little endian: the lowest bit
        else if (dice < 8) {
            for (std::size_t b = 0; b < size; ++b)
                bytes[i + b] = static_cast<std::byte>(generator() & 0xFF);
        } else if (dice == 8)
            bytes[i + size - 1] ^= std::byte{0x80};
    }
    return bytes;
}

/// Numbers about 1 with relative errors about @p scale, as two kernels' results differ.
std::pair<Bytes, Bytes> likeResults(DType dtype, std::int64_t count, double scale, std::uint32_t seed)
{
    std::mt19937_64 generator(seed);
    const auto uniform = [&generator] { return static_cast<double>(generator() >> 11) * 0x1p-53; };
    const auto size = static_cast<std::size_t>(sizeOf(dtype));
    Bytes reference(static_cast<std::size_t>(count) * size), candidate(reference.size());
    const auto put = [&](Bytes& bytes, std::size_t i, double value) {
        if (dtype == DType::Float64) {
            std::memcpy(bytes.data() + i * size, &value, size);
        } else if (dtype == DType::Float32) {
            const auto narrow = static_cast<float>(value);
            std::memcpy(bytes.data() + i * size, &narrow, size);
        } else {
            const std::uint32_t bits = dtype == DType::Float16 ? encode<kHalf>(value) : encode<kBFloat>(value);
            std::memcpy(bytes.data() + i * size, &bits, size);
        }
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const double value = 4 * uniform() - 2;
        put(reference, i, value);
        put(candidate, i, value * (1 + scale * (uniform() - 0.5)));
    }
    return {reference, candidate};
}

/// One device and what is asked of it.
class Suite {
public:
    Suite(CompareDevice& device, Report& report)
        : m_device(device)
        , m_comparer(device)
        , m_report(report)
    {
    }

    void everyTypeAndSize(const std::vector<std::int64_t>& sizes)
    {
        for (const DType dtype : kAllDTypes) {
            for (const std::int64_t size : sizes) {
                const Bytes reference = randomBits(dtype, size, 1 + static_cast<std::uint32_t>(size));
                check("random bits", dtype, reference, perturbed(reference, dtype, 2));
            }
        }
    }

    void unalignedStarts()
    {
        for (const DType dtype : kAllDTypes) {
            const Bytes reference = randomBits(dtype, 5000, 3);
            const Bytes candidate = perturbed(reference, dtype, 4);
            for (const auto& [r, c] : {std::pair{1, 0}, {0, 1}, {3, 3}, {4, 8}})
                check("an unaligned start", dtype, reference, candidate, {}, r, c);
        }
    }

    void resultsOfKernels(std::int64_t count)
    {
        for (const DType dtype : {DType::Float64, DType::Float32, DType::Float16, DType::BFloat16}) {
            for (const double scale : {1e-3, 1e-7}) {
                const auto [reference, candidate] = likeResults(dtype, count, scale, 5);
                check("results of two kernels", dtype, reference, candidate);
            }
        }
    }

    void nothingButOneClass()
    {
        const auto filled = [](std::uint32_t bits, std::size_t count) {
            Bytes bytes(4 * count);
            for (std::size_t i = 0; i < count; ++i)
                std::memcpy(bytes.data() + 4 * i, &bits, 4);
            return bytes;
        };
        const std::uint32_t patterns[] = {0x00000000, 0x80000000, 0x3F800000, 0x00000001, 0x7F7FFFFF,
                                          0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC01234};
        for (const std::uint32_t r : patterns) {
            for (const std::uint32_t c : patterns)
                check("one value against another", DType::Float32, filled(r, 1500), filled(c, 1500));
        }
    }

    void onePairAtTheEnd()
    {
        for (const std::int64_t count : {1, 1023, 65536, 65540}) {
            Bytes reference(static_cast<std::size_t>(count) * 4), candidate = reference;
            const float one = 1;
            std::memcpy(candidate.data() + candidate.size() - 4, &one, 4);
            check("one pair differs, the last", DType::Float32, reference, candidate);
        }
    }

    void errorsThatAreTheSameEverywhere()
    {
        // More ties than the list has room for, and a place for the worst that only the position decides.
        std::vector<float> reference(150'000, 1.0F), candidate(150'000, 1.0F);
        for (std::size_t i = 0; i < candidate.size(); ++i)
            candidate[i] = i % 3 == 0 ? 1.5F : i % 3 == 1 ? 0.75F : 1.0F;
        check("three errors", DType::Float32, bytesOf(reference), bytesOf(candidate));
        check("three errors, all quantiles", DType::Float32, bytesOf(reference), bytesOf(candidate),
              {.quantiles = {0, 1.0 / 3, 0.34, 0.66, 2.0 / 3, 0.67, 0.999, 1}, .worst = 50});
    }

    void errorsBeyondTheRange()
    {
        std::vector<double> reference(3000), candidate(3000);
        for (std::size_t i = 0; i < reference.size(); ++i) {
            reference[i] = i % 2 == 0 ? 1.7e308 : i % 3 == 0 ? 0.0 : 5e-324 * static_cast<double>(i);
            candidate[i] = i % 2 == 0 ? -1.7e308 : i % 5 == 0 ? 1e308 : 5e-324;
        }
        check("errors that overflow", DType::Float64, bytesOf(reference), bytesOf(candidate));
    }

    void zerosAfterAQuotientThatOverflows()
    {
        // Once the largest relative error is infinite no other exceeds it, and references of zero are counted all the same.
        std::vector<double> reference(9000, 0.0), candidate(9000, 1e-300);
        reference[0] = 5e-324;
        candidate[0] = 1e308;
        check("a quotient that overflows", DType::Float64, bytesOf(reference), bytesOf(candidate));
    }

    void manyAndFewQuantiles()
    {
        const auto [reference, candidate] = likeResults(DType::Float32, 70'000, 1e-3, 6);
        check("no quantiles", DType::Float32, reference, candidate, {.quantiles = {}, .worst = 3});
        check("one quantile", DType::Float32, reference, candidate, {.quantiles = {0.25}, .worst = 0});
        check("nine quantiles", DType::Float32, reference, candidate,
              {.quantiles = {0.9, 0, 1, 0.5, 0.1, 0.99999, 1e-9, 0.75, 0.3}, .worst = 1});
        check("many worst", DType::Float32, reference, candidate, {.quantiles = {0.5}, .worst = 300});
    }

    void aSampleThatMisleads()
    {
        // Of each two neighbours sampleErrors() looks at one, and these all say the same: that every error is 0, or that none is.
        constexpr std::size_t kStrata = 1 << 18;
        for (const bool zerosSeen : {true, false}) {
            std::vector<float> reference(2 * kStrata, 1.0F), candidate = reference;
            for (std::size_t s = 0; s < kStrata; ++s) {
                std::uint64_t mixed = (s + 2) * 0x9E3779B97F4A7C15;
                mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
                mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
                mixed ^= mixed >> 31;
                const std::size_t seen = 2 * s + mixed % 2;
                candidate[zerosSeen ? seen ^ 1 : seen] = 2.0F + static_cast<float>(s % 1000) * 0x1p-10F;
            }
            check("a sample that misleads", DType::Float32, bytesOf(reference), bytesOf(candidate),
                  {.quantiles = {0.25, 0.5, 0.75, 0.999}, .worst = 3});
        }
    }

    void moreErrorsThanTheListHolds(std::int64_t count)
    {
        // Brackets end at the high word of an error, and all errors here have the same: each lies in every bracket.
        std::vector<double> reference(static_cast<std::size_t>(count), 0.0), candidate = reference;
        for (std::size_t i = 0; i < reference.size(); ++i)
            candidate[i] = 1 + static_cast<double>((i * 2'654'435'761U) % 0x7FFFFFFFU) * 0x1p-52;
        check("more errors than the list holds", DType::Float64, bytesOf(reference), bytesOf(candidate));
    }

    void whatIsNoPairIsRefused()
    {
        const TensorView two = TensorView::contiguous(nullptr, DType::Float32, {2});
        const TensorView three = TensorView::contiguous(nullptr, DType::Float32, {3});
        const TensorView whole = TensorView::contiguous(nullptr, DType::Int32, {2});
        TensorView strided = two;
        strided.strides = {2};
        for (const TensorView& other : {three, whole, strided}) {
            bool refused = false;
            try {
                m_comparer.compare(two, other);
            } catch (const std::invalid_argument&) {
                refused = true;
            }
            m_report.holds("what is no pair", "refused", refused);
        }
    }

private:
    template <typename T> static Bytes bytesOf(const std::vector<T>& values)
    {
        const auto* begin = reinterpret_cast<const std::byte*>(values.data());
        return {begin, begin + values.size() * sizeof(T)};
    }

    void check(const char* what, DType dtype, const Bytes& reference, const Bytes& candidate, const CompareOptions& options = {},
               int referenceShift = 0, int candidateShift = 0)
    {
        const std::int64_t count = std::ssize(reference) / sizeOf(dtype);
        const std::string where
            = std::string(what) + ", " + std::string(name(dtype)) + ", " + std::to_string(count) + " elements";
        const Comparison expected = assay::tensor::compare(TensorView::contiguous(reference.data(), dtype, {count}),
                                                           TensorView::contiguous(candidate.data(), dtype, {count}), options);
        Resident r(m_device, reference, static_cast<std::size_t>(referenceShift * sizeOf(dtype)));
        Resident c(m_device, candidate, static_cast<std::size_t>(candidateShift * sizeOf(dtype)));
        const Comparison found = m_comparer.compare(TensorView::contiguous(r.data(), dtype, {count}),
                                                    TensorView::contiguous(c.data(), dtype, {count}), options);
        compareFields(m_report, where, expected, found);
    }

    /// Bytes in device memory, some way into an allocation.
    class Resident {
    public:
        Resident(CompareDevice& device, const Bytes& bytes, std::size_t shift)
            : m_device(device)
            , m_address(device.allocate(bytes.size() + shift + 1))
            , m_shift(shift)
        {
            device.upload(m_address + shift, bytes.data(), bytes.size());
        }
        ~Resident() { m_device.release(m_address); }
        Resident(const Resident&) = delete;
        Resident& operator=(const Resident&) = delete;
        const void* data() const { return reinterpret_cast<const void*>(m_address + m_shift); }

    private:
        CompareDevice& m_device;
        CompareDevice::Address m_address;
        std::size_t m_shift;
    };

    CompareDevice& m_device;
    DeviceComparer m_comparer;
    Report& m_report;
};

bool run(CompareDevice& device, bool fast)
{
    Report report;
    Suite suite(device, report);
    suite.whatIsNoPairIsRefused();
    suite.everyTypeAndSize(fast ? std::vector<std::int64_t>{0, 1, 2, 3, 5, 127, 1024, 1025, 65'535, 65'536, 65'537, 1'000'003}
                                : std::vector<std::int64_t>{0, 1, 3, 1025, 67'001});
    suite.unalignedStarts();
    suite.resultsOfKernels(fast ? 3'000'001 : 140'000);
    suite.nothingButOneClass();
    suite.onePairAtTheEnd();
    suite.errorsThatAreTheSameEverywhere();
    suite.errorsBeyondTheRange();
    suite.zerosAfterAQuotientThatOverflows();
    suite.manyAndFewQuantiles();
    suite.aSampleThatMisleads();
    if (fast)
        suite.moreErrorsThanTheListHolds(5'000'000);
    return report.end();
}

} // namespace

int main(int argc, char** argv)
{
    const std::string which = argc > 1 ? argv[1] : "";
#ifdef ASSAY_WITH_HOST_KERNELS
    if (which == "host") {
        assay::tests::HostCompareDevice device;
        return run(device, false) ? 0 : 1;
    }
#endif
    if (which != "cuda") {
        std::fprintf(stderr, "usage: %s host|cuda [FOLDER_WITH_NVRTC ...]\n", argv[0]);
        return 2;
    }
    const CudaCompareDevice::Opening opening = CudaCompareDevice::open(0, {argv + 2, argv + argc});
    if (!opening.device) {
        std::printf("skipped: %s\n", opening.absence.c_str());
        return 77;
    }
    std::printf("%s\n", opening.device->name().c_str());
    return run(*opening.device, true) ? 0 : 1;
}
