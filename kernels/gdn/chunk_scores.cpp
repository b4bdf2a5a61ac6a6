// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/chunk_scores.h"

#include "kernels/gdn/lanes.h"

#include <algorithm>

namespace assay::gdn {

namespace {

constexpr std::int64_t kSubBlock = 16;

std::int64_t endOf(std::int64_t first, std::int64_t rows)
{
    return std::min(first + kSubBlock, rows);
}

} // namespace

template <typename Real>
ChunkScores<Real>::ChunkScores(std::int64_t mostRows, std::int64_t keys, Operands operands)
    : m_keys(keys)
    , m_product(operands)
    , m_query(static_cast<std::size_t>(mostRows * mostRows))
    , m_erase(m_query.size())
    , m_far(static_cast<std::size_t>(mostRows * keys))
    , m_decay(static_cast<std::size_t>(kSubBlock * keys))
    , m_near(m_decay.size())
    , m_part(static_cast<std::size_t>(kSubBlock * mostRows))
    , m_result(std::max(m_part.size(), m_near.size()))
    , m_running(static_cast<std::size_t>(keys))
    , m_behind(static_cast<std::size_t>((mostRows + 1) * keys))
{
}

template <typename Real> NearTokens<Real> ChunkScores<Real>::near(const TokenBlock<Real>& block, const Span& span) const
{
    const std::int64_t at = span.first * m_keys;
    return {span.rows(), m_keys, block.q.data() + at, block.k.data() + at, block.erase.data() + at, block.decay.data() + at};
}

/// m_far[j] = k_j e^{g_{j+1}} ... e^{g_row} for the tokens j before @p row.
template <typename Real> void ChunkScores<Real>::decayKeysUpTo(const TokenBlock<Real>& block, std::int64_t row)
{
    std::ranges::fill(m_running, Real{1});
    for (std::int64_t j = row - 1; j >= 0; --j) {
        lanes::scaleBy(m_running.data(), block.decay.data() + (j + 1) * m_keys, m_keys);
        lanes::product(m_far.data() + j * m_keys, block.k.data() + j * m_keys, m_running.data(), m_keys);
    }
}

/// m_decay of row i = e^{g_{first+1}} ... e^{g_i}.
template <typename Real> void ChunkScores<Real>::setRowDecay(const TokenBlock<Real>& block, const Span& span)
{
    std::fill_n(m_decay.data(), m_keys, Real{1});
    for (std::int64_t i = span.first + 1; i < span.end; ++i) {
        Real* const row = m_decay.data() + (i - span.first) * m_keys;
        lanes::product(row, row - m_keys, block.decay.data() + i * m_keys, m_keys);
    }
}

/// m_decay of row j = e^{g_{j+1}} ... e^{g_{end-1}}.
template <typename Real> void ChunkScores<Real>::setColumnDecay(const TokenBlock<Real>& block, const Span& span)
{
    std::fill_n(m_decay.data() + (span.rows() - 1) * m_keys, m_keys, Real{1});
    for (std::int64_t j = span.end - 2; j >= span.first; --j) {
        Real* const row = m_decay.data() + (j - span.first) * m_keys;
        lanes::product(row, row + m_keys, block.decay.data() + (j + 1) * m_keys, m_keys);
    }
}

/// m_far[i - first] = x_i e^{g_first} ... e^{g_i} for the tokens i from @p first on.
template <typename Real> void ChunkScores<Real>::decayFrom(const TokenBlock<Real>& block, std::int64_t first, const Real* x)
{
    std::ranges::fill(m_running, Real{1});
    for (std::int64_t i = first; i < block.rows; ++i) {
        lanes::scaleBy(m_running.data(), block.decay.data() + i * m_keys, m_keys);
        lanes::product(m_far.data() + (i - first) * m_keys, x + i * m_keys, m_running.data(), m_keys);
    }
}

template <typename Real> void ChunkScores<Real>::addFarScores(const Span& span, std::int64_t rows, const Real* x, Real* scores)
{
    lanes::product(m_near.data(), x + span.first * m_keys, m_decay.data(), span.rows() * m_keys);
    m_product.set(plain(m_near.data(), span.rows(), m_keys), transposed(m_far.data(), span.first, m_keys), m_result.data());
    for (std::int64_t i = 0; i < span.rows(); ++i)
        std::copy_n(m_result.data() + i * span.first, span.first, scores + (span.first + i) * rows);
}

template <typename Real> void ChunkScores<Real>::compute(const TokenBlock<Real>& block, Real scale)
{
    const std::int64_t rows = block.rows;
    std::fill_n(m_query.data(), rows * rows, Real{0});
    std::fill_n(m_erase.data(), rows * rows, Real{0});
    for (std::int64_t first = 0; first < rows; first += kSubBlock) {
        const Span span{first, endOf(first, rows)};
        if (first > 0) {
            decayKeysUpTo(block, first);
            setRowDecay(block, span);
            addFarScores(span, rows, block.q.data(), m_query.data());
            addFarScores(span, rows, block.erase.data(), m_erase.data());
        }
        const std::int64_t corner = first * rows + first;
        nearScores(near(block, span), {m_query.data() + corner, rows}, {m_erase.data() + corner, rows}, m_running.data());
    }
    for (std::int64_t i = 0; i < rows; ++i)
        m_query[i * rows + i] = lanes::dot(block.q.data() + i * m_keys, block.k.data() + i * m_keys, m_keys);
    for (std::int64_t i = 0; i < rows * rows; ++i)
        m_query[i] *= scale;
}

template <typename Real>
void ChunkScores<Real>::addFarRowGrad(const Span& span, std::int64_t rows, const Real* scoreGrad, Real* grad)
{
    for (std::int64_t i = 0; i < span.rows(); ++i)
        std::copy_n(scoreGrad + (span.first + i) * rows, span.first, m_part.data() + i * span.first);
    m_product.set(plain(m_part.data(), span.rows(), span.first), plain(m_far.data(), span.first, m_keys), m_result.data());
    lanes::scaleBy(m_result.data(), m_decay.data(), span.rows() * m_keys);
    lanes::addScaled(grad + span.first * m_keys, Real{1}, static_cast<const Real*>(m_result.data()), span.rows() * m_keys);
}

template <typename Real>
void ChunkScores<Real>::addRowGrads(const TokenBlock<Real>& block, const Real* queryGrad, const Real* eraseGrad, Real* dq,
                                    Real* dErase)
{
    const std::int64_t rows = block.rows;
    for (std::int64_t first = 0; first < rows; first += kSubBlock) {
        const Span span{first, endOf(first, rows)};
        if (first > 0) {
            decayKeysUpTo(block, first);
            setRowDecay(block, span);
            addFarRowGrad(span, rows, queryGrad, dq);
            addFarRowGrad(span, rows, eraseGrad, dErase);
        }
        const std::int64_t corner = first * rows + first;
        nearRowGrads(near(block, span), {queryGrad + corner, rows}, {eraseGrad + corner, rows}, dq + first * m_keys,
                     dErase + first * m_keys, m_running.data());
    }
}

template <typename Real>
void ChunkScores<Real>::addFarColumnGrad(const Span& span, std::int64_t rows, const Real* scoreGrad, Real* grad)
{
    const std::int64_t later = rows - span.end;
    for (std::int64_t i = 0; i < later; ++i)
        std::copy_n(scoreGrad + (span.end + i) * rows + span.first, span.rows(), m_part.data() + i * span.rows());
    m_product.set(transposed(m_part.data(), later, span.rows()), plain(m_far.data(), later, m_keys), m_result.data());
    lanes::scaleBy(m_result.data(), m_decay.data(), span.rows() * m_keys);
    lanes::addScaled(grad + span.first * m_keys, Real{1}, static_cast<const Real*>(m_result.data()), span.rows() * m_keys);
}

template <typename Real>
void ChunkScores<Real>::addColumnGrads(const TokenBlock<Real>& block, const Real* queryGrad, const Real* eraseGrad, Real* dk)
{
    const std::int64_t rows = block.rows;
    for (std::int64_t first = 0; first < rows; first += kSubBlock) {
        const Span span{first, endOf(first, rows)};
        if (span.end < rows) {
            setColumnDecay(block, span);
            decayFrom(block, span.end, block.q.data());
            addFarColumnGrad(span, rows, queryGrad, dk);
            decayFrom(block, span.end, block.erase.data());
            addFarColumnGrad(span, rows, eraseGrad, dk);
        }
        const std::int64_t corner = first * rows + first;
        nearColumnGrads(near(block, span), {queryGrad + corner, rows}, {eraseGrad + corner, rows}, dk + first * m_keys,
                        m_running.data());
    }
}

template <typename Real>
void ChunkScores<Real>::addDecayGrads(const TokenBlock<Real>& block, const Real* queryGrad, const Real* eraseGrad, Real* dg)
{
    const std::int64_t rows = block.rows;
    nearDecayGrads(near(block, {0, rows}), {queryGrad, rows}, {eraseGrad, rows}, dg, m_behind.data());
}

template class ChunkScores<float>;
template class ChunkScores<double>;

} // namespace assay::gdn
