// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/chunked.h"

#include "kernels/gdn/chunk.h"
#include "kernels/gdn/each_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace assay::gdn {

namespace {

/// Computes heads one after the other in buffers of its own.
template <typename Real> class ChunkedHead {
public:
    ChunkedHead(const Shape& shape, std::int64_t chunk, Operands operands)
        : m_keys(shape.keys)
        , m_rows(chunk)
        , m_chunk(chunk, shape.keys, shape.values, operands)
    {
    }

    void operator()(const HeadInputs& inputs, const HeadForward<Real>& out)
    {
        loadState(inputs, inputs.initialState, m_state);
        for (std::int64_t first = 0; first < inputs.tokens; first += m_rows) {
            load(inputs, first);
            m_chunk.solveWrites(m_state, m_u);
            m_chunk.output(m_state, m_u, m_o);
            m_chunk.advance(m_state, m_u);
            out.o.write(first, m_chunk.rows(), m_o.data());
        }
        out.finalState.write(0, m_keys, m_state.data());
    }

    void operator()(const HeadInputs& inputs, const HeadBackward<Real>& out)
    {
        keepStates(inputs);
        loadState(inputs, inputs.finalGrad, m_stateGrad);
        for (auto i = static_cast<std::int64_t>(m_kept.size()) - 1; i >= 0; --i) {
            const Kept& kept = m_kept[static_cast<std::size_t>(i)];
            const std::int64_t first = i * m_rows;
            load(inputs, first);
            m_chunk.backward(inputs, first, kept.state, kept.u, m_stateGrad);
            write(first, out);
        }
        out.initialStateGrad.write(0, m_keys, m_stateGrad.data());
    }

private:
    /// Of one chunk: the state that enters it and what its tokens write.
    struct Kept {
        std::vector<Real> state, u;
    };

    void load(const HeadInputs& inputs, std::int64_t first)
    {
        m_chunk.load(inputs, first, std::min(m_rows, inputs.tokens - first));
    }

    void keepStates(const HeadInputs& inputs)
    {
        m_kept.clear();
        loadState(inputs, inputs.initialState, m_state);
        for (std::int64_t first = 0; first < inputs.tokens; first += m_rows) {
            load(inputs, first);
            Kept& kept = m_kept.emplace_back();
            kept.state = m_state;
            m_chunk.solveWrites(m_state, kept.u);
            m_chunk.advance(m_state, kept.u);
        }
    }

    void write(std::int64_t first, const HeadBackward<Real>& out) const
    {
        const ChunkGrads<Real>& grads = m_chunk.grads();
        const std::int64_t rows = m_chunk.rows();
        out.dq.write(first, rows, grads.dq.data());
        out.dk.write(first, rows, grads.dk.data());
        out.dv.write(first, rows, grads.dv.data());
        out.db.write(first, rows, grads.db.data());
        out.dw.write(first, rows, grads.dw.data());
        out.dg.write(first, rows, grads.dg.data());
    }

    std::int64_t m_keys, m_rows;
    Chunk<Real> m_chunk;
    std::vector<Real> m_state, m_stateGrad, m_u, m_o;
    std::vector<Kept> m_kept;
};

Operands operandsOf(Arithmetic arithmetic)
{
    switch (arithmetic) {
    case Arithmetic::BFloat16Operands:
        return Operands::BFloat16;
    case Arithmetic::Float16Operands:
        return Operands::Float16;
    case Arithmetic::Float64:
    case Arithmetic::Float32:
        break;
    }
    return Operands::Exact;
}

template <typename Real, template <typename> typename Writer> auto run(const Problem& problem, const ChunkOptions& options)
{
    Writer<Real> writer(problem);
    const Shape shape = shapeOf(problem);
    forEachHead(problem, options.threads, options.stop, writer,
                [&] { return ChunkedHead<Real>(shape, options.chunk, operandsOf(options.arithmetic)); });
    return writer.take();
}

void require(const std::string& mistake, const ChunkOptions& options)
{
    if (!mistake.empty())
        throw std::invalid_argument(mistake);
    if (options.chunk != 16 && options.chunk != 32 && options.chunk != 64)
        throw std::invalid_argument(fmt::format("chunk is {}, expected 16, 32 or 64", options.chunk));
}

} // namespace

ForwardResult chunkedForward(const Problem& problem, const ChunkOptions& options)
{
    require(mistakeIn(problem), options);
    return options.arithmetic == Arithmetic::Float64 ? run<double, ForwardWriter>(problem, options)
                                                     : run<float, ForwardWriter>(problem, options);
}

BackwardResult chunkedBackward(const Problem& problem, const ChunkOptions& options)
{
    require(mistakeInBackward(problem), options);
    return options.arithmetic == Arithmetic::Float64 ? run<double, BackwardWriter>(problem, options)
                                                     : run<float, BackwardWriter>(problem, options);
}

} // namespace assay::gdn
