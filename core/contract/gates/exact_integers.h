// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

namespace assay::contract::gates {

/// PRC-02.x: integers such that every partial sum is exact in fp32 in any order (sum of |terms| below 2^24), on inputs in which
/// R64 is multilinear (f(a+b) - f(a) - f(b) + f(0) = 0). Runs only where R64 is integer-valued and the shipped reference and a
/// reordered evaluation equal it bit for bit. A mismatch is hard where another check of PRC-02 failed as well or where a 16-bit
/// or TF32 accumulation explains the candidate's numbers; else it is the note `inexact algorithm`. Source: gates.md section 4,
/// PRC-02.
void checkExactIntegers(GateRun& run, const ShapePtr& shape);

} // namespace assay::contract::gates
