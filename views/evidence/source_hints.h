// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Patterns in kernel sources that a reader may want to look at. Hints, never verdicts: each says why, none is evidence.
namespace assay::views {

struct SourceHint {
    int line = 0;       ///< 0-based
    std::string rule;   ///< "load-other-zero", "atomic", ...
    std::string reason; ///< one sentence, with the gate that would judge it
    bool operator==(const SourceHint&) const = default;
};

/// Hints for a candidate's source in Python (Triton, inline CUDA in strings) or C++, in order of line; one per line and rule.
/// Comments and doc strings are passed over.
std::vector<SourceHint> sourceHints(std::string_view source);

} // namespace assay::views
