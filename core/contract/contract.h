// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/input_domain.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::contract {

/// Which table of calibrated thresholds a judgement was made with. Empty: none, every limit is the rules' own.
struct ThresholdTableName {
    std::string version; ///< SHA-256 of the table
    std::string device;  ///< that it was calibrated on, for who reads a verdict

    bool isEmpty() const { return version.empty(); }
    bool operator==(const ThresholdTableName&) const = default;
};

/// What a candidate owes its reference: the promises that a judgement holds it to. Read from contract.json or a named profile.
/// Source: gates.md section 4, "Contract and verdict".
struct Contract {
    enum class Tf32 { AsReference, Forbid, Allow };
    enum class Subnormals { AsReference, Preserve, Flush, Either };
    enum class Training { Auto, Required, Off };
    enum class SoftFailures { Fail, Report }; ///< whether a soft failure makes the verdict `fail`
    /// What products multiply: numbers as precise as what adds them up, or numbers rounded to the inputs' own 16-bit type, as
    /// tensor cores take them. Where inputs are wider, both are the same.
    enum class Operands { AsAccumulator, AsInputs };

    std::string profile = "strict";
    Tf32 tf32 = Tf32::AsReference;
    Subnormals subnormals = Subnormals::AsReference;
    Training training = Training::Auto;
    SoftFailures softFailures = SoftFailures::Fail;
    Operands operands = Operands::AsAccumulator;
    bool atomicsAllowed = false;
    bool bitwiseOrder = false; ///< ORD-03 demands the reference's bits: a comparison mode, off everywhere by default
    int repeats = 32;          ///< ORD-02
    /// Of both parties together. What no longer fits is `not exercised: budget`; a gate that has asked nothing by then has as
    /// long again for its first check.
    double cpuBudgetSeconds = 60;
    std::int64_t memoryBudget = std::int64_t{2} << 30; ///< bytes of inputs, outputs and oracle of one check
    std::set<Gate> gates{kAllGates.begin(), kAllGates.end()};
    std::vector<InputDomain> domains; ///< of inputs whose values are bounded
    std::vector<SizeDomain> sizes;    ///< of dimensions that are not free
    ThresholdTableName thresholds;    ///< one per audit: its cells for a kernel's op family go to the judge in JudgeOptions

    bool operator==(const Contract&) const = default;
};

/// The profile called @p name ("strict", "training", "inference", "kernelbench"), or nothing.
std::optional<Contract> profile(std::string_view name);

/// Canonical JSON of @p contract: equal contracts give equal text, which is what gets hashed. Without thresholds,
/// domains, sizes or rounded operands it says nothing of them, so that a contract of before they were has the text that it had.
std::string canonicalText(const Contract& contract);

} // namespace assay::contract
