// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::device {

/// A rule of the instruction set that a kernel breaks and that the assembler lets pass.
struct PtxFinding {
    std::string code;     ///< "alloc-after-relinquish"
    int line = 0;         ///< where it shows, from 1
    int relatedLine = 0;  ///< the other half (the relinquish, the first alloc), 0 where there is none
    bool certain = false; ///< false: only on some paths, which the text cannot tell to be possible
    std::string sentence;
};

} // namespace assay::device
