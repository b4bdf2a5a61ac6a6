// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/element_reader.h"

#include "kernels/tensor/float_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace assay::tensor {

namespace {

template <typename T> const T* as(const std::byte* bytes)
{
    return reinterpret_cast<const T*>(bytes);
}

template <typename T> void widen(const std::byte* elements, std::int64_t count, double* out)
{
    const T* in = as<T>(elements);
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = static_cast<double>(in[i]);
}

template <SmallFloat F> void decodeRun(const std::byte* elements, std::int64_t count, double* out)
{
    if constexpr (F.exponentBits + F.mantissaBits < 8) {
        static const auto kTable = [] {
            std::array<double, 256> table{};
            for (std::uint32_t bits = 0; bits < 256; ++bits)
                table[bits] = decode<F>(bits);
            return table;
        }();
        const auto* in = as<std::uint8_t>(elements);
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = kTable[in[i]];
    } else {
        const auto* in = as<std::uint16_t>(elements);
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = decode<F>(in[i]);
    }
}

template <typename Signed, typename Unsigned> void orderRun(const std::byte* elements, std::int64_t count, std::int64_t* out)
{
    const auto* in = as<Unsigned>(elements);
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = orderedFromBits<Signed, Unsigned>(in[i]);
}

template <typename T> void widenIntegers(const std::byte* elements, std::int64_t count, std::int64_t* out)
{
    const T* in = as<T>(elements);
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = in[i];
}

template <SmallFloat F, typename Signed, typename Unsigned>
void encodeRun(const double* values, std::int64_t count, std::int64_t* out)
{
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = orderedFromBits<Signed, Unsigned>(static_cast<Unsigned>(encode<F>(values[i])));
}

/// Rounds to the nearest integer, ties to even, and stays inside the type.
void encodeIntegers(const double* values, std::int64_t count, std::int64_t* out, double low, double high)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const double rounded = std::nearbyint(values[i]);
        // 2^63 itself is no int64: comparing with >= keeps the conversion defined.
        if (rounded >= high)
            out[i] = high >= 0x1p63 ? INT64_MAX : static_cast<std::int64_t>(high);
        else
            out[i] = rounded <= low ? static_cast<std::int64_t>(low) : static_cast<std::int64_t>(rounded);
    }
}

} // namespace

ElementReader::ElementReader(const TensorView& view, std::int64_t longestRun)
    : m_view(view)
    , m_contiguous(view.isContiguous())
{
    if (!m_contiguous)
        m_buffer.resize(static_cast<std::size_t>(longestRun * sizeOf(view.dtype)));
}

const std::byte* ElementReader::read(std::int64_t first, std::int64_t count)
{
    const std::int64_t bytes = sizeOf(m_view.dtype);
    if (m_contiguous)
        return m_view.data + first * bytes;
    std::vector<std::int64_t> index = unravel(first, m_view.shape);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d)
        offset += index[d] * m_view.strides[d];
    std::byte* out = m_buffer.data();
    const std::size_t last = index.size() - 1;
    while (count > 0) {
        const std::int64_t run = std::min(count, m_view.shape[last] - index[last]);
        const std::int64_t stride = m_view.strides[last];
        for (std::int64_t i = 0; i < run; ++i, out += bytes)
            std::memcpy(out, m_view.data + (offset + i * stride) * bytes, static_cast<std::size_t>(bytes));
        count -= run;
        // Carry into the outer dimensions, like an odometer.
        index[last] += run;
        offset += run * stride;
        for (std::size_t d = last; d > 0 && index[d] == m_view.shape[d]; --d) {
            offset += m_view.strides[d - 1] - index[d] * m_view.strides[d];
            index[d] = 0;
            ++index[d - 1];
        }
    }
    return m_buffer.data();
}

void toDoubles(DType dtype, const std::byte* elements, std::int64_t count, double* out)
{
    switch (dtype) {
    case DType::Float64:
        return widen<double>(elements, count, out);
    case DType::Float32:
        return widen<float>(elements, count, out);
    case DType::Float16:
        return decodeRun<kHalf>(elements, count, out);
    case DType::BFloat16:
        return decodeRun<kBFloat>(elements, count, out);
    case DType::Float8E4M3:
        return decodeRun<kE4M3>(elements, count, out);
    case DType::Float8E5M2:
        return decodeRun<kE5M2>(elements, count, out);
    case DType::Int64:
        return widen<std::int64_t>(elements, count, out);
    case DType::Int32:
        return widen<std::int32_t>(elements, count, out);
    case DType::Int16:
        return widen<std::int16_t>(elements, count, out);
    case DType::Int8:
        return widen<std::int8_t>(elements, count, out);
    case DType::UInt8:
    case DType::Bool:
        return widen<std::uint8_t>(elements, count, out);
    }
}

void toOrdered(DType dtype, const std::byte* elements, std::int64_t count, std::int64_t* out)
{
    switch (dtype) {
    case DType::Float64:
        return orderRun<std::int64_t, std::uint64_t>(elements, count, out);
    case DType::Float32:
        return orderRun<std::int32_t, std::uint32_t>(elements, count, out);
    case DType::Float16:
    case DType::BFloat16:
        return orderRun<std::int16_t, std::uint16_t>(elements, count, out);
    case DType::Float8E4M3:
    case DType::Float8E5M2:
        return orderRun<std::int8_t, std::uint8_t>(elements, count, out);
    case DType::Int64:
        return widenIntegers<std::int64_t>(elements, count, out);
    case DType::Int32:
        return widenIntegers<std::int32_t>(elements, count, out);
    case DType::Int16:
        return widenIntegers<std::int16_t>(elements, count, out);
    case DType::Int8:
        return widenIntegers<std::int8_t>(elements, count, out);
    case DType::UInt8:
    case DType::Bool:
        return widenIntegers<std::uint8_t>(elements, count, out);
    }
}

void roundToOrdered(DType dtype, const double* values, std::int64_t count, std::int64_t* out)
{
    switch (dtype) {
    case DType::Float64:
        return toOrdered(dtype, reinterpret_cast<const std::byte*>(values), count, out);
    case DType::Float32:
        for (std::int64_t i = 0; i < count; ++i)
            out[i] = orderedFromBits<std::int32_t, std::uint32_t>(std::bit_cast<std::uint32_t>(static_cast<float>(values[i])));
        return;
    case DType::Float16:
        return encodeRun<kHalf, std::int16_t, std::uint16_t>(values, count, out);
    case DType::BFloat16:
        return encodeRun<kBFloat, std::int16_t, std::uint16_t>(values, count, out);
    case DType::Float8E4M3:
        return encodeRun<kE4M3, std::int8_t, std::uint8_t>(values, count, out);
    case DType::Float8E5M2:
        return encodeRun<kE5M2, std::int8_t, std::uint8_t>(values, count, out);
    case DType::Int64:
        return encodeIntegers(values, count, out, -0x1p63, 0x1p63);
    case DType::Int32:
        return encodeIntegers(values, count, out, -0x1p31, 0x1p31 - 1);
    case DType::Int16:
        return encodeIntegers(values, count, out, -0x1p15, 0x1p15 - 1);
    case DType::Int8:
        return encodeIntegers(values, count, out, -128, 127);
    case DType::UInt8:
        return encodeIntegers(values, count, out, 0, 255);
    case DType::Bool:
        return encodeIntegers(values, count, out, 0, 1);
    }
}

} // namespace assay::tensor
