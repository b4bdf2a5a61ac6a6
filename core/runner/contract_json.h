// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/contract.h"
#include "core/text/json.h"

namespace assay::runner {

/// The contract that a request or a contract.json spells: a profile's name, or an object whose member "profile" names the profile
/// (default "strict") that its other members change. Members are those of contract::canonicalText.
/// @throws Error  naming the member that is unknown or has a foreign value
contract::Contract readContract(const json::Value& value);

} // namespace assay::runner
