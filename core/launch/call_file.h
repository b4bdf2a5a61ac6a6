// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensorfile/loaded_tensor.h"
#include "kernels/gdn/family_problem.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace assay::launch {

/// A call of the operator whose tensors lie in a file.
struct CallFile {
    std::string path;
    gdn::FamilyCall call;
    std::vector<tensorfile::LoadedTensor> tensors; ///< keep the views of `call` alive

    /// Element type of an input, or of S0.
    std::optional<tensor::DType> dtypeOf(const std::string& name) const;
};

/// Reads the family's inputs by name, and do, S0, dST and cu_seqlens where they are there.
/// @param scale  absent: K^{-1/2}
/// @throws Error  where it is no .safetensors file, or holds a tensor that the family does not take
CallFile readCall(const std::filesystem::path& path, gdn::Family family, std::optional<double> scale);

} // namespace assay::launch
