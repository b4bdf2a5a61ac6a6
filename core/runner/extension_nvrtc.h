// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace assay::runner {

/// What NVIDIA's run-time compiler made of a candidate's CUDA source.
struct CudaAnswer {
    std::string_view outcome; ///< "compiled", "rejected", "failed", "absent"
    std::vector<std::byte> cubin;
    std::string log;
};

/// Compiles the source that {"source", "target", "options", "folders"} describes, with the compiler found in the folders or where
/// the system has it. It reads foreign text in this process: called in a party alone.
/// @throws Nonsense  where @p wanted is malformed
CudaAnswer compileCuda(const json::Value& wanted);

} // namespace assay::runner
