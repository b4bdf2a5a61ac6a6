// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensorfile/loaded_tensor.h"
#include "core/tensorfile/mapped_file.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::tensorfile {

/// What the header says of one tensor; checked against the file.
struct SafetensorsEntry {
    std::string name;
    std::string dtype; ///< "F32", as written
    std::vector<std::int64_t> shape;
    std::size_t offset = 0; ///< in the file
    std::size_t bytes = 0;
};

/// True for a file whose first nine bytes can begin a .safetensors file.
bool looksLikeSafetensors(std::span<const std::byte> bytes);

/// The tensors of a .safetensors file in the order of their bytes. As the format demands, the bytes of the tensors neither
/// overlap nor leave holes. Source: https://github.com/huggingface/safetensors, "Format".
/// @throws Error  one line: damaged, cut off, a header beyond 100 MB, offsets that do not fit
std::vector<SafetensorsEntry> readSafetensorsHeader(const MappedFile& file);

/// @throws Error  where the type is none that is compared
LoadedTensor readSafetensor(std::shared_ptr<const MappedFile> file, const SafetensorsEntry& entry);

} // namespace assay::tensorfile
