// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/device_call.h"

#include "kernels/gdn/cuda/call_arguments.h"
#include "kernels/tensor/element_reader.h"

#include <cstring>
#include <stdexcept>

namespace assay::gdn::cuda {

using tensor::DType;
using tensor::HostTensor;
using tensor::TensorView;

namespace {

std::vector<double> numbersOf(const TensorView& view)
{
    std::vector<double> numbers(static_cast<std::size_t>(view.count()));
    tensor::ElementReader reader(view, view.count());
    tensor::toDoubles(view.dtype, reader.read(0, view.count()), view.count(), numbers.data());
    return numbers;
}

} // namespace

DeviceCall::DeviceCall(const Problem& problem, DType element, std::int64_t gap, KernelMemory& memory)
    : m_memory(memory)
    , m_gap(gap)
    , m_rounded(problem)
{
    const Shape shape = shapeOf(problem);
    m_call.element = element == DType::BFloat16 ? ASSAY_GDN_BFLOAT16 : ASSAY_GDN_FLOAT16;
    m_call.batch = shape.batch;
    m_call.tokens = shape.tokens;
    m_call.heads = shape.heads;
    m_call.keys = shape.keys;
    m_call.values = shape.values;
    m_call.scale = static_cast<float>(problem.scale);
    m_rounded.scale = m_call.scale;
    m_call.sequences = static_cast<std::int64_t>(sequencesOf(problem).size());
    if (!problem.sequenceStart.empty()) {
        const std::size_t bytes = problem.sequenceStart.size() * sizeof(std::int32_t);
        void* const starts = memory.allocate(bytes);
        memory.upload(starts, problem.sequenceStart.data(), bytes);
        m_call.sequence_starts = static_cast<const std::int32_t*>(starts);
    }
    m_call.q = place("q", problem.q, element, m_rounded.q);
    m_call.k = place("k", problem.k, element, m_rounded.k);
    m_call.b = place("b", problem.b, element, m_rounded.b);
    m_call.g = place("g", problem.g, DType::Float32, m_rounded.g);
    m_call.v = place("v", problem.v, element, m_rounded.v);
    m_call.w = place("w", problem.w, element, m_rounded.w);
    m_call.output_grad = place("do", *problem.outputGrad, element, *m_rounded.outputGrad);
    if (problem.initialState)
        m_call.initial_state = placeState("S0", *problem.initialState);
    if (problem.finalGrad)
        m_call.final_grad = placeState("dST", *problem.finalGrad);
    const std::vector<std::int64_t> keyed{shape.batch, shape.tokens, shape.heads, shape.keys};
    const std::vector<std::int64_t> valued{shape.batch, shape.tokens, shape.heads, shape.values};
    const std::vector<std::int64_t> state{m_call.sequences, shape.heads, shape.keys, shape.values};
    placeOutput("o", m_call.o, element, valued);
    placeOutput("ST", m_call.final_state, DType::Float32, state);
    placeOutput("dq", m_call.dq, element, keyed);
    placeOutput("dk", m_call.dk, element, keyed);
    placeOutput("db", m_call.db, element, keyed);
    placeOutput("dg", m_call.dg, DType::Float32, keyed);
    placeOutput("dv", m_call.dv, element, valued);
    placeOutput("dw", m_call.dw, element, valued);
    placeOutput("dS0", m_call.initial_grad, DType::Float32, state);
    setWorkspace(workspaceBytes(m_call, true));
    poison();
}

/// A tensor whose channels share one value is placed with that one alone.
assay_gdn_tensor DeviceCall::place(const char*, const TensorView& view, DType dtype, TensorView& rounded)
{
    TensorView part = view;
    const bool repeats = view.strides[3] == 0;
    if (repeats)
        part.shape[3] = 1;
    const HostTensor tensor = HostTensor::fromDoubles(dtype, part.shape, numbersOf(part));
    m_owned.push_back(tensor);
    rounded = tensor.view();
    rounded.shape = view.shape;
    if (repeats)
        rounded.strides[3] = 0;

    const std::int64_t channels = part.shape[3], pitch = channels + (repeats ? 0 : m_gap), size = tensor::sizeOf(dtype);
    const std::int64_t rows = tensor.count() / channels;
    std::vector<std::byte> bytes(static_cast<std::size_t>(rows * pitch * size), std::byte{0xFF});
    for (std::int64_t row = 0; row < rows; ++row)
        std::memcpy(bytes.data() + row * pitch * size, tensor.bytes().data() + row * channels * size,
                    static_cast<std::size_t>(channels * size));
    void* const data = m_memory.allocate(bytes.size());
    m_memory.upload(data, bytes.data(), bytes.size());
    return {data, view.shape[1] * view.shape[2] * pitch, view.shape[2] * pitch, pitch, repeats ? 0 : 1};
}

const float* DeviceCall::placeState(const char* name, const TensorView& view)
{
    const HostTensor tensor = HostTensor::fromDoubles(DType::Float32, view.shape, numbersOf(view));
    m_owned.push_back(tensor);
    (std::string(name) == "S0" ? m_rounded.initialState : m_rounded.finalGrad) = tensor.view();
    void* const data = m_memory.allocate(tensor.bytes().size());
    m_memory.upload(data, tensor.bytes().data(), tensor.bytes().size());
    return static_cast<const float*>(data);
}

template <typename T> void DeviceCall::placeOutput(const char* name, T*& to, DType dtype, std::vector<std::int64_t> shape)
{
    const HostTensor tensor(dtype, shape);
    Output& output = m_outputs[name];
    output = {m_memory.allocate(tensor.bytes().size()), dtype, std::move(shape)};
    to = static_cast<T*>(output.data);
}

void DeviceCall::setWorkspace(std::int64_t bytes)
{
    m_call.workspace = m_memory.allocate(static_cast<std::size_t>(bytes));
    m_call.workspace_bytes = bytes;
}

/// All bits set is a NaN in every type that is put out, and an index far away in a table.
void DeviceCall::poison()
{
    const auto fill = [this](void* data, std::size_t bytes) {
        const std::vector<std::byte> ones(bytes, std::byte{0xFF});
        m_memory.upload(data, ones.data(), bytes);
    };
    for (const auto& [name, output] : m_outputs)
        fill(output.data, HostTensor(output.dtype, output.shape).bytes().size());
    fill(m_call.workspace, static_cast<std::size_t>(m_call.workspace_bytes));
}

HostTensor DeviceCall::result(const char* name)
{
    const Output& output = m_outputs.at(name);
    HostTensor tensor(output.dtype, output.shape);
    m_memory.download(tensor.bytes().data(), output.data, tensor.bytes().size());
    return tensor;
}

Outputs DeviceCall::results()
{
    Outputs outputs;
    outputs.forward = {result("o"), result("ST")};
    outputs.backward = {result("dq"), result("dk"), result("db"), result("dg"), result("dv"), result("dw"), result("dS0")};
    return outputs;
}

} // namespace assay::gdn::cuda
