// SPDX-License-Identifier: Apache-2.0
#include "core/tensorfile/tensor_layout.h"

#include <cstring>

namespace assay::tensorfile {

namespace {
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
} // namespace

std::optional<std::int64_t> bytesOf(const std::vector<std::int64_t>& shape, std::int64_t elementBytes)
{
    std::int64_t product = elementBytes;
    bool isEmpty = false;
    for (const std::int64_t size : shape) {
        if (size < 0)
            return std::nullopt;
        isEmpty |= size == 0;
        if (size > 0 && (__builtin_mul_overflow(product, size, &product) || product > kMostBytes))
            return std::nullopt;
    }
    return isEmpty ? 0 : product;
}

LoadedTensor tensorIn(std::shared_ptr<const MappedFile> file, std::size_t offset, tensor::DType dtype,
                      std::vector<std::int64_t> shape)
{
    LoadedTensor loaded;
    const std::byte* data = file->bytes().data() + offset;
    const auto elementBytes = static_cast<std::size_t>(tensor::sizeOf(dtype));
    if (reinterpret_cast<std::uintptr_t>(data) % elementBytes == 0) {
        loaded.owner = std::move(file);
    } else {
        // operator new aligns for every element type.
        const auto bytes = static_cast<std::size_t>(bytesOf(shape, tensor::sizeOf(dtype)).value());
        const auto copy = std::make_shared<std::vector<std::byte>>(data, data + bytes);
        data = copy->data();
        loaded.owner = copy;
    }
    loaded.view = tensor::TensorView::contiguous(data, dtype, std::move(shape));
    return loaded;
}

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

} // namespace assay::tensorfile
