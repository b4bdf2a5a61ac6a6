// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/compare.h"

#include "kernels/tensor/element_reader.h"
#include "kernels/tensor/error_block.h"
#include "kernels/tensor/float_block.h"
#include "kernels/tensor/fold.h"
#include "kernels/tensor/quantile_bracket.h"
#include "kernels/tensor/worst_list.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <thread>

namespace assay::tensor {

namespace {

constexpr std::int64_t kSpanBlocks = 64;
constexpr std::int64_t kSpanElements
    = kSpanBlocks * kBlockElements;       // what one thread takes at a time; results are joined in span order
constexpr std::int64_t kSample = 1 << 16; // errors that place the quantile brackets

enum class Class : std::uint8_t { Finite, NaN, PositiveInfinity, NegativeInfinity };

Class classOf(double value)
{
    if (std::isfinite(value))
        return Class::Finite;
    if (std::isnan(value))
        return Class::NaN;
    return value > 0 ? Class::PositiveInfinity : Class::NegativeInfinity;
}

void count(NonFiniteCounts& counts, Class valueClass)
{
    counts.nan += valueClass == Class::NaN;
    counts.positiveInfinity += valueClass == Class::PositiveInfinity;
    counts.negativeInfinity += valueClass == Class::NegativeInfinity;
}

bool allFinite(const double* values, std::int64_t count)
{
    // x - x is 0 for finite x and NaN otherwise; one accumulator keeps the loop free of branches.
    double accumulator = 0;
    for (std::int64_t i = 0; i < count; ++i)
        accumulator += values[i] - values[i];
    return accumulator == 0;
}

template <typename Unsigned> std::int64_t countDifferent(const std::byte* a, const std::byte* b, std::int64_t count)
{
    const auto* x = reinterpret_cast<const Unsigned*>(a);
    const auto* y = reinterpret_cast<const Unsigned*>(b);
    std::int64_t different = 0;
    for (std::int64_t i = 0; i < count; ++i)
        different += x[i] != y[i];
    return different;
}

std::int64_t countDifferentBits(const std::byte* a, const std::byte* b, std::int64_t count, int bytes)
{
    if (std::memcmp(a, b, static_cast<std::size_t>(count * bytes)) == 0)
        return 0;
    switch (bytes) {
    case 1:
        return countDifferent<std::uint8_t>(a, b, count);
    case 2:
        return countDifferent<std::uint16_t>(a, b, count);
    case 4:
        return countDifferent<std::uint32_t>(a, b, count);
    default:
        return countDifferent<std::uint64_t>(a, b, count);
    }
}

/// Reads a pair of tensors block by block.
class PairReader {
public:
    PairReader(const TensorView& reference, const TensorView& candidate)
        : m_reference(reference)
        , m_candidate(candidate)
        , m_sameType(reference.dtype == candidate.dtype)
        , m_referenceReader(reference, kBlockElements)
        , m_candidateReader(candidate, kBlockElements)
    {
    }

    /// Makes reference() and candidate() point to @p length elements from @p first on.
    void point(std::int64_t first, std::int64_t length)
    {
        m_lastReference = m_referenceReader.read(first, length);
        m_lastCandidate = m_candidateReader.read(first, length);
    }

    /// Fills @p block and adds to the counts of @p totals.
    void read(std::int64_t first, std::int64_t length, ErrorBlock& block, Comparison& totals)
    {
        point(first, length);
        const std::byte* reference = m_lastReference;
        const std::byte* candidate = m_lastCandidate;
        toDoubles(m_reference.dtype, reference, length, block.reference.data());
        toDoubles(m_candidate.dtype, candidate, length, block.candidate.data());
        toOrdered(m_reference.dtype, reference, length, block.referenceOrder.data());
        if (m_sameType)
            toOrdered(m_reference.dtype, candidate, length, block.candidateOrder.data());
        else
            roundToOrdered(m_reference.dtype, block.candidate.data(), length, block.candidateOrder.data());
        if (m_sameType)
            totals.bitDifferent += countDifferentBits(reference, candidate, length, sizeOf(m_reference.dtype));
        block.count = length;
        block.masked.clear();
        if (!allFinite(block.reference.data(), length) || !allFinite(block.candidate.data(), length))
            maskNonFinite(block, totals, reference, candidate);
        if (!m_sameType) {
            for (std::int64_t i = 0; i < block.count; ++i)
                totals.bitDifferent
                    += block.reference[static_cast<std::size_t>(i)] != block.candidate[static_cast<std::size_t>(i)];
        }
        totals.finitePairs += block.count - std::ssize(block.masked);
    }

