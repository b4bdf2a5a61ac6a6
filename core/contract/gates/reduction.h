// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_run.h"

namespace assay::contract::gates {

/// True where some output of @p shape depends on more than one input element. Else a check called @p code says why there is no
/// reduction to judge: none of the outputs is one, or what they depend on could not be counted.
bool isReduction(GateRun& run, std::string_view code, const ShapePtr& shape);

} // namespace assay::contract::gates
