// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/compare.h"

#include "kernels/tensor/element_reader.h"
#include "kernels/tensor/error_block.h"
#include "kernels/tensor/quantile_bracket.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

namespace assay::tensor {

namespace {

constexpr std::int64_t kSpanElements = 256 * kBlockElements; // what one thread takes at a time; results are joined in span order
constexpr std::int64_t kSample = 1 << 16;                    // errors that place the quantile brackets

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

/// Keeps the @p limit largest errors it was shown; among equals the first position stays.
class WorstList {
public:
    explicit WorstList(int limit)
        : m_limit(limit)
    {
    }

    bool wants(double error) const
    {
        return m_limit > 0 && error > 0 && (std::ssize(m_elements) < m_limit || error > m_elements.back().absolute);
    }

    void add(const WorstElement& element)
    {
        const auto place = std::upper_bound(m_elements.begin(), m_elements.end(), element,
                                            [](const WorstElement& a, const WorstElement& b) { return a.absolute > b.absolute; });
        m_elements.insert(place, element);
        if (std::ssize(m_elements) > m_limit)
            m_elements.pop_back();
    }

    const std::vector<WorstElement>& elements() const { return m_elements; }

private:
    int m_limit;
    std::vector<WorstElement> m_elements;
};

/// Reads a pair of tensors block by block into finite pairs.
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

    /// Fills @p block and @p positions (of its pairs, relative to @p first) and adds to the counts of @p totals.
    void read(std::int64_t first, std::int64_t length, ErrorBlock& block, std::vector<std::int32_t>& positions,
              Comparison& totals)
    {
        const std::byte* reference = m_referenceReader.read(first, length);
        const std::byte* candidate = m_candidateReader.read(first, length);
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
        positions.clear();
        if (!allFinite(block.reference.data(), length) || !allFinite(block.candidate.data(), length))
            keepFinite(block, positions, totals, reference, candidate);
        if (!m_sameType) {
            for (std::int64_t i = 0; i < block.count; ++i)
                totals.bitDifferent
                    += block.reference[static_cast<std::size_t>(i)] != block.candidate[static_cast<std::size_t>(i)];
        }
        totals.finitePairs += block.count;
    }

private:
    void keepFinite(ErrorBlock& block, std::vector<std::int32_t>& positions, Comparison& totals, const std::byte* reference,
                    const std::byte* candidate) const
    {
        const auto bytes = static_cast<std::size_t>(sizeOf(m_reference.dtype));
        std::size_t kept = 0;
        const auto length = static_cast<std::size_t>(block.count);
        for (std::size_t i = 0; i < length; ++i) {
            const Class r = classOf(block.reference[i]);
            const Class c = classOf(block.candidate[i]);
            count(totals.reference, r);
            count(totals.candidate, c);
            totals.classMismatch += r != c;
            if (r == Class::Finite && c == Class::Finite) {
                block.reference[kept] = block.reference[i];
                block.candidate[kept] = block.candidate[i];
                block.referenceOrder[kept] = block.referenceOrder[i];
                block.candidateOrder[kept] = block.candidateOrder[i];
                positions.push_back(static_cast<std::int32_t>(i));
                ++kept;
            } else if (!m_sameType) {
                totals.bitDifferent += r != c;
            } else if (r == Class::NaN && c == Class::NaN
                       && std::memcmp(reference + i * bytes, candidate + i * bytes, bytes) != 0) {
                --totals.bitDifferent; // two NaN are equal whatever their payload
            }
        }
        block.count = static_cast<std::int64_t>(kept);
    }

