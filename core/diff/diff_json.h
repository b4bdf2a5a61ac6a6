// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/diff_report.h"

#include <string>
#include <vector>

namespace assay::diff {

/// Tensors of two files, compared.
struct FileDiff {
    std::string referencePath;
    std::string candidatePath;
    std::vector<TensorDiff> tensors; ///< at least one
    std::vector<std::string> onlyReference;
    std::vector<std::string> onlyCandidate;
    bool isPairAlone = true; ///< one pair was compared, so its figures stand at the top of the object
    int threads = 0;         ///< that measured

    bool isBitEqual() const;
    bool isAccepted() const;
};

/// One object: the keys of one pair at the top, or "tensors" with an object each.
std::string toJson(const FileDiff& diff);

} // namespace assay::diff
