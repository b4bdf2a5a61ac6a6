// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay::launch {

/// resources/gdn/reference.py and candidate.py, verbatim.
extern const char* const kNativeReference;
extern const char* const kNativeCandidate;

} // namespace assay::launch
