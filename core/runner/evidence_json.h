// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/result.h"
#include "core/text/object_text.h"

#include <cstdint>

namespace assay::runner {

/// Writes the member "evidence" of a failing check: what its call was made from and what differed, as a flat list
/// `{"role","name","dtype","shape","strides","data"}`. Roles are input, init, reference_state, candidate_state, reference (fp64
/// truth), candidate, and call, whose "data" is the object
/// `{"init":tree,"arguments":tree,"cast","seed","left_out":["input 0"],"leads":[3]}`. "data" is base64 of the row-major elements;
/// "leads" is there where an input lies so many elements into its storage, "strides" where the call had another layout.
/// @param limit  bytes of a tensor; larger ones are named in "left_out" alone
void writeEvidence(json::ObjectText& out, const contract::CheckResult& check, std::int64_t limit);

/// True where writeEvidence() would have something to write.
bool hasEvidence(const contract::CheckResult& check);

} // namespace assay::runner
