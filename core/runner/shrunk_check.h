// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"

#include <optional>
#include <string_view>
#include <vector>

namespace assay::runner {

/// Role of the artifact that tells what the search for a smaller stimulus came to, a JSON object; its tensors have the roles of a
/// check's evidence with this and "_" before them.
inline constexpr std::string_view kShrunkRole = "shrunk";

/// What the search for a smaller stimulus of one check came to, as a database keeps it.
struct ShrunkCheck {
    int ordinal = 0;          ///< of the check in its gate
    store::CheckRecord check; ///< as it fails on the smaller stimulus; its code is "" where none was found
    std::string remark;
    int questions = 0;
    std::vector<store::ArtifactRecord> artifacts; ///< the smaller call, in the roles of a check's evidence

    bool isFound() const { return !check.code.empty(); }
};

/// Takes it out of the artifacts of one gate; nothing where no search was made, or its record makes no sense.
std::optional<ShrunkCheck> shrunkCheckIn(const std::vector<store::ArtifactRecord>& artifacts);

} // namespace assay::runner
