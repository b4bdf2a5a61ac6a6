// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/safetensors_writer.h"

#include "core/text/object_text.h"
#include "kernels/tensor/element_reader.h"

#include <algorithm>
#include <tuple>

namespace assay::tensorfile {

namespace {

constexpr std::size_t kAlignment = 8;                  // of the first byte of data, as the format asks for
constexpr std::int64_t kPiece = std::int64_t{1} << 16; // elements that are written at a time

std::string_view formatName(tensor::DType dtype)
{
    switch (dtype) {
    case tensor::DType::Float64:
        return "F64";
    case tensor::DType::Float32:
        return "F32";
    case tensor::DType::Float16:
        return "F16";
    case tensor::DType::BFloat16:
        return "BF16";
    case tensor::DType::Float8E4M3:
        return "F8_E4M3";
    case tensor::DType::Float8E5M2:
        return "F8_E5M2";
    case tensor::DType::Int64:
        return "I64";
    case tensor::DType::Int32:
        return "I32";
    case tensor::DType::Int16:
        return "I16";
    case tensor::DType::Int8:
        return "I8";
    case tensor::DType::UInt8:
        return "U8";
    case tensor::DType::Bool:
        break;
    }
    return "BOOL";
}

std::string headerOf(const std::vector<TensorToWrite>& tensors)
{
    json::ObjectText header;
    std::int64_t offset = 0;
    for (const auto& [name, view] : tensors) {
        const std::int64_t end = offset + view.count() * tensor::sizeOf(view.dtype);
        header.object(name, [&] {
            header.text("dtype", formatName(view.dtype));
            json::Writer& shape = header.key("shape");
            shape.StartArray();
            for (const std::int64_t size : view.shape)
                shape.Int64(size);
            shape.EndArray();
            json::Writer& offsets = header.key("data_offsets");
            offsets.StartArray();
            offsets.Int64(offset);
            offsets.Int64(end);
            offsets.EndArray();
        });
        offset = end;
    }
    std::string text = header.finish();
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    return text;
}

} // namespace

void writeSafetensors(std::vector<TensorToWrite> tensors, const std::function<void(std::string_view)>& write)
{
    std::ranges::sort(tensors, {}, [](const TensorToWrite& tensor) {
        return std::tuple(-tensor::sizeOf(tensor.view.dtype), std::string_view(tensor.name));
    });
    const std::string header = headerOf(tensors);
    std::string length;
    for (std::size_t i = 0; i < sizeof(std::uint64_t); ++i)
        length += static_cast<char>(header.size() >> (8 * i) & 0xFF);
    write(length);
    write(header);
    for (const TensorToWrite& tensor : tensors) {
        tensor::ElementReader reader(tensor.view, kPiece);
        const std::int64_t count = tensor.view.count();
        for (std::int64_t first = 0; first < count; first += kPiece) {
            const std::int64_t piece = std::min(kPiece, count - first);
            write({reinterpret_cast<const char*>(reader.read(first, piece)),
                   static_cast<std::size_t>(piece * tensor::sizeOf(tensor.view.dtype))});
        }
    }
}

} // namespace assay::tensorfile
