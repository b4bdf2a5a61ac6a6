// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::device {

/// What the assembler printed for one kernel with -v.
struct PtxasKernel {
    std::string name;
    std::string target; ///< "sm_100a"
    std::optional<std::int64_t> registers;
    std::optional<std::int64_t> stackFrameBytes;
    std::optional<std::int64_t> spillStoreBytes;
    std::optional<std::int64_t> spillLoadBytes;
    std::optional<std::int64_t> barriers;
    std::int64_t staticSharedBytes = 0; ///< lines leave a zero out
};

/// A compiler or a launcher that gave up because a resource ran out.
struct ResourceRefusal {
    enum class Kind { AssemblerInternalError, TensorMemory, SharedMemory, Threads, Registers, Other };
    Kind kind = Kind::Other;
    std::optional<std::int64_t> required;
    std::optional<std::int64_t> limit;
    std::string text; ///< the line that said so
};

/// Figures of every kernel in the output of `ptxas -v`, `nvcc -Xptxas -v` or NVRTC with --ptxas-options=-v; other lines are
/// passed over.
std::vector<PtxasKernel> readPtxasLog(std::string_view log);

/// Every refusal in @p text, which may be an assembler's output or an exception's message: ptxas' internal error C7907;
/// "out of resource: tensor memory, Required: 544, Hardware limit: 512" and the same for shared memory, threads, registers;
/// "uses too much shared data (0x11000 bytes, 0xc000 max)"; CUDA's "too many resources requested for launch".
std::vector<ResourceRefusal> findResourceRefusals(std::string_view text);

} // namespace assay::device
