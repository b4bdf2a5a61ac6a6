// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/host_tensor.h"

#include "kernels/tensor/element_reader.h"
#include "kernels/tensor/float_codec.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace assay::tensor {

namespace {

std::int64_t product(const std::vector<std::int64_t>& shape)
{
    std::int64_t result = 1;
    for (const std::int64_t size : shape)
        result *= size;
    return result;
}

template <typename T> void put(std::byte* out, std::int64_t index, T value)
{
    std::memcpy(out + index * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

void store(DType dtype, std::byte* out, std::int64_t index, double value)
{
    switch (dtype) {
    case DType::Float64:
        return put(out, index, value);
    case DType::Float32:
        return put(out, index, static_cast<float>(value));
    case DType::Float16:
        return put(out, index, static_cast<std::uint16_t>(encode<kHalf>(value)));
    case DType::BFloat16:
        return put(out, index, static_cast<std::uint16_t>(encode<kBFloat>(value)));
    case DType::Float8E4M3:
        return put(out, index, static_cast<std::uint8_t>(encode<kE4M3>(value)));
    case DType::Float8E5M2:
        return put(out, index, static_cast<std::uint8_t>(encode<kE5M2>(value)));
    case DType::Int64:
        return put(out, index, static_cast<std::int64_t>(value));
    case DType::Int32:
        return put(out, index, static_cast<std::int32_t>(value));
    case DType::Int16:
        return put(out, index, static_cast<std::int16_t>(value));
    case DType::Int8:
        return put(out, index, static_cast<std::int8_t>(value));
    case DType::UInt8:
        return put(out, index, static_cast<std::uint8_t>(value));
    case DType::Bool:
        return put(out, index, static_cast<std::uint8_t>(value != 0));
    }
}

} // namespace

std::vector<std::int64_t> contiguousStrides(const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        strides[i] = stride;
        stride *= std::max<std::int64_t>(shape[i], 1);
    }
    return strides;
}

HostTensor::HostTensor(DType dtype, std::vector<std::int64_t> shape)
    : m_storage(std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(product(shape) * sizeOf(dtype))))
    , m_dtype(dtype)
    , m_shape(std::move(shape))
    , m_strides(contiguousStrides(m_shape))
{
}

HostTensor::HostTensor(std::shared_ptr<std::vector<std::byte>> storage, DType dtype, std::vector<std::int64_t> shape,
                       std::vector<std::int64_t> strides, std::int64_t offsetBytes)
    : m_storage(std::move(storage))
    , m_dtype(dtype)
    , m_shape(std::move(shape))
    , m_strides(std::move(strides))
    , m_offsetBytes(offsetBytes)
{
    if (m_strides.size() != m_shape.size())
        throw std::invalid_argument("HostTensor: as many strides as dimensions are needed");
    // 128 bits: sizes and strides may come from code that means harm, and a wrapped product would pass the test below.
    __int128 lowest = 0;
    __int128 highest = 0;
    bool empty = false;
    for (std::size_t i = 0; i < m_shape.size(); ++i) {
        if (m_shape[i] < 0)
            throw std::invalid_argument("HostTensor: a size is negative");
        empty = empty || m_shape[i] == 0;
        const __int128 reach = static_cast<__int128>(m_shape[i] - 1) * m_strides[i];
        (reach < 0 ? lowest : highest) += reach;
    }
    if (empty)
        return;
    const int bytes = sizeOf(dtype);
    if (m_offsetBytes + lowest * bytes < 0 || m_offsetBytes + (highest + 1) * bytes > static_cast<__int128>(m_storage->size()))
        throw std::invalid_argument("HostTensor: an element lies outside the storage");
}

std::int64_t HostTensor::count() const
{
    return product(m_shape);
}

TensorView HostTensor::view() const
{
    TensorView view;
    view.data = m_storage ? m_storage->data() + m_offsetBytes : nullptr;
    view.dtype = m_dtype;
    view.shape = m_shape;
    view.strides = m_strides;
    return view;
}

bool HostTensor::isContiguous() const
{
    return view().isContiguous();
}

std::span<std::byte> HostTensor::bytes()
{
    if (!isContiguous())
        throw std::logic_error("HostTensor: bytes() of a tensor with gaps");
    return {m_storage ? m_storage->data() + m_offsetBytes : nullptr, static_cast<std::size_t>(count() * sizeOf(m_dtype))};
}

std::span<const std::byte> HostTensor::bytes() const
{
    return const_cast<HostTensor*>(this)->bytes();
}

std::vector<double> HostTensor::toDoubles() const
{
    std::vector<double> values(static_cast<std::size_t>(count()));
    constexpr std::int64_t kRun = 4096;
    const TensorView tensor = view();
    ElementReader reader(tensor, kRun);
    for (std::int64_t first = 0; first < static_cast<std::int64_t>(values.size()); first += kRun) {
        const std::int64_t run = std::min<std::int64_t>(kRun, static_cast<std::int64_t>(values.size()) - first);
        tensor::toDoubles(m_dtype, reader.read(first, run), run, values.data() + first);
    }
    return values;
}

HostTensor HostTensor::fromDoubles(DType dtype, std::vector<std::int64_t> shape, std::span<const double> values)
{
    HostTensor result(dtype, std::move(shape));
    if (static_cast<std::int64_t>(values.size()) != result.count())
        throw std::invalid_argument("HostTensor: as many values as elements are needed");
    std::byte* const out = result.m_storage->data();
    for (std::size_t i = 0; i < values.size(); ++i)
        store(dtype, out, static_cast<std::int64_t>(i), values[i]);
    return result;
}

HostTensor HostTensor::contiguous() const
{
    if (isContiguous())
        return *this;
    HostTensor result(m_dtype, m_shape);
    constexpr std::int64_t kRun = 4096;
    const TensorView tensor = view();
    ElementReader reader(tensor, kRun);
    const std::int64_t all = count();
    for (std::int64_t first = 0; first < all; first += kRun) {
        const std::int64_t run = std::min(kRun, all - first);
        std::memcpy(result.m_storage->data() + first * sizeOf(m_dtype), reader.read(first, run),
                    static_cast<std::size_t>(run * sizeOf(m_dtype)));
    }
    return result;
}

} // namespace assay::tensor
