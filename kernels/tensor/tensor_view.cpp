// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/tensor_view.h"

#include <utility>

namespace assay::tensor {

TensorView TensorView::contiguous(const void* data, DType dtype, std::vector<std::int64_t> shape)
{
    TensorView view;
    view.data = static_cast<const std::byte*>(data);
    view.dtype = dtype;
    view.strides.resize(shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        view.strides[i] = stride;
        stride *= shape[i];
    }
    view.shape = std::move(shape);
    return view;
}

std::int64_t TensorView::count() const
{
    std::int64_t product = 1;
    for (const std::int64_t size : shape)
        product *= size;
    return product;
}

bool TensorView::isContiguous() const
{
    if (count() == 0)
        return true;
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        // The stride of a dimension with one element is never used.
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

std::vector<std::int64_t> unravel(std::int64_t position, const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> index(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        index[i] = position % shape[i];
        position /= shape[i];
    }
    return index;
}

} // namespace assay::tensor
