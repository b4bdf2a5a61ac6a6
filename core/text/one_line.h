// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay {

/// @p text on one line and without control characters: foreign messages end on terminals, which such characters would drive.
std::string oneLine(std::string text);

} // namespace assay
