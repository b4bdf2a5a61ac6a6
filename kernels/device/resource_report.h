// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cubin.h"
#include "kernels/device/ptx_lint.h"
#include "kernels/device/ptxas_log.h"
#include "kernels/device/triton_metadata.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::device {

/// What is known about one compiled configuration of one kernel on one target. Every part may be absent.
struct ResourceEvidence {
    std::string kernel; ///< mangled where it has such a name
    int sm = 0;         ///< the target that is asked about: 90, 100, ...
    std::optional<TritonMetadata> triton;
    int cubinSm = 0;
    std::optional<CubinKernel> cubin;
    std::string ptxTarget; ///< "sm_100a"
    std::optional<PtxKernel> ptx;
    std::vector<std::string> texts; ///< output of the assembler, messages of exceptions
};

enum class ResourceSeverity { Hard, Soft, Note };

struct ResourceFinding {
    std::string code; ///< "shared-memory", "tensor-memory", "alloc-after-relinquish", ...
    ResourceSeverity severity = ResourceSeverity::Note;
    std::optional<std::int64_t> value;
    std::optional<std::int64_t> limit;
    std::string sentence;
    std::string source; ///< "cubin", "Triton", "PTX", "assembler", "message"
};

/// What the kernel takes, from whichever evidence knows it best. Absent: nothing knows.
struct ResourceUse {
    std::optional<std::int64_t> registers;   ///< per thread
    std::optional<std::int64_t> localBytes;  ///< per thread
    std::optional<std::int64_t> spillBytes;  ///< stores and loads of the assembler's log, or of the cubin's annotations
    std::optional<std::int64_t> sharedBytes; ///< per block: static, and dynamic where Triton tells
    bool dynamicSharedUnknown = false;       ///< the launch decides about more
    std::optional<std::int64_t> threads;     ///< per block, where the code fixes them
    std::optional<std::int64_t> clusterBlocks;
    std::optional<std::int64_t> tmemColumns;
};

struct ResourceReport {
    std::string kernel;
    int sm = 0;
    bool hasEvidence = false;         ///< false: the answer is "unknown", never that all is well
    std::vector<std::string> unknown; ///< what no evidence tells, one sentence each; "no evidence" where there is none at all
    ResourceUse use;
    std::vector<ResourceFinding> findings;

    bool hasHardFinding() const;
};

/// Holds the evidence against the limits of its target.
///
/// Hard: a limit is passed, the toolchain refused the kernel (ptxas' C7907, "out of resource: ..."), the kernel is a lone trap,
/// or a rule of tensor memory is broken on every path. Soft: registers that leave room for no block of the largest size that the
/// kernel admits. Note: spills, a cluster beyond the portable size, evidence that disagrees or is of another target, and rules of
/// tensor memory that are broken on some paths which the text cannot tell to be possible.
ResourceReport reportResources(const ResourceEvidence& evidence);

/// "hard", "soft", "note".
std::string_view name(ResourceSeverity severity);

} // namespace assay::device
