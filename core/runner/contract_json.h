// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/contract.h"
#include "core/text/json.h"

namespace assay::runner {

/// The contract that a request or a contract.json spells: a profile's name, or an object whose member "profile" names the profile
/// (default "strict") that its other members change. Members are those of contract::canonicalText; of preconditions, inputs and
/// dimensions counted from 0:
/// * "domains": [{"input":i, "low":x, "high":y, "row_norm":z}], each bound left out where there is none
/// * "sizes": [{"input":i, "dimension":d, "allowed":[64,128]}]
/// * "operands": "as-accumulator", or "as-inputs" where products may round their operands to the inputs' 16-bit type
/// @throws Error  naming the member that is unknown or has a foreign value
contract::Contract readContract(const json::Value& value);

} // namespace assay::runner
