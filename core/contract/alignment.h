// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

#include <string>
#include <vector>

namespace assay::contract {

/// Which entry of the reference's state feeds an entry of the candidate's.
struct StatePair {
    std::string reference;
    std::string candidate;
    bool transposed = false; ///< two dimensions, the candidate holds the transpose
};

/// How the candidate's parameters and buffers correspond to the reference's. Source: gates.md section 4, prototype lesson 14:
/// equal name and shape, then equal values, then equal shape, then the transpose of equal values.
struct Alignment {
    enum class Kind { NoneNeeded, Seed, StateDict, ByShape };
    Kind kind = Kind::NoneNeeded;
    std::vector<StatePair> pairs;
    std::vector<std::string> unmatchedReference; ///< floating entries without a counterpart
    std::vector<std::string> unmatchedCandidate;

    /// True where every floating parameter and buffer of the reference can be changed on both sides.
    bool isComplete() const { return unmatchedReference.empty(); }
};

/// "none needed", "seed", "state_dict", "by_shape".
std::string_view name(Alignment::Kind kind);

/// Aligns two freshly constructed modules. @p candidate may hold more or fewer entries than @p reference.
Alignment align(const ModuleState& reference, const ModuleState& candidate);

/// The candidate's state that corresponds to the reference's @p values.
ModuleState stateForCandidate(const Alignment& alignment, const ModuleState& values);

} // namespace assay::contract