    const std::byte* reference() const { return m_lastReference; } ///< elements of the block that was read last
    const std::byte* candidate() const { return m_lastCandidate; }

    /// What is said of the pair @p i of that block, which begins at @p start.
    WorstElement element(std::int64_t start, std::int64_t i) const
    {
        double value = 0;
        std::int64_t order = 0;
        const std::byte* at = m_lastCandidate + i * sizeOf(m_candidate.dtype);
        toDoubles(m_candidate.dtype, at, 1, &value);
        if (m_sameType)
            toOrdered(m_reference.dtype, at, 1, &order);
        else
            roundToOrdered(m_reference.dtype, &value, 1, &order);
        return worstElement(m_reference.dtype, start + i, m_lastReference + i * sizeOf(m_reference.dtype), value, order);
    }

private:
    void maskNonFinite(ErrorBlock& block, Comparison& totals, const std::byte* reference, const std::byte* candidate) const
    {
        const auto bytes = static_cast<std::size_t>(sizeOf(m_reference.dtype));
        const auto length = static_cast<std::size_t>(block.count);
        for (std::size_t i = 0; i < length; ++i) {
            const Class r = classOf(block.reference[i]);
            const Class c = classOf(block.candidate[i]);
            if (r == Class::Finite && c == Class::Finite)
                continue;
            count(totals.reference, r);
            count(totals.candidate, c);
            totals.classMismatch += r != c;
            if (!m_sameType)
                totals.bitDifferent += r != c;
            else if (r == Class::NaN && c == Class::NaN && std::memcmp(reference + i * bytes, candidate + i * bytes, bytes) != 0)
                --totals.bitDifferent; // two NaN are equal whatever their payload
            block.reference[i] = block.candidate[i] = 1;
            block.referenceOrder[i] = block.candidateOrder[i] = 0;
            block.masked.push_back(static_cast<std::int32_t>(i));
        }
    }

    const TensorView& m_reference;
    const TensorView& m_candidate;
    bool m_sameType;
    ElementReader m_referenceReader;
    ElementReader m_candidateReader;
    const std::byte* m_lastReference = nullptr;
    const std::byte* m_lastCandidate = nullptr;
};

/// Everything one span of the tensor contributes but its largest errors.
struct SpanResult {
    Comparison totals; ///< counts and maxima
    double sum = 0;
    double sumOfSquares = 0;
    std::uint64_t ulp = 0;
    std::vector<BracketTally> tallies;
};

/// What one thread knows while it measures spans, in rising order: what it found in one spares it work in the next.
class SpanMeter {
public:
    SpanMeter(const TensorView& reference, const TensorView& candidate, const std::vector<QuantileBracket>& brackets, int worst)
        : m_reader(reference, candidate)
        , m_floats(reference.dtype == DType::Float32 && candidate.dtype == DType::Float32)
        , m_brackets(brackets)
        , m_worst(worst)
        , m_block(std::make_unique<ErrorBlock>())
    {
    }

    SpanResult measure(std::int64_t first, std::int64_t length)
    {
        SpanResult result;
        result.tallies.resize(m_brackets.size());
        std::array<double, kSpanBlocks> sums{}, squareSums{};
        std::size_t blocks = 0;
        for (std::int64_t start = first; start < first + length; start += kBlockElements, ++blocks) {
            const BlockErrors errors = measureBlock(start, std::min(kBlockElements, first + length - start), result);
            sums[blocks] = errors.sum;
            squareSums[blocks] = errors.sumOfSquares;
            result.totals.maxAbsolute = std::max(result.totals.maxAbsolute, errors.maxAbsolute);
            result.totals.maxRelative = std::max(result.totals.maxRelative, errors.maxRelative);
            result.totals.relativeUndefined += errors.relativeUndefined;
            m_knownRelative = std::max(m_knownRelative, errors.maxRelative);
            tally(*m_block, m_brackets, result.tallies);
            if (m_worst.wants(errors.maxAbsolute))
                listWorst(start);
        }
        result.sum = foldByHalves(std::span(sums).first(blocks));
        result.sumOfSquares = foldByHalves(std::span(squareSums).first(blocks));
        return result;
    }

