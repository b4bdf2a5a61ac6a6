// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/excess_probe.h"
#include "core/text/json.h"
#include "core/text/object_text.h"

#include <vector>

namespace assay::runner {

/// `"calibration":[{"gate","dtype","kind","source","scale","value","checks"}]`; a value that is not finite is a text.
void writeExcess(json::ObjectText& out, const std::vector<contract::ExcessSample>& samples);

/// Reads it back from a verdict; what another version wrote and this one does not know is left out. Empty where there is none.
std::vector<contract::ExcessSample> readExcess(const json::Value& verdict);

} // namespace assay::runner