    const TensorView& m_reference;
    const TensorView& m_candidate;
    bool m_sameType;
    ElementReader m_referenceReader;
    ElementReader m_candidateReader;
};

/// Everything one span of the tensor contributes.
struct SpanResult {
    Comparison totals; ///< counts and maxima
    double sum = 0;
    double sumOfSquares = 0;
    std::uint64_t ulp = 0;
    std::vector<BracketTally> tallies;
    std::vector<WorstElement> worst;
};

SpanResult measureSpan(const TensorView& reference, const TensorView& candidate, std::int64_t first, std::int64_t length,
                       const std::vector<QuantileBracket>& brackets, int worst)
{
    SpanResult result;
    result.tallies.resize(brackets.size());
    PairReader reader(reference, candidate);
    WorstList list(worst);
    const auto block = std::make_unique<ErrorBlock>();
    std::vector<std::int32_t> positions;
    for (std::int64_t start = first; start < first + length; start += kBlockElements) {
        reader.read(start, std::min(kBlockElements, first + length - start), *block, positions, result.totals);
        const BlockErrors errors = measure(*block);
        result.sum += errors.sum;
        result.sumOfSquares += errors.sumOfSquares;
        result.totals.maxAbsolute = std::max(result.totals.maxAbsolute, errors.maxAbsolute);
        result.totals.maxRelative = std::max(result.totals.maxRelative, errors.maxRelative);
        result.totals.relativeUndefined += errors.relativeUndefined;
        result.ulp = std::max(result.ulp, maxUlp(*block));
        for (std::size_t q = 0; q < brackets.size(); ++q)
            result.tallies[q].add(*block, brackets[q]);
        if (!list.wants(errors.maxAbsolute))
            continue;
        for (std::size_t i = 0; i < static_cast<std::size_t>(block->count); ++i) {
            if (!list.wants(block->absolute[i]))
                continue;
            WorstElement element;
            element.position = start + (positions.empty() ? static_cast<std::int64_t>(i) : positions[i]);
            element.reference = block->reference[i];
            element.candidate = block->candidate[i];
            element.absolute = block->absolute[i];
            if (element.reference != 0)
                element.relative = element.absolute / std::fabs(element.reference);
            if (reference.dtype != DType::Bool) {
                const auto a = static_cast<std::uint64_t>(block->referenceOrder[i]);
                const auto b = static_cast<std::uint64_t>(block->candidateOrder[i]);
                element.ulp = block->referenceOrder[i] > block->candidateOrder[i] ? a - b : b - a;
            }
            list.add(element);
        }
    }
    result.worst = list.elements();
    return result;
}

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

/// One pass over both tensors, spans shared out among threads and joined in order.
std::vector<SpanResult> measureAll(const TensorView& reference, const TensorView& candidate,
                                   const std::vector<QuantileBracket>& brackets, const CompareOptions& options)
{
    const std::int64_t elements = reference.count();
    const std::int64_t spans = (elements + kSpanElements - 1) / kSpanElements;
    std::vector<SpanResult> results(static_cast<std::size_t>(spans));
    std::atomic<std::int64_t> next{0};
    const auto work = [&] {
        for (std::int64_t s = next++; s < spans; s = next++) {
            const std::int64_t first = s * kSpanElements;
            results[static_cast<std::size_t>(s)]
                = measureSpan(reference, candidate, first, std::min(kSpanElements, elements - first), brackets, options.worst);
        }
    };
    const int wanted = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
    std::vector<std::jthread> helpers;
    for (std::int64_t t = 1; t < std::min<std::int64_t>(wanted, spans); ++t)
        helpers.emplace_back(work);
    work();
    helpers.clear();
    return results;
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
        for (const SpanResult& part : measureAll(reference, candidate, cut, countOnly)) {
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
    for (SpanResult& part : measureAll(reference, candidate, rest, countOnly))
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
    std::vector<SpanResult> parts = measureAll(reference, candidate, brackets, options);
    double sum = 0, sumOfSquares = 0;
    WorstList worst(options.worst);
    std::vector<BracketTally> tallies(brackets.size());
    for (SpanResult& part : parts) {
        join(result, part.totals);
        sum += part.sum;
        sumOfSquares += part.sumOfSquares;
        if (result.maxUlp)
            result.maxUlp = std::max(*result.maxUlp, part.ulp);
        for (const WorstElement& element : part.worst) {
            if (worst.wants(element.absolute))
                worst.add(element);
        }
        for (std::size_t q = 0; q < tallies.size(); ++q)
            tallies[q].merge(std::move(part.tallies[q]));
    }
    result.worst = worst.elements();
    if (result.finitePairs == 0)
        return result;
    result.meanAbsolute = sum / static_cast<double>(result.finitePairs);
    result.rms = std::sqrt(sumOfSquares / static_cast<double>(result.finitePairs));
    for (std::size_t q = 0; q < tallies.size(); ++q) {
        const std::optional<double> found = tallies[q].resolve(brackets[q], result.finitePairs);
        result.quantiles.push_back(
            found ? *found : selectExactly(reference, candidate, options.quantiles[q], result.finitePairs, options));
    }
    return result;
}

} // namespace assay::tensor
