// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace assay::device {

/// Metadata that is no JSON object, or whose members are of the wrong kind. One line.
class MetadataError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What Triton knows of a kernel that it compiled. Absent: Triton did not say.
struct TritonMetadata {
    std::string name;
    std::string backend;                     ///< "cuda", "hip"
    std::optional<std::int64_t> arch;        ///< 80, 90, 100: of the target
    std::optional<std::int64_t> sharedBytes; ///< dynamic, per block
    std::optional<std::int64_t> tmemColumns; ///< 0 where the target has no tensor memory
    std::optional<std::int64_t> warps;
    std::int64_t threadsPerWarp = 32;
    std::optional<std::int64_t> blocksPerCluster;
    std::optional<std::int64_t> registers;  ///< per thread, as the driver counts after loading
    std::optional<std::int64_t> localBytes; ///< per thread; Triton's n_spills counts words, local arrays included
    std::optional<std::int64_t> maxThreads; ///< as the driver allows after loading
};

/// Reads the members shared, tmem_size, num_warps, num_ctas, target {backend, arch, warp_size}, n_regs, n_spills, n_max_threads,
/// name of @p json; others are passed over, and null stands for absent.
/// @throws MetadataError
TritonMetadata readTritonMetadata(std::string_view json);

} // namespace assay::device
