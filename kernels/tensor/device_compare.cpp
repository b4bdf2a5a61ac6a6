// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/device_compare.h"

#include "kernels/tensor/device_layout.h"
#include "kernels/tensor/element_reader.h"
#include "kernels/tensor/quantile_bracket.h"
#include "kernels/tensor/worst_list.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace assay::tensor {

namespace {

using device::kBrackets;
using device::Target;
using device::Totals;
using device::WorstPair;

constexpr std::int64_t kSpanElements = 64 * 1024; // as compare_kernels.cu has it
constexpr std::int64_t kSample = 1 << 18;
constexpr std::int64_t kNarrowedRoom = 1 << 20;
constexpr int kRounds = 7;                 // of kBinBits bits each: more than the 63 bits of a key
constexpr std::int64_t kSampleBlocks = 64; // few, because each adds its bins to all the others'
constexpr int kSampleRounds = (63 - device::kEndBits) / device::kBinBits;
constexpr std::int64_t kPairsAtOnce = 64; // pairs of the largest errors that are fetched with the totals; mostly these are all
constexpr std::size_t kHistogramBytes = sizeof(std::uint64_t) * device::kTargets * device::kBins;

/// Four quantiles at a time, the rest of the places unused.
std::array<double, kBrackets> firstFour(const std::vector<double>& quantiles)
{
    std::array<double, kBrackets> four{};
    std::copy_n(quantiles.begin(), std::min<std::size_t>(quantiles.size(), kBrackets), four.begin());
    return four;
}

int bracketsUsed(const std::vector<double>& quantiles)
{
    return static_cast<int>(std::min<std::size_t>(quantiles.size(), kBrackets));
}

NonFiniteCounts nonFinite(const unsigned long long (&classes)[3])
{
    return {static_cast<std::int64_t>(classes[0]), static_cast<std::int64_t>(classes[1]), static_cast<std::int64_t>(classes[2])};
}

} // namespace

/// The two tensors of one call, and where things lie in the control block.
struct DeviceComparer::Pair {
    DType dtype = DType::Float32;
    CompareDevice::Address reference = 0;
    CompareDevice::Address candidate = 0;
    std::int64_t count = 0;
    std::int64_t spans = 0;
    std::int64_t worstBlocks = 0; ///< spans that are looked through for the largest errors
    CompareDevice::Address totals = 0;
    CompareDevice::Address pairs = 0;
    CompareDevice::Address chosen = 0;
    CompareDevice::Address histogram = 0;
    CompareDevice::Address spanRecords = 0;
    std::int64_t capacity = 0; ///< errors that the list holds
};

DeviceComparer::DeviceComparer(CompareDevice& device)
    : m_device(device)
    , m_control(device)
    , m_sample(device)
    , m_spans(device)
    , m_list(device)
    , m_narrowed(device)
{
}

DeviceComparer::~DeviceComparer() = default;

DeviceComparer::Buffer::~Buffer()
{
    if (m_bytes != 0)
        m_device.release(m_address);
}

CompareDevice::Address DeviceComparer::Buffer::atLeast(std::size_t bytes)
{
    if (bytes > m_bytes) {
        if (m_bytes != 0)
            m_device.release(m_address);
        m_bytes = 0;
        m_address = m_device.allocate(bytes);
        m_bytes = bytes;
    }
    return m_address;
}

template <typename... Arguments>
void DeviceComparer::launch(const Pair& pair, const char* kernel, std::int64_t blocks, int threads, Arguments... arguments)
{
    std::array<void*, sizeof...(Arguments)> pointers{&arguments...};
    m_device.launch(pair.dtype, kernel, static_cast<unsigned>(blocks), static_cast<unsigned>(threads), pointers.data());
}

void DeviceComparer::sampleBrackets(const Pair& pair, const std::vector<double>& quantiles)
{
    const std::int64_t strata = std::min(pair.count, kSample);
    const CompareDevice::Address keys = m_sample.atLeast(static_cast<std::size_t>(strata) * sizeof(std::uint64_t));
    const std::int64_t blocks = (strata + device::kSelectThreads - 1) / device::kSelectThreads;
    const auto [p0, p1, p2, p3] = firstFour(quantiles);
    const int used = bracketsUsed(quantiles);
    launch(pair, "sampleErrors", blocks, device::kSelectThreads, pair.reference, pair.candidate, pair.count, strata, keys,
           pair.totals);
    launch(pair, "aimSample", 1, 1, pair.totals, p0, p1, p2, p3, used);
    const std::int64_t wide = std::min<std::int64_t>(blocks, kSampleBlocks);
    for (int round = 0; round < kSampleRounds; ++round)
        launch(pair, "narrowSample", wide, device::kSelectThreads, keys, static_cast<std::uint64_t>(strata), pair.totals,
               pair.histogram);
    launch(pair, "placeBrackets", 1, 1, pair.totals, used);
}

