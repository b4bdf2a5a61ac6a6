// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/text/json.h"

#include <string>
#include <vector>

namespace assay::runner {

/// A nested Python value as it crosses (resources/worker/PROTOCOL.md, "Trees"), checked.
struct Tree {
    struct Leaf {
        std::string path;    ///< "" for a single value, "0", "1.x", a dictionary's key
        bool isNone = false; ///< None stands here; a tensor otherwise
    };

    std::string canonical;    ///< JSON that is equal where the structures are equal
    std::vector<Leaf> leaves; ///< in order of the walk
    int tensors = 0;          ///< how many of the leaves are tensors
};

/// What reading does with None: an output that is None is a leaf of its own, an argument that is None is a plain value.
enum class NoneIs { Value, Leaf };

/// @throws Nonsense  where @p value is no tree or its tensors are not numbered 0, 1, 2 ... in order of the walk
Tree readTree(const json::Value& value, NoneIs none);

} // namespace assay::runner
