// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/head.h"

#include "kernels/tensor/element_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace assay::gdn {

namespace {

constexpr std::int64_t kPiece = 256; // elements that are converted at a time

template <typename Real> constexpr tensor::DType dtypeOf()
{
    return std::is_same_v<Real, double> ? tensor::DType::Float64 : tensor::DType::Float32;
}

/// Elements @p stride apart as doubles.
void toDoubles(tensor::DType dtype, const std::byte* elements, std::int64_t stride, std::int64_t count, double* out)
{
    if (stride == 1)
        return tensor::toDoubles(dtype, elements, count, out);
    const std::int64_t bytes = tensor::sizeOf(dtype);
    for (std::int64_t i = 0; i < count; ++i)
        tensor::toDoubles(dtype, elements + i * stride * bytes, 1, out + i);
}

InputMatrix tokensOf(const TensorView& view, const Sequence& sequence, std::int64_t head)
{
    const std::vector<std::int64_t>& stride = view.strides;
    const std::int64_t first = sequence.row * stride[0] + sequence.first * stride[1] + head * stride[2];
    return {view.data + first * tensor::sizeOf(view.dtype), view.dtype, stride[1], stride[3], view.shape[3]};
}

InputMatrix stateOf(const TensorView& view, std::int64_t number, std::int64_t head)
{
    const std::vector<std::int64_t>& stride = view.strides;
    const std::int64_t first = number * stride[0] + head * stride[1];
    return {view.data + first * tensor::sizeOf(view.dtype), view.dtype, stride[2], stride[3], view.shape[3]};
}

template <typename Real> Real* elementsOf(tensor::HostTensor& tensor)
{
    return reinterpret_cast<Real*>(tensor.bytes().data());
}

template <typename Real>
OutputMatrix<Real> tokensOf(tensor::HostTensor& tensor, const Shape& shape, const Sequence& sequence, std::int64_t head)
{
    const std::int64_t columns = tensor.shape()[3];
    const std::int64_t first = ((sequence.row * shape.tokens + sequence.first) * shape.heads + head) * columns;
    return {elementsOf<Real>(tensor) + first, shape.heads * columns, columns};
}

template <typename Real>
OutputMatrix<Real> stateOf(tensor::HostTensor& tensor, const Shape& shape, std::int64_t number, std::int64_t head)
{
    return {elementsOf<Real>(tensor) + (number * shape.heads + head) * shape.keys * shape.values, shape.values, shape.values};
}

template <typename Real> tensor::HostTensor keyed(const Shape& shape)
{
    return {dtypeOf<Real>(), {shape.batch, shape.tokens, shape.heads, shape.keys}};
}

template <typename Real> tensor::HostTensor valued(const Shape& shape)
{
    return {dtypeOf<Real>(), {shape.batch, shape.tokens, shape.heads, shape.values}};
}

template <typename Real> tensor::HostTensor states(const Problem& problem, const Shape& shape)
{
    const auto count = static_cast<std::int64_t>(sequencesOf(problem).size());
    return {dtypeOf<Real>(), {count, shape.heads, shape.keys, shape.values}};
}

} // namespace

template <typename Real> void InputMatrix::read(std::int64_t first, std::int64_t rows, Real* out) const
{
    std::array<double, kPiece> piece;
    const std::int64_t bytes = tensor::sizeOf(dtype);
    const bool isCopied = dtype == dtypeOf<Real>() && columnStride == 1;
    for (std::int64_t row = first; row < first + rows; ++row) {
        if (isCopied) {
            std::memcpy(out, data + row * rowStride * bytes, static_cast<std::size_t>(columns * bytes));
            out += columns;
            continue;
        }
        for (std::int64_t column = 0; column < columns; column += kPiece) {
            const std::int64_t count = std::min(kPiece, columns - column);
            toDoubles(dtype, data + (row * rowStride + column * columnStride) * bytes, columnStride, count, piece.data());
            out = std::transform(piece.data(), piece.data() + count, out, [](double value) { return static_cast<Real>(value); });
        }
    }
}

template <typename Real> void OutputMatrix<Real>::write(std::int64_t first, std::int64_t rows, const Real* values) const
{
    for (std::int64_t row = 0; row < rows; ++row)
        std::copy_n(values + row * columns, columns, data + (first + row) * rowStride);
}

template <typename Real>
ForwardWriter<Real>::ForwardWriter(const Problem& problem)
    : m_shape(shapeOf(problem))
    , m_result{valued<Real>(m_shape), states<Real>(problem, m_shape)}
{
}

template <typename Real>
HeadForward<Real> ForwardWriter<Real>::head(const Sequence& sequence, std::int64_t number, std::int64_t head)
{
    return {tokensOf<Real>(m_result.o, m_shape, sequence, head), stateOf<Real>(m_result.finalState, m_shape, number, head)};
}

template <typename Real>
BackwardWriter<Real>::BackwardWriter(const Problem& problem)
    : m_shape(shapeOf(problem))
{
    for (tensor::HostTensor* gradient : {&m_result.dq, &m_result.dk, &m_result.db, &m_result.dg})
        *gradient = keyed<Real>(m_shape);
    for (tensor::HostTensor* gradient : {&m_result.dv, &m_result.dw})
        *gradient = valued<Real>(m_shape);
    m_result.initialStateGrad = states<Real>(problem, m_shape);
}

template <typename Real>
HeadBackward<Real> BackwardWriter<Real>::head(const Sequence& sequence, std::int64_t number, std::int64_t head)
{
    const auto tokens = [&](tensor::HostTensor& tensor) { return tokensOf<Real>(tensor, m_shape, sequence, head); };
    return {tokens(m_result.dq),
            tokens(m_result.dk),
            tokens(m_result.dv),
            tokens(m_result.db),
            tokens(m_result.dw),
            tokens(m_result.dg),
            stateOf<Real>(m_result.initialStateGrad, m_shape, number, head)};
}

HeadInputs headOf(const Problem& problem, const Sequence& sequence, std::int64_t number, std::int64_t head)
{
    const Shape shape = shapeOf(problem);
    HeadInputs inputs;
    inputs.scale = problem.scale;
    inputs.tokens = sequence.tokens;
    inputs.keys = shape.keys;
    inputs.values = shape.values;
    const auto tokens = [&](const TensorView& view) { return tokensOf(view, sequence, head); };
    inputs.q = tokens(problem.q);
    inputs.k = tokens(problem.k);
    inputs.v = tokens(problem.v);
    inputs.b = tokens(problem.b);
    inputs.w = tokens(problem.w);
    inputs.g = tokens(problem.g);
    if (problem.outputGrad)
        inputs.outputGrad = tokens(*problem.outputGrad);
    if (problem.initialState)
        inputs.initialState = stateOf(*problem.initialState, number, head);
    if (problem.finalGrad)
        inputs.finalGrad = stateOf(*problem.finalGrad, number, head);
    return inputs;
}

template void InputMatrix::read(std::int64_t, std::int64_t, float*) const;
template void InputMatrix::read(std::int64_t, std::int64_t, double*) const;
template struct OutputMatrix<float>;
template struct OutputMatrix<double>;
template class ForwardWriter<float>;
template class ForwardWriter<double>;
template class BackwardWriter<float>;
template class BackwardWriter<double>;

} // namespace assay::gdn
