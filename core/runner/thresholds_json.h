// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/contract.h"
#include "core/contract/thresholds.h"
#include "core/text/json.h"
#include "core/text/object_text.h"

namespace assay::runner {

/// Calibrated thresholds as a request brings them: the table, and those of its cells that are of the kernel's op family.
struct AskedThresholds {
    contract::ThresholdTableName table; ///< empty: none were asked for
    contract::Thresholds cells;
};

/// `"thresholds":{"version","device","cells":[{"gate","dtype","value","holdout_bound"}]}`
void writeThresholds(json::ObjectText& out, const AskedThresholds& asked);

/// Reads it back from a request; nothing asked for where the member is absent or null.
/// @throws Error  where a cell is of a gate or dtype that no calibration has, or its number makes no sense
AskedThresholds readThresholds(const json::Value& request);

/// The member "thresholds" of a contract: `{"device","version"}`. @throws Error where it is none
contract::ThresholdTableName readThresholdTableName(const json::Value& value);

} // namespace assay::runner
