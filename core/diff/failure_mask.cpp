// SPDX-License-Identifier: Apache-2.0
#include "core/diff/failure_mask.h"

#include "core/diff/parallel.h"
#include "kernels/tensor/clones.h"
#include "kernels/tensor/element_reader.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace assay::diff {

namespace {

constexpr std::int64_t kWordBits = 64;
constexpr std::int64_t kRun = 1024;             // elements; a multiple of a word's
constexpr std::int64_t kPartElements = 1 << 18; // handed to a thread at a time

std::int64_t wordsFor(std::int64_t elements)
{
    return (elements + kWordBits - 1) / kWordBits;
}

ASSAY_CLONES void markDifferent(const double* reference, const double* candidate, std::int64_t count, std::uint8_t* marks)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const bool bothNaN = (reference[i] != reference[i]) & (candidate[i] != candidate[i]);
        marks[i] = static_cast<std::uint8_t>((reference[i] != candidate[i]) & !bothNaN);
    }
}

ASSAY_CLONES void markBeyond(double absolute, double relative, const double* reference, const double* candidate,
                             std::int64_t count, std::uint8_t* marks)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const double difference = std::fabs(candidate[i] - reference[i]);
        const double allowed = absolute + relative * std::fabs(reference[i]);
        marks[i] = static_cast<std::uint8_t>(difference > allowed);
    }
}

/// The difference of a pair that is not finite is NaN or infinite, so it never lies in the range.
ASSAY_CLONES void markErrorsAbove(double least, const double* reference, const double* candidate, std::int64_t count,
                                  std::uint8_t* marks)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const double difference = std::fabs(candidate[i] - reference[i]);
        marks[i] = static_cast<std::uint8_t>((difference > least) & (difference <= std::numeric_limits<double>::max()));
    }
}

/// Marks a run of pairs by one rule; keeps the buffers.
class Marker {
public:
    explicit Marker(const FailureRule& rule)
        : m_rule(rule)
        , m_flags(kRun)
        , m_marks(kRun)
    {
    }

    const std::uint8_t* mark(const double* reference, const double* candidate, std::int64_t count)
    {
        switch (m_rule.kind) {
        case FailureRule::Kind::Different:
            markDifferent(reference, candidate, count, m_marks.data());
            return m_marks.data();
        case FailureRule::Kind::ErrorAbove:
            markErrorsAbove(m_rule.bound.absolute, reference, candidate, count, m_marks.data());
            return m_marks.data();
        case FailureRule::Kind::OutOfBound:
            markBeyond(m_rule.bound.absolute, m_rule.bound.relative, reference, candidate, count, m_marks.data());
            break;
        case FailureRule::Kind::ClassMismatch:
            std::fill_n(m_marks.begin(), count, std::uint8_t{0});
            break;
        }
        if (classify(reference, candidate, count, m_flags.data()))
            markClasses(count);
        return m_marks.data();
    }

private:
    /// A pair that is not finite is judged by its classes alone.
    void markClasses(std::int64_t count)
    {
        for (std::int64_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (m_flags[at] != 0)
                m_marks[at] = (m_flags[at] & kMismatch) != 0;
        }
    }

    FailureRule m_rule;
    std::vector<std::uint8_t> m_flags, m_marks;
};

/// Integers beyond 2^53 that round to the same double are different all the same.
void markDifferentIntegers(const std::byte* reference, const std::byte* candidate, std::int64_t count, std::uint8_t* marks)
{
    const auto* left = reinterpret_cast<const std::int64_t*>(reference);
    const auto* right = reinterpret_cast<const std::int64_t*>(candidate);
    for (std::int64_t i = 0; i < count; ++i)
        marks[i] = left[i] != right[i];
}

/// Eight bytes of 0 or 1 as the lowest eight bits: the product puts byte i of the little-endian number at bit 56 + i, and no two
/// of its terms meet.
std::uint64_t packEight(const std::uint8_t* marks)
{
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, marks, sizeof bytes);
    return (bytes * 0x0102040810204080) >> 56;
}

