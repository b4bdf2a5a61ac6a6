// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

#include <functional>
#include <span>

/// The twelve gates, one file each. Every function questions the candidate through the session and returns the gate's verdict;
/// none throws but Cancelled. Rules and figures: gates.md section 4.
namespace assay::contract::gates {

GateResult inputVariation(Session& session);   ///< CMP-01
GateResult gradient(Session& session);         ///< CMP-02
GateResult shapes(Session& session);           ///< CMP-03
GateResult nonFinite(Session& session);        ///< EXC-01
GateResult subnormals(Session& session);       ///< EXC-02
GateResult reductionOrder(Session& session);   ///< ORD-01
GateResult determinism(Session& session);      ///< ORD-02
GateResult adversarialOrder(Session& session); ///< ORD-03
GateResult dtypeRegimes(Session& session);     ///< PRC-01
GateResult accumulator(Session& session);      ///< PRC-02
GateResult residency(Session& session);        ///< RES-01
GateResult resources(Session& session);        ///< RES-02

struct Entry {
    Gate gate;
    GateResult (*judge)(Session&);
};

/// In the order in which they run: cheap and telling ones first.
std::span<const Entry> registry();

} // namespace assay::contract::gates
