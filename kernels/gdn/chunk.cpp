// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/chunk.h"

#include "kernels/gdn/lanes.h"

#include <algorithm>

namespace assay::gdn {

template <typename Real>
Chunk<Real>::Chunk(std::int64_t mostRows, std::int64_t keys, std::int64_t values, Operands operands)
    : m_keys(keys)
    , m_values(values)
    , m_block(mostRows, keys, values)
    , m_product(operands)
    , m_scores(mostRows, keys, operands)
{
    for (std::vector<Real>* matrix :
         {&m_into, &m_outOf, &m_queryIn, &m_eraseIn, &m_keyOut, &m_pairQuery, &m_pairErase, &m_pairKey, &m_stateQuery,
          &m_stateErase, &m_stateKey, &m_grads.dq, &m_grads.dk, &m_grads.db, &m_grads.dg})
        matrix->resize(static_cast<std::size_t>(mostRows * keys));
    for (std::vector<Real>* matrix : {&m_du, &m_p, &m_grads.dv, &m_grads.dw})
        matrix->resize(static_cast<std::size_t>(mostRows * values));
    for (std::vector<Real>* matrix : {&m_queryGrad, &m_eraseGrad, &m_inverse})
        matrix->resize(static_cast<std::size_t>(mostRows * mostRows));
}

template <typename Real> void Chunk<Real>::load(const HeadInputs& inputs, std::int64_t first, std::int64_t rows)
{
    m_scale = static_cast<Real>(inputs.scale);
    m_block.load(inputs, first, rows);
    setDecays();
    m_scores.compute(m_block, m_scale);
}

template <typename Real> void Chunk<Real>::setDecays()
{
    const std::int64_t count = rows() * m_keys;
    const Real* const decay = m_block.decay.data();
    std::copy_n(decay, m_keys, m_into.data());
    for (std::int64_t at = m_keys; at < count; at += m_keys)
        lanes::product(m_into.data() + at, m_into.data() + at - m_keys, decay + at, m_keys);
    std::fill_n(m_outOf.data() + count - m_keys, m_keys, Real{1});
    for (std::int64_t at = count - 2 * m_keys; at >= 0; at -= m_keys)
        lanes::product(m_outOf.data() + at, m_outOf.data() + at + m_keys, decay + at + m_keys, m_keys);
    lanes::product(m_queryIn.data(), m_block.q.data(), m_into.data(), count);
    lanes::product(m_eraseIn.data(), m_block.erase.data(), m_into.data(), count);
    lanes::product(m_keyOut.data(), m_block.k.data(), m_outOf.data(), count);
}

/// Multiplies by what a state decays by from the chunk's start to its end.
template <typename Real> void Chunk<Real>::scaleState(std::vector<Real>& state) const
{
    const Real* const total = m_into.data() + (rows() - 1) * m_keys;
    for (std::int64_t key = 0; key < m_keys; ++key) {
        for (std::int64_t value = 0; value < m_values; ++value)
            state[key * m_values + value] *= total[key];
    }
}

/// x := (I + A)^{-1} x or (I + A)^{-T} x. Where operands are rounded the inverse is one of them, as on a tensor core.
template <typename Real> void Chunk<Real>::solve(std::vector<Real>& x, bool isTransposed)
{
    const std::int64_t count = rows();
    const Rows<const Real> scores{m_scores.erase(), count};
    if (!m_product.roundsOperands()) {
        const Rows<Real> out{x.data(), m_values};
        return isTransposed ? solveUnitLowerTransposed(count, m_values, scores, out)
                            : solveUnitLower(count, m_values, scores, out);
    }
    invertUnitLower(count, scores, Rows<Real>{m_inverse.data(), count});
    m_room = x;
    m_product.setLower(m_inverse.data(), count, isTransposed, valued(m_room), x.data());
}

template <typename Real> void Chunk<Real>::solveWrites(const std::vector<Real>& state, std::vector<Real>& u)
{
    u.assign(m_block.write.begin(), m_block.write.begin() + rows() * m_values);
    m_product.add(keyed(m_eraseIn), whole(state), u.data(), Real{-1});
    solve(u, false);
}

template <typename Real>
void Chunk<Real>::output(const std::vector<Real>& state, const std::vector<Real>& u, std::vector<Real>& o)
{
    o.resize(static_cast<std::size_t>(rows() * m_values));
    m_product.setLower(m_scores.query(), rows(), false, valued(u), o.data());
    m_product.set(keyed(m_queryIn), whole(state), m_du.data());
    lanes::addScaled(o.data(), m_scale, static_cast<const Real*>(m_du.data()), rows() * m_values);
}

template <typename Real> void Chunk<Real>::advance(std::vector<Real>& state, const std::vector<Real>& u)
{
    scaleState(state);
    m_product.add(transposed(m_keyOut.data(), rows(), m_keys), valued(u), state.data());
}

/// m_du := gradient of u, m_p := (I + A)^{-T} m_du.
template <typename Real> void Chunk<Real>::writeGrad(const std::vector<Real>& stateGrad)
{
    m_product.setLower(m_scores.query(), rows(), true, valued(m_block.outputGrad), m_du.data());
    m_product.add(keyed(m_keyOut), whole(stateGrad), m_du.data());
    m_p = m_du;
    solve(m_p, true);
}

/// Gradients of the scores. What stands above the diagonal is no score and is not read, nor is the diagonal of erase.
template <typename Real> void Chunk<Real>::scoreGrads(const std::vector<Real>& u)
{
    const std::int64_t count = rows();
    const Operand<Real> writes = transposed(u.data(), count, m_values);
    m_product.set(valued(m_block.outputGrad), writes, m_queryGrad.data());
    for (std::int64_t i = 0; i < count * count; ++i)
        m_queryGrad[i] *= m_scale;
    std::fill_n(m_eraseGrad.data(), count * count, Real{0});
    m_product.add(valued(m_p), writes, m_eraseGrad.data(), Real{-1});
}

/// What the state that enters passes to q and b k, and the gradient of the one that leaves to k.
template <typename Real>
void Chunk<Real>::stateParts(const std::vector<Real>& state, const std::vector<Real>& u, const std::vector<Real>& stateGrad)
{
    const std::int64_t count = rows() * m_keys;
    m_product.set(valued(m_block.outputGrad), transposed(state.data(), m_keys, m_values), m_stateQuery.data());
    m_product.set(valued(m_p), transposed(state.data(), m_keys, m_values), m_stateErase.data());
    m_product.set(valued(u), transposed(stateGrad.data(), m_keys, m_values), m_stateKey.data());
    for (std::int64_t i = 0; i < count; ++i) {
        m_stateQuery[i] *= m_scale * m_into[i];
        m_stateErase[i] *= -m_into[i];
        m_stateKey[i] *= m_outOf[i];
    }
}

/// dg_t is the sum over everything that decays by e^{g_t}: pairs of tokens around it, which are in there already, what enters the
/// chunk and is used at t or later, what is written before t and leaves, and what passes through.
template <typename Real> void Chunk<Real>::addStateDecayGrad(const std::vector<Real>& state, const std::vector<Real>& stateGrad)
{
    const std::int64_t last = (rows() - 1) * m_keys;
    std::vector<Real>& dg = m_grads.dg;
    for (std::int64_t key = 0; key < m_keys; ++key) {
        const std::int64_t row = key * m_values;
        Real leaving = m_into[last + key] * lanes::dot(state.data() + row, stateGrad.data() + row, m_values);
        for (std::int64_t at = key; at <= last + key; at += m_keys) {
            dg[at] += leaving;
            leaving += m_block.k[at] * m_stateKey[at];
        }
        Real entering = 0;
        for (std::int64_t at = last + key; at >= 0; at -= m_keys) {
            entering += m_block.q[at] * m_stateQuery[at] + m_block.erase[at] * m_stateErase[at];
            dg[at] += entering;
        }
    }
}

template <typename Real> void Chunk<Real>::sumUp()
{
    const std::int64_t count = rows();
    for (std::int64_t i = 0; i < count; ++i) {
        const Real self = m_queryGrad[i * count + i];
        for (std::int64_t at = i * m_keys; at < (i + 1) * m_keys; ++at) {
            const Real erase = m_pairErase[at] + m_stateErase[at];
            m_grads.dq[at] = m_pairQuery[at] + self * m_block.k[at] + m_stateQuery[at];
            m_grads.dk[at] = m_pairKey[at] + self * m_block.q[at] + m_stateKey[at] + m_block.b[at] * erase;
            m_grads.db[at] = m_block.k[at] * erase;
        }
    }
    lanes::product(m_grads.dv.data(), m_block.w.data(), m_p.data(), count * m_values);
    lanes::product(m_grads.dw.data(), m_block.v.data(), m_p.data(), count * m_values);
}

template <typename Real> void Chunk<Real>::passStateGrad(std::vector<Real>& stateGrad)
{
    scaleState(stateGrad);
    m_room.assign(stateGrad.size(), Real{0});
    m_product.add(transposed(m_queryIn.data(), rows(), m_keys), valued(m_block.outputGrad), m_room.data());
    lanes::addScaled(stateGrad.data(), m_scale, static_cast<const Real*>(m_room.data()),
                     static_cast<std::int64_t>(stateGrad.size()));
    m_product.add(transposed(m_eraseIn.data(), rows(), m_keys), valued(m_p), stateGrad.data(), Real{-1});
}

template <typename Real>
void Chunk<Real>::backward(const HeadInputs& inputs, std::int64_t first, const std::vector<Real>& state,
                           const std::vector<Real>& u, std::vector<Real>& stateGrad)
{
    m_block.loadOutputGrad(inputs, first);
    writeGrad(stateGrad);
    scoreGrads(u);
    stateParts(state, u, stateGrad);
    for (std::vector<Real>* pairs : {&m_pairQuery, &m_pairErase, &m_pairKey, &m_grads.dg})
        std::fill_n(pairs->data(), rows() * m_keys, Real{0});
    m_scores.addRowGrads(m_block, m_queryGrad.data(), m_eraseGrad.data(), m_pairQuery.data(), m_pairErase.data());
    m_scores.addColumnGrads(m_block, m_queryGrad.data(), m_eraseGrad.data(), m_pairKey.data());
    m_scores.addDecayGrads(m_block, m_queryGrad.data(), m_eraseGrad.data(), m_grads.dg.data());
    addStateDecayGrad(state, stateGrad);
    sumUp();
    passStateGrad(stateGrad);
}

template class Chunk<float>;
template class Chunk<double>;

} // namespace assay::gdn
