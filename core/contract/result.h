// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/call_setup.h"
#include "core/contract/gate.h"
#include "core/contract/thresholds.h"
#include "core/contract/verdict.h"
#include "kernels/tensor/host_tensor.h"
#include "kernels/tensor/measured.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay::contract {

/// What is needed to make a stimulus again: everything but the code.
struct StimulusRecord {
    std::string label;  ///< "N(0,1), draw 3, dim 1 = 513"
    std::string recipe; ///< canonical JSON: regime, parameters, sizes, stream name
    std::string sha256; ///< of the leaves' bytes
    std::uint64_t runSeed = 0;
    std::shared_ptr<const CallSetup> call; ///< kept for checks that count against the candidate
};

/// Tensors kept as evidence of a failing check.
struct Evidence {
    std::vector<tensor::HostTensor> inputs;      ///< of the call that differed, where that is not the stimulus' own
    std::optional<tensor::HostTensor> reference; ///< fp64 truth of the differing output
    std::optional<tensor::HostTensor> candidate;
    std::string outputPath;
    std::vector<std::int64_t> worstIndex;
};

struct CheckResult;

/// What became of the search for a smaller stimulus on which a check fails alike.
struct Shrunk {
    std::shared_ptr<const CheckResult> check; ///< as it fails there, with its tensors; none where no smaller one was found
    std::string remark;                       ///< what was gained, or why nothing was
    int questions = 0;                        ///< stimuli that were asked about
};

/// One question put to the candidate under a gate.
struct CheckResult {
    std::string code; ///< "EXC-01.swallow"
    Verdict verdict = Verdict::Pass;
    Severity severity = Severity::None;
    std::string metric; ///< what `value` counts: "error over bound", "excess", "elements", "bits"
    tensor::Measured value;
    tensor::Measured threshold;
    std::optional<CalibratedLimit> calibrated; ///< where the threshold comes from a calibration
    std::string reason;                        ///< short code for grouping: "swallow", "bound", "memory"
    std::string sentence;                      ///< one sentence with the number that matters
    StimulusRecord stimulus;
    std::optional<Evidence> evidence;
    std::optional<Shrunk> shrunk; ///< where it was asked for
};

struct GateResult {
    Gate gate = Gate::Cmp01;
    Verdict verdict = Verdict::Absent;
    Severity severity = Severity::None;
    int exercised = 0;   ///< checks that could have failed
    int total = 0;       ///< checks that were planned
    std::string finding; ///< the worst check's sentence, or what was found clean
    std::string reason;
    std::string power; ///< what a clean result rules out: "32 repeats: a flaw in 1 launch of 11 shows with 95 %"
    std::vector<CheckResult> checks;
    double seconds = 0;
};

/// A remark that never changes a verdict.
struct Flag {
    std::string code; ///< "signed_zero", "structural", "permissive", "specialised", "order_limited", ...
    Gate gate = Gate::Cmp01;
    std::string sentence;
};

/// The judgement of one candidate.
struct Judgement {
    Verdict verdict = Verdict::Absent; ///< Pass, Fail, Inapplicable or Error
    bool hardFailed = false;
    std::array<GateResult, kGateCount> gates;
    std::vector<Flag> flags;
    std::string alignment; ///< "seed", "state_dict", "by_shape", "none needed"
    std::string reason;    ///< why it could not be judged, or the worst finding
    double seconds = 0;
};

using GateSink = std::function<void(const GateResult&)>;

} // namespace assay::contract
