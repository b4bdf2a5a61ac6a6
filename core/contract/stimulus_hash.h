// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::contract {

struct Stimulus;

/// SHA-256 over dtypes, shapes and logical elements of all leaves, in hexadecimal.
std::string stimulusHash(const Stimulus& stimulus);

} // namespace assay::contract
