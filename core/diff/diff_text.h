// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/diff_json.h"

#include <string>

namespace assay::diff {

/// The comparison as a person reads it on a terminal.
std::string toText(const FileDiff& diff);

} // namespace assay::diff
