// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/ptx_values.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::device {

/// One instruction that has to do with tensor memory.
struct TmemOperation {
    enum class Kind { Alloc, Dealloc, Relinquish, Load, Store, Mma, Copy, Commit, WaitLoad, WaitStore, Other };
    Kind kind = Kind::Other;
    int statement = 0; ///< index of PtxFunction::body
    int line = 0;
    std::optional<std::int64_t> columns; ///< alloc, dealloc: nothing where a register holds an unknown value
    int ctaGroup = 0;                    ///< 1, 2, or 0 where the instruction names none
};

/// The tcgen05 instructions of a function in the order of its text.
std::vector<TmemOperation> findTmemOperations(const PtxFunction& function, const PtxValues& values);

} // namespace assay::device
