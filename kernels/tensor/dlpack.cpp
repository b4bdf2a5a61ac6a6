// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/dlpack.h"

#include <dlpack/dlpack.h>
#include <fmt/format.h>

#include <memory>
#include <stdexcept>

namespace assay::tensor {

namespace {

// Codes of versions after the header's.
constexpr int kLaterBool = 6;
constexpr int kLaterE4M3 = 10;
constexpr int kLaterE5M2 = 12;

std::optional<DType> dtypeOf(const DLDataType& type)
{
    const auto is = [&type](int code, int bits) { return type.lanes == 1 && type.code == code && type.bits == bits; };
    if (is(kDLFloat, 64))
        return DType::Float64;
    if (is(kDLFloat, 32))
        return DType::Float32;
    if (is(kDLFloat, 16))
        return DType::Float16;
    if (is(kDLBfloat, 16))
        return DType::BFloat16;
    if (is(kLaterE4M3, 8))
        return DType::Float8E4M3;
    if (is(kLaterE5M2, 8))
        return DType::Float8E5M2;
    if (is(kDLInt, 64))
        return DType::Int64;
    if (is(kDLInt, 32))
        return DType::Int32;
    if (is(kDLInt, 16))
        return DType::Int16;
    if (is(kDLInt, 8))
        return DType::Int8;
    if (is(kDLUInt, 8))
        return DType::UInt8;
    if (is(kLaterBool, 8))
        return DType::Bool;
    return std::nullopt;
}

DLDataType typeOf(DType dtype)
{
    const auto bits = static_cast<std::uint8_t>(8 * sizeOf(dtype));
    switch (dtype) {
    case DType::Float64:
    case DType::Float32:
    case DType::Float16:
        return {kDLFloat, bits, 1};
    case DType::BFloat16:
        return {kDLBfloat, bits, 1};
    case DType::Int64:
    case DType::Int32:
    case DType::Int16:
    case DType::Int8:
        return {kDLInt, bits, 1};
    case DType::Float8E4M3:
    case DType::Float8E5M2:
    case DType::UInt8:
    case DType::Bool:
        break;
    }
    return {kDLUInt, bits, 1};
}

/// A tensor and the structure that describes it, deleted together.
struct HandedOut {
    DLManagedTensor managed{};
    HostTensor tensor;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides;
};

} // namespace

TensorView viewOf(const DLManagedTensor& managed, std::optional<DType> meant)
{
    const DLTensor& tensor = managed.dl_tensor;
    if (tensor.device.device_type != kDLCPU)
        throw std::invalid_argument(fmt::format("a tensor in host memory is wanted, not one on a device of DLPack's type {}",
                                                static_cast<int>(tensor.device.device_type)));
    const std::optional<DType> dtype = dtypeOf(tensor.dtype);
    if (!dtype)
        throw std::invalid_argument(fmt::format("DLPack's dtype of code {}, {} bits and {} lanes is not compared",
                                                tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes));
    if (meant && sizeOf(*meant) != sizeOf(*dtype))
        throw std::invalid_argument(fmt::format("elements of {} cannot stand for {}", name(*dtype), name(*meant)));
    TensorView view;
    view.data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    view.dtype = meant.value_or(*dtype);
    view.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
    if (tensor.strides != nullptr)
        view.strides.assign(tensor.strides, tensor.strides + tensor.ndim);
    else
        view.strides = contiguousStrides(view.shape);
    return view;
}

DLManagedTensor* handOut(HostTensor tensor)
{
    auto out = std::make_unique<HandedOut>();
    out->shape = tensor.shape();
    out->strides = tensor.strides();
    out->tensor = std::move(tensor);
    DLTensor& described = out->managed.dl_tensor;
    // DLPack has no tensor that may only be read.
    described.data = const_cast<std::byte*>(out->tensor.view().data);
    described.device = {kDLCPU, 0};
    described.ndim = static_cast<int>(out->shape.size());
    described.dtype = typeOf(out->tensor.dtype());
    described.shape = out->shape.data();
    described.strides = out->strides.data();
    out->managed.manager_ctx = out.get();
    out->managed.deleter = [](DLManagedTensor* self) { delete static_cast<HandedOut*>(self->manager_ctx); };
    return &out.release()->managed;
}

} // namespace assay::tensor
