// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/matrix_product.h"
#include "kernels/gdn/near_scores.h"
#include "kernels/gdn/token_block.h"

#include <cstdint>
#include <vector>

namespace assay::gdn {

/// How the tokens of a chunk act on each other, with a decay per channel in between, and the adjoint of that.
///
/// Tokens of one sub-block of 16 are taken pair by pair. Between sub-blocks the decay of a pair is split at a token between the
/// two, so that each factor is a product of decays that lie between the pair, and the rest is a matrix product. The split is at
/// the first row of the later sub-block, for the gradients of k at the last row of the earlier one.
template <typename Real> class ChunkScores {
public:
    ChunkScores(std::int64_t mostRows, std::int64_t keys, Operands operands);

    /// query()[i][j] = scale sum of q_i k_j D_ij for j <= i; erase()[i][j] = sum of (b k)_i k_j D_ij for j < i; zeros elsewhere.
    void compute(const TokenBlock<Real>& block, Real scale);
    const Real* query() const { return m_query.data(); } ///< rows x rows
    const Real* erase() const { return m_erase.data(); }

    /// Adds what scores of pairs j < i pass back to q_i and (b k)_i.
    /// @param queryGrad, eraseGrad  rows x rows, read below the diagonal; the first with the scale in it
    void addRowGrads(const TokenBlock<Real>& block, const Real* queryGrad, const Real* eraseGrad, Real* dq, Real* dErase);
    /// Adds what they pass back to k_j.
    void addColumnGrads(const TokenBlock<Real>& block, const Real* queryGrad, const Real* eraseGrad, Real* dk);
    /// Adds what they pass back to the decays between them, pair by pair over the whole chunk: as differences of the other two,
    /// the sums would lose what neighbours of few terms are made of.
    void addDecayGrads(const TokenBlock<Real>& block, const Real* queryGrad, const Real* eraseGrad, Real* dg);

private:
    struct Span {
        std::int64_t first, end;
        std::int64_t rows() const { return end - first; }
    };
    NearTokens<Real> near(const TokenBlock<Real>& block, const Span& span) const;
    void decayKeysUpTo(const TokenBlock<Real>& block, std::int64_t row);
    void setRowDecay(const TokenBlock<Real>& block, const Span& span);
    void setColumnDecay(const TokenBlock<Real>& block, const Span& span);
    void decayFrom(const TokenBlock<Real>& block, std::int64_t first, const Real* x);
    void addFarScores(const Span& span, std::int64_t rows, const Real* x, Real* scores);
    void addFarRowGrad(const Span& span, std::int64_t rows, const Real* scoreGrad, Real* grad);
    void addFarColumnGrad(const Span& span, std::int64_t rows, const Real* scoreGrad, Real* grad);

    std::int64_t m_keys;
    MatrixProduct<Real> m_product;
    std::vector<Real> m_query, m_erase;
    std::vector<Real> m_far;   ///< tokens outside the sub-block, decayed up to the split
    std::vector<Real> m_decay; ///< of the sub-block's tokens from or to the split
    std::vector<Real> m_near, m_part, m_result, m_running;
    std::vector<Real> m_behind; ///< room of addDecayGrads()
};

} // namespace assay::gdn
