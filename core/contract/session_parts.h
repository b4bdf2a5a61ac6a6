// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

#include <vector>

/// What the files of a session share.
namespace assay::contract {

/// Memory is the machine's and whoever else uses it: its lack says nothing about either side.
bool isLackOfMemory(const PartyFailure& failure);

/// @p failure of an evaluation in fp64: one that raised is our lack, where the reference answers as shipped.
PartyFailure asOracle(PartyFailure failure);

/// Over the finite values; 0 where there is none.
double rootMeanSquare(const std::vector<double>& values);

} // namespace assay::contract
