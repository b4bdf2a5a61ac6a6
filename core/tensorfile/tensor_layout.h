// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensorfile/loaded_tensor.h"
#include "core/tensorfile/mapped_file.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::tensorfile {

/// Bytes of a tensor of this shape; nothing where a size is negative or a product leaves 2^62. A size of zero does not excuse the
/// other sizes: strides are products of them.
std::optional<std::int64_t> bytesOf(const std::vector<std::int64_t>& shape, std::int64_t elementBytes);

/// The tensor whose bytes lie in @p file from @p offset on, all of them inside it. Where the elements are not aligned, which
/// readers rely on, they are copied.
LoadedTensor tensorIn(std::shared_ptr<const MappedFile> file, std::size_t offset, tensor::DType dtype,
                      std::vector<std::int64_t> shape);

/// "(2, 3)", "(5,)", "()"
std::string shapeText(const std::vector<std::int64_t>& shape);

} // namespace assay::tensorfile