void pack(const std::uint8_t* marks, std::int64_t count, std::uint64_t* words)
{
    for (std::int64_t first = 0; first < count; first += kWordBits) {
        std::uint64_t word = 0;
        const std::int64_t inside = std::min(kWordBits, count - first);
        std::int64_t i = 0;
        for (; i + 8 <= inside; i += 8)
            word |= packEight(marks + first + i) << i;
        for (; i < inside; ++i)
            word |= static_cast<std::uint64_t>(marks[first + i]) << i;
        words[first / kWordBits] = word;
    }
}

} // namespace

FailureMask::FailureMask(std::vector<std::int64_t> shape)
    : m_shape(std::move(shape))
{
    for (std::size_t axis = 0; axis + 1 < m_shape.size(); ++axis)
        m_rows *= m_shape[axis];
    m_length = m_shape.empty() ? 1 : m_shape.back();
    m_rowWords = wordsFor(m_length);
    m_words.resize(static_cast<std::size_t>(m_rows * m_rowWords));
}

std::int64_t FailureMask::bytesFor(const std::vector<std::int64_t>& shape)
{
    std::int64_t words = shape.empty() ? 1 : wordsFor(shape.back());
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis)
        words *= shape[axis];
    return words * static_cast<std::int64_t>(sizeof(std::uint64_t));
}

std::span<std::uint64_t> FailureMask::row(std::int64_t row)
{
    return {m_words.data() + row * m_rowWords, static_cast<std::size_t>(m_rowWords)};
}

std::span<const std::uint64_t> FailureMask::row(std::int64_t row) const
{
    return {m_words.data() + row * m_rowWords, static_cast<std::size_t>(m_rowWords)};
}

void FailureMask::set(std::int64_t row, std::int64_t column)
{
    this->row(row)[static_cast<std::size_t>(column / kWordBits)] |= std::uint64_t{1} << (column % kWordBits);
}

std::int64_t FailureMask::countMarked() const
{
    std::int64_t marked = 0;
    for (const std::uint64_t word : m_words)
        marked += std::popcount(word);
    return marked;
}

FailureMask markFailures(const tensor::TensorView& reference, const tensor::TensorView& candidate, const FailureRule& rule,
                         int threads)
{
    FailureMask mask(reference.shape);
    if (mask.rows() == 0 || mask.rowLength() == 0)
        return mask;
    const bool areLongIntegers = rule.kind == FailureRule::Kind::Different && reference.dtype == tensor::DType::Int64
        && candidate.dtype == tensor::DType::Int64;
    // A part is whole rows of a mask, or a piece of one row where rows are long: parts never share a word.
    const std::int64_t piece = std::min(mask.rowLength(), kPartElements);
    const std::int64_t pieces = (mask.rowLength() + piece - 1) / piece;
    const std::int64_t rowsAtOnce = std::max<std::int64_t>(1, kPartElements / mask.rowLength());
    const std::int64_t bands = (mask.rows() + rowsAtOnce - 1) / rowsAtOnce;
    inParallel(bands * pieces, threads, [&] {
        return [&, referenceReader = tensor::ElementReader(reference, kRun),
                candidateReader = tensor::ElementReader(candidate, kRun), marker = Marker(rule), left = std::vector<double>(kRun),
                right = std::vector<double>(kRun), marks = std::vector<std::uint8_t>(kRun)](std::int64_t part) mutable {
            const std::int64_t firstRow = part / pieces * rowsAtOnce;
            const std::int64_t begin = part % pieces * piece;
            const std::int64_t end = std::min(mask.rowLength(), begin + piece);
            for (std::int64_t row = firstRow; row < std::min(mask.rows(), firstRow + rowsAtOnce); ++row) {
                for (std::int64_t column = begin; column < end; column += kRun) {
                    const std::int64_t count = std::min(kRun, end - column);
                    const std::int64_t position = row * mask.rowLength() + column;
                    const std::byte* a = referenceReader.read(position, count);
                    const std::byte* b = candidateReader.read(position, count);
                    const std::uint8_t* found = marks.data();
                    if (areLongIntegers) {
                        markDifferentIntegers(a, b, count, marks.data());
                    } else {
                        tensor::toDoubles(reference.dtype, a, count, left.data());
                        tensor::toDoubles(candidate.dtype, b, count, right.data());
                        found = marker.mark(left.data(), right.data(), count);
                    }
                    pack(found, count, mask.row(row).data() + column / kWordBits);
                }
            }
        };
    });
    return mask;
}

} // namespace assay::diff