    /// The largest errors of all spans that this thread measured.
    const std::vector<WorstElement>& worst() const { return m_worst.elements(); }

private:
    BlockErrors measureBlock(std::int64_t start, std::int64_t length, SpanResult& result)
    {
        if (m_floats) {
            m_reader.point(start, length);
            const FloatErrors found
                = measureFloats(reinterpret_cast<const float*>(m_reader.reference()),
                                reinterpret_cast<const float*>(m_reader.candidate()), length, m_knownRelative, *m_block);
            if (found.finite) {
                result.totals.finitePairs += length;
                result.totals.bitDifferent += found.bitDifferent;
                result.ulp = std::max<std::uint64_t>(result.ulp, found.maxUlp);
                return found.errors;
            }
        }
        m_reader.read(start, length, *m_block, result.totals);
        const BlockErrors errors = tensor::measure(*m_block);
        result.ulp = std::max(result.ulp, maxUlp(*m_block));
        return errors;
    }

    void listWorst(std::int64_t start)
    {
        for (std::int64_t i = 0; i < m_block->count; ++i) {
            if (m_worst.wants(m_block->absolute[static_cast<std::size_t>(i)]))
                m_worst.add(m_reader.element(start, i));
        }
    }

    PairReader m_reader;
    bool m_floats;
    const std::vector<QuantileBracket>& m_brackets;
    WorstList m_worst;
    std::unique_ptr<ErrorBlock> m_block;
    double m_knownRelative = 0;
};

/// Absolute errors of finite pairs at one pseudo-random position per stratum (an even stride would alias with rows), sorted.
std::vector<double> sampleErrors(const TensorView& reference, const TensorView& candidate)
{
    const std::int64_t elements = reference.count();
    const std::int64_t strata = std::min(elements, kSample);
    ElementReader referenceReader(reference, 1);
    ElementReader candidateReader(candidate, 1);
    std::vector<double> errors;
    errors.reserve(static_cast<std::size_t>(strata));
    std::uint64_t state = 0x9E3779B97F4A7C15; // SplitMix64: which elements are sampled must not change from run to run
    for (std::int64_t s = 0; s < strata; ++s) {
        const std::int64_t begin = s * (elements / strata) + std::min(s, elements % strata);
        const std::int64_t width = elements / strata + (s < elements % strata);
        state += 0x9E3779B97F4A7C15;
        std::uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        const std::int64_t position
            = begin + static_cast<std::int64_t>((mixed ^ (mixed >> 31)) % static_cast<std::uint64_t>(width));
        double r = 0, c = 0;
        toDoubles(reference.dtype, referenceReader.read(position, 1), 1, &r);
        toDoubles(candidate.dtype, candidateReader.read(position, 1), 1, &c);
        if (std::isfinite(r) && std::isfinite(c))
            errors.push_back(std::fabs(c - r));
    }
    std::sort(errors.begin(), errors.end());
    return errors;
}

std::vector<QuantileBracket> placeBrackets(const TensorView& reference, const TensorView& candidate,
                                           const std::vector<double>& quantiles)
{
    const std::vector<double> sample = sampleErrors(reference, candidate);
    std::vector<QuantileBracket> brackets;
    for (const double q : quantiles)
        brackets.push_back(sample.empty() ? QuantileBracket{q, 0, HUGE_VAL} : QuantileBracket::fromSample(q, sample));
    return brackets;
}

struct PassResult {
    std::vector<SpanResult> spans;
    std::vector<WorstElement> worst; ///< by position: all that can be among the largest errors
};

/// One pass over both tensors, spans shared out among threads.
PassResult measureAll(const TensorView& reference, const TensorView& candidate, const std::vector<QuantileBracket>& brackets,
                      const CompareOptions& options)
{
    const std::int64_t elements = reference.count();
    const std::int64_t spans = (elements + kSpanElements - 1) / kSpanElements;
    PassResult result;
    result.spans.resize(static_cast<std::size_t>(spans));
    std::atomic<std::int64_t> next{0};
    std::mutex worstLock;
    const auto work = [&] {
        SpanMeter meter(reference, candidate, brackets, options.worst);
        for (std::int64_t s = next++; s < spans; s = next++) {
            const std::int64_t first = s * kSpanElements;
            result.spans[static_cast<std::size_t>(s)] = meter.measure(first, std::min(kSpanElements, elements - first));
        }
        const std::lock_guard guard(worstLock);
        result.worst.insert(result.worst.end(), meter.worst().begin(), meter.worst().end());
    };
    const int wanted = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(wanted, spans); ++t)
        helpers.emplace_back(work);
    work();
    helpers.clear();
    std::ranges::sort(result.worst, {}, &WorstElement::position);
    return result;
}

void join(Comparison& total, const Comparison& part)
{
    total.bitDifferent += part.bitDifferent;
    total.classMismatch += part.classMismatch;
    total.finitePairs += part.finitePairs;
    total.relativeUndefined += part.relativeUndefined;
    total.maxAbsolute = std::max(total.maxAbsolute, part.maxAbsolute);
    total.maxRelative = std::max(total.maxRelative, part.maxRelative);
    for (auto [sum, add] : {std::pair{&total.reference, &part.reference}, std::pair{&total.candidate, &part.candidate}}) {
        sum->nan += add->nan;
        sum->positiveInfinity += add->positiveInfinity;
        sum->negativeInfinity += add->negativeInfinity;
    }
}

/// The order statistic that a bracket missed: halves the range of bit patterns (which order like the non-negative errors) until
/// few enough errors are left to keep. Rare, slow, exact.
double selectExactly(const TensorView& reference, const TensorView& candidate, double probability, std::int64_t finitePairs,
                     const CompareOptions& options)
{
    constexpr std::int64_t kKept = 1 << 22;
    const std::int64_t wanted = quantileRank(probability, finitePairs);
    std::uint64_t low = 0;
    std::uint64_t high = std::bit_cast<std::uint64_t>(HUGE_VAL);
    CompareOptions countOnly = options;
    countOnly.worst = 0;
    while (low + 1 < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        const std::vector<QuantileBracket> cut{{probability, std::bit_cast<double>(middle), std::bit_cast<double>(middle)}};
        std::int64_t below = 0, equal = 0;
        for (const SpanResult& part : measureAll(reference, candidate, cut, countOnly).spans) {
            below += part.tallies[0].below;
            equal += part.tallies[0].equalLow;
        }
        if (below < wanted && wanted <= below + equal)
            return std::bit_cast<double>(middle);
        (below >= wanted ? high : low) = middle;
        if (finitePairs <= kKept)
            break;
    }
    const std::vector<QuantileBracket> rest{{probability, std::bit_cast<double>(low), std::bit_cast<double>(high)}};
    BracketTally tally;
    for (PassResult all = measureAll(reference, candidate, rest, countOnly); SpanResult & part : all.spans)
        tally.merge(std::move(part.tallies[0]));
    return tally.resolve(rest[0], finitePairs).value();
}

} // namespace

