// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/verdict.h"

#include <string_view>

namespace assay::contract {

/// What values of one answer are worth under one stimulus.
struct ValueVerdictOptions {
    std::string_view code = "value";
    Severity mintSeverity = Severity::Hard;
    bool chargeNoise = false;  ///< rho above 30 inside the bound fails softly here (PRC-02) instead of being left to PRC-02
    bool chargeShape = true;   ///< wrong count or shape fails hard
    bool chargeDtype = true;   ///< wrong dtype fails hard
    bool chargeClasses = true; ///< swallow, sign and mint
    bool probabilistic = false;
};

} // namespace assay::contract
