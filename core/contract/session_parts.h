// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

/// What the files of a session share.
namespace assay::contract {

/// Memory is the machine's and whoever else uses it: its lack says nothing about either side.
bool isLackOfMemory(const PartyFailure& failure);

/// @p failure of an evaluation in fp64: one that raised is our lack, where the reference answers as shipped.
PartyFailure asOracle(PartyFailure failure);

} // namespace assay::contract