void DeviceComparer::measure(const Pair& pair, const std::vector<double>& quantiles, int worst)
{
    // Groups of four elements are loaded at once where they lie as that wants it.
    const std::uint64_t group = std::min<std::uint64_t>(16, 4 * static_cast<std::uint64_t>(sizeOf(pair.dtype)));
    const int wide = (pair.reference | pair.candidate) % group == 0;
    const auto [p0, p1, p2, p3] = firstFour(quantiles);
    const int used = bracketsUsed(quantiles);
    const auto capacity = static_cast<std::uint64_t>(pair.capacity);
    CompareDevice::Address list = 0;
    if (used > 0) {
        list = m_list.atLeast(capacity * sizeof(std::uint64_t));
        sampleBrackets(pair, quantiles);
        launch(pair, "measureSpansAndKeep", pair.spans, device::kSpanThreads, pair.reference, pair.candidate, pair.count, wide,
               pair.totals, pair.spanRecords, list, capacity);
    } else {
        launch(pair, "measureSpans", pair.spans, device::kSpanThreads, pair.reference, pair.candidate, pair.count, wide,
               pair.totals, pair.spanRecords);
    }
    launch(pair, "finish", 1, device::kWideThreads, pair.count, pair.spans, pair.totals, pair.spanRecords, p0, p1, p2, p3, used,
           worst, pair.chosen, capacity);
    if (worst > 0)
        launch(pair, "collectWorst", pair.worstBlocks * device::kWorstParts, device::kWideThreads, pair.reference, pair.candidate,
               pair.count, pair.totals, pair.spanRecords, pair.chosen, worst, pair.pairs);
    if (used == 0)
        return;
    const auto room = static_cast<std::uint64_t>(kNarrowedRoom);
    const CompareDevice::Address narrowed = m_narrowed.atLeast(room * sizeof(std::uint64_t));
    for (int round = 0; round < kRounds; ++round) {
        // The first two rounds read the whole list, the others the few errors that are left.
        const std::int64_t blocks = (round < 2 ? 2 : 1) * m_device.multiprocessors();
        launch(pair, "narrowKept", blocks, device::kSelectThreads, list, capacity, narrowed, room, round, pair.totals,
               pair.histogram);
    }
}

std::vector<double> DeviceComparer::selectAmongAll(const Pair& pair, const std::vector<double>& quantiles,
                                                   std::int64_t finitePairs)
{
    Totals totals{};
    for (int q = 0; q < kBrackets; ++q)
        totals.target[q].state = device::kUnused;
    for (std::size_t q = 0; q < quantiles.size(); ++q)
        totals.target[q] = {0,
                            static_cast<unsigned long long>(quantileRank(quantiles[q], finitePairs)),
                            0,
                            ~0ULL,
                            63 - device::kBinBits,
                            device::kSearching};
    m_device.upload(pair.totals, &totals, sizeof totals);
    for (int round = 0; round < kRounds; ++round)
        launch(pair, "narrowTensors", 4 * m_device.multiprocessors(), device::kSelectThreads, pair.reference, pair.candidate,
               static_cast<std::uint64_t>(pair.count), pair.totals, pair.histogram);
    m_device.download(&totals, pair.totals, sizeof totals);
    std::vector<double> values;
    for (std::size_t q = 0; q < quantiles.size(); ++q) {
        if (totals.target[q].state != device::kFound)
            throw std::logic_error("DeviceComparer: an order statistic of all pairs was not found");
        values.push_back(std::bit_cast<double>(totals.target[q].low));
    }
    return values;
}