Comparison compare(const TensorView& reference, const TensorView& candidate, const CompareOptions& options)
{
    if (reference.shape != candidate.shape)
        throw std::invalid_argument("compare: the shapes of the two tensors differ");
    Comparison result;
    result.count = reference.count();
    if (reference.dtype != DType::Bool)
        result.maxUlp = 0;
    if (result.count == 0)
        return result;

    const std::vector<QuantileBracket> brackets = placeBrackets(reference, candidate, options.quantiles);
    PassResult measured = measureAll(reference, candidate, brackets, options);
    std::vector<double> sums, squareSums;
    WorstList worst(options.worst);
    std::vector<BracketTally> tallies(brackets.size());
    for (SpanResult& part : measured.spans) {
        join(result, part.totals);
        sums.push_back(part.sum);
        squareSums.push_back(part.sumOfSquares);
        if (result.maxUlp)
            result.maxUlp = std::max(*result.maxUlp, part.ulp);
        for (std::size_t q = 0; q < tallies.size(); ++q)
            tallies[q].merge(std::move(part.tallies[q]));
    }
    for (const WorstElement& element : measured.worst) {
        if (worst.wants(element.absolute))
            worst.add(element);
    }
    result.worst = worst.elements();
    if (result.finitePairs == 0)
        return result;
    result.meanAbsolute = foldByHalves(sums) / static_cast<double>(result.finitePairs);
    result.rms = std::sqrt(foldByHalves(squareSums) / static_cast<double>(result.finitePairs));
    for (std::size_t q = 0; q < tallies.size(); ++q) {
        const std::optional<double> found = tallies[q].resolve(brackets[q], result.finitePairs);
        result.quantiles.push_back(
            found ? *found : selectExactly(reference, candidate, options.quantiles[q], result.finitePairs, options));
    }
    return result;
}

} // namespace assay::tensor
