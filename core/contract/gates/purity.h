// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

namespace assay::contract::gates {

/// Sub-checks of ORD-02 about state: live outputs that share storage (alias_outputs), an output that aliases an input
/// (alias_input), inputs or weights written to (mutation), answers that depend on history (history), on the address of an input
/// (refill), or on weights that have changed since (stale_weights). Each is asked of the reference first; what it does itself is
/// not charged.
void checkPurity(GateRun& run, const ShapePtr& shape);

} // namespace assay::contract::gates
