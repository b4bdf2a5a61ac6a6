// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

#include <string_view>

namespace assay::contract::gates {

/// Judges the classes of an answer to a stimulus of finite numbers, one check: a minted NaN or Inf and a swallowed one are hard.
///
/// A non-finite reference is truth only where it stays so with the inputs scaled by 2^-6 and to magnitudes of one at most: 0/0
/// of a zero row does, the overflow of a naive softmax does not. A mint is not charged near the dtype's maximum, in a batch entry
/// where the reference itself is non-finite, nor where another right evaluation overflows.
/// Source: gates.md section 4, EXC-01 and prototype lesson 5.
void judgeClean(GateRun& run, const ShapePtr& shape, std::string_view code, const StimulusPtr& stimulus,
                const StimulusRecord& record, const CallRecord& exact, const CallRecord& shipped, const CallRecord& answer);

} // namespace assay::contract::gates
