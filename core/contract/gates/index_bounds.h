// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

namespace assay::contract::gates {

/// Puts -1, size and size + 7 into one element of every integer input that is an index, against the reference's policy: what it
/// wraps the candidate must wrap, and what it refuses may not end the candidate's process. Accepting it is a note. An integer
/// input is an index where the reference refuses one of the two numbers above its range. Restarts a process that may be damaged.
/// Source: gates.md section 4, EXC-02 `.o`.
void checkIndexBounds(GateRun& run, const ShapePtr& shape);

} // namespace assay::contract::gates
