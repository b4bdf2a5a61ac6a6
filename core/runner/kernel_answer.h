// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/kernel_evidence.h"
#include "core/runner/answer.h"

#include <string_view>

namespace assay::runner {

/// The answer to `resources`: at most 256 kernels of 4 MiB of PTX each, code from the arena.
/// @throws Nonsense  where it is not what resources/worker/PROTOCOL.md says
contract::KernelEvidence readKernelEvidence(Answer& answer);

/// True where Python @p source has kernels of its own to launch: Triton's, or CUDA's through an extension. A comment that speaks
/// of them counts too.
bool definesKernels(std::string_view source);

} // namespace assay::runner
