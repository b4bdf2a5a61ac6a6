// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

namespace assay::contract::gates {

/// Changes one input element at a time, by steps that move R64 by at least 64 bounds, and wants the candidate to move alike:
/// partial sums over part of the data hide in a mean, not here. Source: gates.md section 4, CMP-01 and prototype lesson 6.
void checkSingleElements(GateRun& run, const ShapePtr& shape);

} // namespace assay::contract::gates
