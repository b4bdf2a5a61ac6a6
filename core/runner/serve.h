// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/judge.h"
#include "core/runner/fork_server.h"

#include <functional>

namespace assay::runner {

using JudgeFunction
    = std::function<contract::Judgement(contract::ReferenceParty&, contract::CandidateParty&, const contract::Contract&,
                                        const contract::JudgeOptions&, const contract::GateSink&)>;

struct ServeOptions {
    ForkServerOptions parties; ///< interpreter and paths; device, sandbox and limits are set for each request
    JudgeFunction judge = contract::judge;
    bool finish = false; ///< at the end of the input finish what was asked instead of dropping it
};

/// Answers requests, one JSON object a line, from @p input to @p output until the input ends or "shutdown" comes:
/// * `{"id","op":"hello"}` -> `{"id","event":"hello","version"}`
/// * `{"id","op":"verify","reference":{"source","name"},"candidate":{...},"device","contract":object|profile,"gates":[...],
///   "seed","request_seconds","unsafe_no_sandbox","baseline","shrink","evidence_bytes","calibrate","thresholds"}` -> any number
///   of `{"id","event":"gate_started","gate_id"}` and `{"id","event":"gate","gate":{...}}`, then one
///   `{"id","event":"verdict",...}`; what could not be judged ends in a verdict "error" too, with "reason" and "remedy".
///   "thresholds": see thresholds_json.h
/// * `{"id","op":"cancel","target":id}` -> `{"id","event":"cancelled"}`; the target ends in a verdict "error"
/// * `{"id","op":"doctor"}` -> `{"id","event":"doctor","findings":[{"name","present","detail","remedy"}],
///   "versions","device_facts"}`, the latter two null where no process came up
/// * `{"id","op":"warm","device","unsafe_no_sandbox"}` -> `{"id","event":"warm"}` once the process that parties are forked from
/// is
///   up, or cannot be: the first candidate then does not wait for it
/// * `{"id","op":"shutdown"}`
/// A line that is no request is answered by `{"id","event":"error","problem"}`. While work goes on, `{"event":"alive"}` comes
/// every few seconds. Verify, doctor and warm are done one after the other, in order.
/// @return 0
int serve(const ServeOptions& options, int input, int output);

} // namespace assay::runner
