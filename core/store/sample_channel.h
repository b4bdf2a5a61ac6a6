// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_strip.h"

#include <string_view>

namespace assay::store {

/// What decides a kernel's channel, as its triage row and its verdict have it.
struct ChannelFacts {
    contract::GateStrip strip;
    std::string_view outcome; ///< triage.outcome
    bool aliasing = false;    ///< an output shares storage with another tensor
};

/// The one channel that a kernel's failure is counted under: the first that applies of EXC-01, ORD-02, CMP-03, "aliasing",
/// "crash" (while the gates ran), "pre_gate" (before any ran), CMP-01, PRC-02, EXC-02, ORD-01, ORD-03, PRC-01, RES-01, CMP-02,
/// RES-02; "none" where nothing fails.
/// Source: gates.md section 8, the order of the published sample; the last two gates did not run there.
std::string_view primaryChannel(const ChannelFacts& facts);

} // namespace assay::store
