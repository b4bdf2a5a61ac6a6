// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensorfile/loaded_tensor.h"
#include "core/tensorfile/mapped_file.h"

#include <optional>
#include <span>

namespace assay::tensorfile {

/// True for a file that begins as .npy files do.
bool looksLikeNpy(std::span<const std::byte> bytes);

/// Reads a .npy file, versions 1 to 3, Fortran order through strides.
///
/// numpy writes the types of ml_dtypes as bytes without a type: two bytes can only be bfloat16, one byte may be any of the 8-bit
/// types and needs @p untyped.
/// @param untyped  element type where the file records none
/// @throws Error  one line: damaged, cut off, big-endian, records, Python objects, types that are not compared
LoadedTensor readNpy(std::shared_ptr<const MappedFile> file, std::optional<tensor::DType> untyped = {});

} // namespace assay::tensorfile
