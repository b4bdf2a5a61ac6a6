// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay {

/// "1 h 04 min", "12 min", "40 s": as much as a person who waits wants to know.
std::string durationText(double seconds);

} // namespace assay
