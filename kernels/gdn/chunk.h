// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/chunk_scores.h"

#include <cstdint>
#include <vector>

namespace assay::gdn {

/// Gradients of a chunk's inputs, row-major.
template <typename Real> struct ChunkGrads {
    std::vector<Real> dq, dk, db, dg; ///< by key
    std::vector<Real> dv, dw;         ///< by value
};

/// One chunk of one head: its tokens, their scores, and the steps of forward and backward. States are keys x values.
template <typename Real> class Chunk {
public:
    Chunk(std::int64_t mostRows, std::int64_t keys, std::int64_t values, Operands operands);

    void load(const HeadInputs& inputs, std::int64_t first, std::int64_t rows);
    std::int64_t rows() const { return m_block.rows; }

    /// @p u := what the tokens write, where @p state enters the chunk.
    void solveWrites(const std::vector<Real>& state, std::vector<Real>& u);
    /// @p o := outputs.
    void output(const std::vector<Real>& state, const std::vector<Real>& u, std::vector<Real>& o);
    /// @p state := the state that leaves the chunk.
    void advance(std::vector<Real>& state, const std::vector<Real>& u);

    /// Gradients of the chunk's inputs; call load() first.
    /// @param state      enters the chunk
    /// @param stateGrad  of the state that leaves it; becomes that of the state that enters
    void backward(const HeadInputs& inputs, std::int64_t first, const std::vector<Real>& state, const std::vector<Real>& u,
                  std::vector<Real>& stateGrad);
    const ChunkGrads<Real>& grads() const { return m_grads; }

private:
    void setDecays();
    void solve(std::vector<Real>& x, bool isTransposed);
    void writeGrad(const std::vector<Real>& stateGrad);
    void scoreGrads(const std::vector<Real>& u);
    void stateParts(const std::vector<Real>& state, const std::vector<Real>& u, const std::vector<Real>& stateGrad);
    void addStateDecayGrad(const std::vector<Real>& state, const std::vector<Real>& stateGrad);
    void sumUp();
    void passStateGrad(std::vector<Real>& stateGrad);
    void scaleState(std::vector<Real>& state) const;
    Operand<Real> keyed(const std::vector<Real>& matrix) const { return plain(matrix.data(), rows(), m_keys); }
    Operand<Real> valued(const std::vector<Real>& matrix) const { return plain(matrix.data(), rows(), m_values); }
    Operand<Real> whole(const std::vector<Real>& state) const { return plain(state.data(), m_keys, m_values); }

    std::int64_t m_keys, m_values;
    Real m_scale = 1;
    TokenBlock<Real> m_block;
    MatrixProduct<Real> m_product;
    ChunkScores<Real> m_scores;
    std::vector<Real> m_into;  ///< by key: decay from the chunk's start to after the token's own
    std::vector<Real> m_outOf; ///< by key: decay after the token to the chunk's end
    std::vector<Real> m_queryIn, m_eraseIn, m_keyOut;
    std::vector<Real> m_inverse, m_room;
    std::vector<Real> m_du, m_p; ///< by value; m_p is d(w v)
    std::vector<Real> m_queryGrad, m_eraseGrad;
    std::vector<Real> m_pairQuery, m_pairErase, m_pairKey;    ///< what pairs of tokens pass to q, b k and k
    std::vector<Real> m_stateQuery, m_stateErase, m_stateKey; ///< what the states pass to them
    ChunkGrads<Real> m_grads;
};

} // namespace assay::gdn
