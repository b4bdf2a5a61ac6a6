// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/language.h"

#include <initializer_list>

namespace assay::ingest {

namespace {

bool holdsAny(std::string_view text, std::initializer_list<std::string_view> marks)
{
    for (const std::string_view mark : marks) {
        if (text.find(mark) != std::string_view::npos)
            return true;
    }
    return false;
}

} // namespace

std::string languageOf(std::string_view candidateSource)
{
    // A Triton file may mention CUDA devices and a CUDA file is mostly Python around a string, so the rarer marks go first.
    if (holdsAny(candidateSource, {"@triton.", "triton.language", "import triton", "from triton"}))
        return "triton";
    if (holdsAny(candidateSource, {"__global__", "load_inline", "cpp_extension", "cuda_runtime.h", "<cuda"}))
        return "cuda";
    if (holdsAny(candidateSource, {"import torch", "from torch", "torch."}))
        return "torch";
    if (holdsAny(candidateSource, {"import ", "def ", "class "}))
        return "python";
    return "unknown";
}

} // namespace assay::ingest
