// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensorfile/loaded_tensor.h"
#include "core/tensorfile/mapped_file.h"
#include "core/tensorfile/safetensors_file.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::tensorfile {

/// A file of tensors: .npy (one, without a name) or .safetensors (several, by name). Told apart by content, not by name.
class TensorFile {
public:
    /// @param untyped  element type of a .npy file that records none
    /// @throws Error  where it is neither, or damaged
    static TensorFile open(const std::filesystem::path& path, std::optional<tensor::DType> untyped = {});

    /// Names of the tensors; one empty name for a .npy file.
    std::vector<std::string> names() const;
    const std::string& path() const { return m_file->path(); }

    /// @throws Error  where there is none of this name, or its type is none that is compared
    LoadedTensor tensor(const std::string& name) const;

private:
    std::shared_ptr<const MappedFile> m_file;
    std::optional<LoadedTensor> m_npy;
    std::vector<SafetensorsEntry> m_entries;
};

/// Tensors of two files that belong together, by name in the order of the reference. Where each file has exactly one, these two
/// do, whatever they are called.
struct Pairing {
    std::vector<std::pair<std::string, std::string>> pairs; ///< name in the reference, name in the candidate
    std::vector<std::string> onlyReference;
    std::vector<std::string> onlyCandidate;
};

/// @param wanted  this name alone; in a file with one tensor without a name, that one
/// @throws Error  where nothing belongs together
Pairing pairTensors(const TensorFile& reference, const TensorFile& candidate, const std::string& wanted = {});

/// True for a file that open() may read: what a window looks at before it takes a dropped file for a tensor.
bool looksLikeTensorFile(const std::filesystem::path& path);

} // namespace assay::tensorfile
