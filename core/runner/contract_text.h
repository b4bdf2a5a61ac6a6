// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::runner {

/// What VerifyAsk::contract takes, for what a person gave: a profile's name, the JSON of a contract, or the path of a file with
/// one.
/// @throws Error where it is none of these
std::string contractText(const std::string& given);

} // namespace assay::runner
