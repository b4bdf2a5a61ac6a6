// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/contract.h"
#include "core/contract/excess_probe.h"
#include "core/contract/result.h"
#include "core/runner/baseline_claim.h"
#include "core/runner/party_time.h"
#include "core/text/object_text.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace assay::runner {

/// Writes the members that a check brings beside its own ("evidence", "shrunk"), of the check @p ordinal of its gate.
using CheckExtras = std::function<void(json::ObjectText& out, const contract::GateResult& gate, std::size_t ordinal)>;

/// What a judgement was made with, beside the contract.
struct VerdictContext {
    contract::Contract contract;
    std::string device;                    ///< "cpu", "cuda:0"
    std::string deviceFacts;               ///< JSON object with the device's name and capability; "" where no process came up
    std::string versions;                  ///< JSON object of the party's Python, torch, triton, cuda; "" likewise
    std::vector<std::string> isolation;    ///< what could not be enforced
    std::optional<BaselineClaim> baseline; ///< where one was asked for
    std::optional<std::vector<contract::ExcessSample>> excess; ///< where a calibration was asked for
    PartyTime referenceTime;
    PartyTime candidateTime;
    std::uint64_t seed = 0;
    std::int64_t evidenceBytes = 0; ///< tensors of failing checks up to this size go with the verdict; 0: none do
    CheckExtras extras;             ///< where the judgement comes from a database: instead of what the checks themselves hold
};

/// Members of one gate's object: `{"id","verdict","severity","exercised","total","finding","checks":[...],...}`.
/// @param evidenceBytes  where not 0, the worst failing check brings its tensors up to that size: see evidence_json.h
/// A check for which a smaller stimulus was wanted has `"shrunk":{"remark","questions","found",...}`: where one was found, with
/// the members of the check as it fails on that one, tensors included.
/// The time is null where it is not known.
void writeGate(json::ObjectText& out, const contract::GateResult& gate, std::int64_t evidenceBytes = 0,
               const CheckExtras& extras = {});

/// Members of a verdict (architecture.md section 4, "verify"). Gates that were not asked for are left out. Non-finite numbers
/// are texts.
void writeVerdict(json::ObjectText& out, const contract::Judgement& judgement, const VerdictContext& context);

} // namespace assay::runner
