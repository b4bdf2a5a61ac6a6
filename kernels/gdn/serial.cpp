// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/serial.h"

#include "kernels/gdn/each_head.h"
#include "kernels/gdn/serial_step.h"
#include "kernels/gdn/token_block.h"

#include <algorithm>
#include <stdexcept>

namespace assay::gdn {

namespace {

constexpr std::int64_t kBlock = 64; // tokens between two states that the backward keeps

/// Computes heads one after the other in buffers of its own.
template <typename Real> class SerialHead {
public:
    explicit SerialHead(const Shape& shape)
        : m_keys(shape.keys)
        , m_values(shape.values)
        , m_block(kBlock, shape.keys, shape.values)
        , m_u(static_cast<std::size_t>(kBlock * shape.values))
        , m_o(static_cast<std::size_t>(kBlock * shape.values))
    {
    }

    void operator()(const HeadInputs& inputs, const HeadForward<Real>& out)
    {
        loadState(inputs, inputs.initialState, m_state);
        for (std::int64_t first = 0; first < inputs.tokens; first += kBlock) {
            m_block.load(inputs, first, std::min(kBlock, inputs.tokens - first));
            for (std::int64_t row = 0; row < m_block.rows; ++row)
                stepForward(token(inputs, row), m_state.data(), u(row), o(row));
            out.o.write(first, m_block.rows, m_o.data());
        }
        out.finalState.write(0, m_keys, m_state.data());
    }

    void operator()(const HeadInputs& inputs, const HeadBackward<Real>& out)
    {
        keepStates(inputs);
        loadState(inputs, inputs.finalGrad, m_stateGrad);
        const auto blocks = static_cast<std::int64_t>(m_kept.size());
        for (std::int64_t i = blocks - 1; i >= 0; --i)
            backwardBlock(inputs, i * kBlock, m_kept[static_cast<std::size_t>(i)], out);
        out.initialStateGrad.write(0, m_keys, m_stateGrad.data());
    }

private:
    Real* u(std::int64_t row) { return m_u.data() + row * m_values; }
    Real* o(std::int64_t row) { return m_o.data() + row * m_values; }

    Token<Real> token(const HeadInputs& inputs, std::int64_t row) const
    {
        const std::int64_t key = row * m_keys, value = row * m_values;
        return {m_keys,
                m_values,
                static_cast<Real>(inputs.scale),
                m_block.q.data() + key,
                m_block.k.data() + key,
                m_block.b.data() + key,
                m_block.decay.data() + key,
                m_block.erase.data() + key,
                m_block.v.data() + value,
                m_block.w.data() + value,
                m_block.write.data() + value};
    }

    /// The state at the start of every block.
    void keepStates(const HeadInputs& inputs)
    {
        m_kept.clear();
        loadState(inputs, inputs.initialState, m_state);
        for (std::int64_t first = 0; first < inputs.tokens; first += kBlock) {
            m_kept.push_back(m_state);
            m_block.load(inputs, first, std::min(kBlock, inputs.tokens - first));
            for (std::int64_t row = 0; row < m_block.rows; ++row)
                stepForward(token(inputs, row), m_state.data(), u(row), o(row));
        }
    }

    void backwardBlock(const HeadInputs& inputs, std::int64_t first, const std::vector<Real>& start,
                       const HeadBackward<Real>& out)
    {
        m_block.load(inputs, first, std::min(kBlock, inputs.tokens - first));
        m_block.loadOutputGrad(inputs, first);
        m_states.resize((kBlock + 1) * start.size());
        m_du.resize(static_cast<std::size_t>(m_values));
        Real* const states = m_states.data();
        const auto size = static_cast<std::int64_t>(start.size());
        std::ranges::copy(start, states);
        for (std::int64_t row = 0; row < m_block.rows; ++row) {
            std::copy_n(states + row * size, size, states + (row + 1) * size);
            stepForward(token(inputs, row), states + (row + 1) * size, u(row), o(row));
        }
        for (std::int64_t row = m_block.rows - 1; row >= 0; --row) {
            const std::int64_t at = first + row;
            const auto place = [at](const OutputMatrix<Real>& matrix) { return matrix.data + at * matrix.rowStride; };
            stepBackward(token(inputs, row), states + row * size, states + (row + 1) * size, u(row),
                         m_block.outputGrad.data() + row * m_values, m_stateGrad.data(), m_du.data(),
                         {place(out.dq), place(out.dk), place(out.db), place(out.dg), place(out.dv), place(out.dw)});
        }
    }

    std::int64_t m_keys, m_values;
    TokenBlock<Real> m_block;
    std::vector<Real> m_u, m_o; ///< of a block, by value
    std::vector<Real> m_state, m_stateGrad, m_states, m_du;
    std::vector<std::vector<Real>> m_kept;
};

template <typename Real, template <typename> typename Writer>
auto run(const Problem& problem, int threads, const std::stop_token& stop)
{
    Writer<Real> writer(problem);
    const Shape shape = shapeOf(problem);
    forEachHead(problem, threads, stop, writer, [&shape] { return SerialHead<Real>(shape); });
    return writer.take();
}

void require(const std::string& mistake)
{
    if (!mistake.empty())
        throw std::invalid_argument(mistake);
}

} // namespace

ForwardResult serialForward(const Problem& problem, Precision precision, int threads, const std::stop_token& stop)
{
    require(mistakeIn(problem));
    return precision == Precision::Float64 ? run<double, ForwardWriter>(problem, threads, stop)
                                           : run<float, ForwardWriter>(problem, threads, stop);
}

BackwardResult serialBackward(const Problem& problem, Precision precision, int threads, const std::stop_token& stop)
{
    require(mistakeInBackward(problem));
    return precision == Precision::Float64 ? run<double, BackwardWriter>(problem, threads, stop)
                                           : run<float, BackwardWriter>(problem, threads, stop);
}

} // namespace assay::gdn
