// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/excess_probe.h"
#include "core/contract/session.h"

namespace assay::contract {

/// Asks the reference with all inputs and parameters of an fp32 task rounded to what tensor cores take (TF32, fp16, bf16), and
/// holds its answers against the truth of the exact ones: what a kernel gives that computes in a narrower type than it claims.
/// Adds perturbed samples of the scale of one rounding to @p probe, under CMP-01, ORD-01 and PRC-02.
void measureRoundedOperands(Session& session, ExcessProbe& probe);

} // namespace assay::contract