Comparison DeviceComparer::compare(const TensorView& reference, const TensorView& candidate, const CompareOptions& options)
{
    if (reference.shape != candidate.shape)
        throw std::invalid_argument("DeviceComparer: the shapes of the two tensors differ");
    if (reference.dtype != candidate.dtype)
        throw std::invalid_argument("DeviceComparer: the dtypes of the two tensors differ");
    if (!reference.isContiguous() || !candidate.isContiguous())
        throw std::invalid_argument("DeviceComparer: a tensor is not contiguous");
    Comparison result;
    result.count = reference.count();
    if (reference.dtype != DType::Bool)
        result.maxUlp = 0;
    if (result.count == 0)
        return result;

    Pair pair;
    pair.dtype = reference.dtype;
    pair.reference = reinterpret_cast<std::uintptr_t>(reference.data);
    pair.candidate = reinterpret_cast<std::uintptr_t>(candidate.data);
    pair.count = result.count;
    pair.spans = (pair.count + kSpanElements - 1) / kSpanElements;
    const int worst = std::max(options.worst, 0);
    pair.worstBlocks = std::min<std::int64_t>(worst, pair.spans);
    // A small tensor may keep every error; of a large one the brackets hold some hundredths.
    pair.capacity = std::min(pair.count, std::max<std::int64_t>(1 << 22, pair.count / 16));
    const std::int64_t pairRoom = pair.worstBlocks * device::kWorstParts * worst;
    const std::size_t pairsAt = kHistogramBytes + sizeof(Totals);
    const std::size_t chosenAt = pairsAt + static_cast<std::size_t>(std::max(pairRoom, kPairsAtOnce)) * sizeof(WorstPair);
    pair.histogram = m_control.atLeast(chosenAt + static_cast<std::size_t>(worst) * sizeof(std::int64_t));
    pair.totals = pair.histogram + kHistogramBytes;
    pair.pairs = pair.histogram + pairsAt;
    pair.chosen = pair.histogram + chosenAt;
    pair.spanRecords = m_spans.atLeast(static_cast<std::size_t>(pair.spans) * sizeof(device::SpanRecord));
    m_device.clear(pair.histogram, pairsAt);
    measure(pair, options.quantiles, worst);

    std::vector<std::byte> fetched(sizeof(Totals) + kPairsAtOnce * sizeof(WorstPair));
    m_device.download(fetched.data(), pair.totals, fetched.size());
    Totals totals;
    std::memcpy(&totals, fetched.data(), sizeof totals);
    result.bitDifferent = static_cast<std::int64_t>(totals.bitDifferent);
    result.reference = nonFinite(totals.referenceClasses);
    result.candidate = nonFinite(totals.candidateClasses);
    result.classMismatch = static_cast<std::int64_t>(totals.classMismatch);
    result.finitePairs = result.count - static_cast<std::int64_t>(totals.notFinite);
    result.relativeUndefined = static_cast<std::int64_t>(totals.relativeUndefined);
    result.maxAbsolute = std::bit_cast<double>(totals.maxAbsolute);
    result.maxRelative = std::bit_cast<double>(totals.maxRelative);
    if (result.maxUlp)
        result.maxUlp = totals.maxUlp;
    if (result.finitePairs == 0)
        return result;
    result.meanAbsolute = totals.sum / static_cast<double>(result.finitePairs);
    result.rms = std::sqrt(totals.sumOfSquares / static_cast<double>(result.finitePairs));

    std::vector<WorstPair> pairs(totals.worstPairs);
    if (totals.worstPairs <= kPairsAtOnce)
        std::memcpy(pairs.data(), fetched.data() + sizeof totals, pairs.size() * sizeof(WorstPair));
    else
        m_device.download(pairs.data(), pair.pairs, pairs.size() * sizeof(WorstPair));
    std::vector<WorstElement> largest;
    for (const WorstPair& one : pairs) {
        double value = 0;
        std::int64_t order = 0;
        const auto* bits = reinterpret_cast<const std::byte*>(&one.candidate); // little endian on both sides
        toDoubles(pair.dtype, bits, 1, &value);
        toOrdered(pair.dtype, bits, 1, &order);
        largest.push_back(
            worstElement(pair.dtype, one.position, reinterpret_cast<const std::byte*>(&one.reference), value, order));
    }
    std::ranges::sort(largest, {}, &WorstElement::position);
    WorstList list(worst);
    for (const WorstElement& element : largest) {
        if (list.wants(element.absolute))
            list.add(element);
    }
    result.worst = list.elements();

    // Those that the brackets missed, and those beyond the four that one pass places.
    result.quantiles.resize(options.quantiles.size());
    std::vector<std::size_t> missed;
    for (std::size_t q = 0; q < options.quantiles.size(); ++q) {
        // A key beyond the last one that the bracket answers for may lie in the list for another bracket's sake.
        if (q < kBrackets && totals.target[q].state == device::kFound && totals.target[q].low <= totals.target[q].last)
            result.quantiles[q] = std::bit_cast<double>(totals.target[q].low);
        else
            missed.push_back(q);
    }
    for (std::size_t first = 0; first < missed.size(); first += kBrackets) {
        const std::size_t group = std::min<std::size_t>(kBrackets, missed.size() - first);
        std::vector<double> asked;
        for (std::size_t i = 0; i < group; ++i)
            asked.push_back(options.quantiles[missed[first + i]]);
        const std::vector<double> values = selectAmongAll(pair, asked, result.finitePairs);
        for (std::size_t i = 0; i < group; ++i)
            result.quantiles[missed[first + i]] = values[i];
    }
    return result;
}

} // namespace assay::tensor
