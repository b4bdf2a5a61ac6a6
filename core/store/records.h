// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/verdict.h"
#include "kernels/tensor/measured.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Plain facts that cross between importers, the store and reports. Strings are UTF-8; texts named "verbatim" keep every byte.
namespace assay::store {

struct CheckRecord {
    std::string code; ///< sub-check code ("EXC-01.swallow"), or the published stimulus name ("random[0]")
    contract::Verdict verdict = contract::Verdict::Absent;
    contract::Severity severity = contract::Severity::None;
    std::string stimulus;
    std::string metric; ///< "max_abs_error", "nan_mask", "exception", ...
    tensor::Measured value;
    tensor::Measured threshold;
    std::optional<double> holdOutBound; ///< where the threshold is calibrated: share of right kernels that it fails at most
    tensor::Measured relative;          ///< value over the output's scale, dimensionless
    std::string reasonCode;
    std::string finding;
    std::string recipe;                   ///< JSON that the stimulus is made again from, with the audit's seed; "" where imported
    std::string stimulusSha256;           ///< of the stimulus' bytes
    std::optional<std::string> output;    ///< path of the output that differs, "" for the only one
    std::vector<std::int64_t> worstIndex; ///< the element that decided
};

struct GateRecord {
    contract::Gate gate = contract::Gate::Cmp01;
    contract::Verdict verdict = contract::Verdict::Absent;
    contract::Severity severity = contract::Severity::None;
    std::string legacyStatus; ///< as the audit wrote it ("na")
    std::optional<int> skipped;
    std::optional<int> exercised;
    std::optional<int> total;
    std::string metric;
    tensor::Measured value; ///< of the check that decided
    tensor::Measured threshold;
    tensor::Measured relative;
    std::string reasonCode; ///< "value", "nan_mask", "shape", "exception", "cuda_error", ... (see core/ingest/reason_parser.h)
    std::string reason;     ///< verbatim
    std::string finding;    ///< one sentence
    std::string power;      ///< what a clean result rules out
    std::vector<CheckRecord> checks;
};

struct BaselineRecord {
    std::string mode;
    std::string verdict;
    std::string trials;
    std::string detail;
};

/// A remark that changes no verdict.
struct FlagRecord {
    std::string code;
    std::string gate; ///< id
    std::string sentence;
    bool operator==(const FlagRecord&) const = default;
};

struct VerdictRecord {
    std::string status; ///< as the audit wrote it
    contract::Verdict outcome = contract::Verdict::Unknown;
    contract::Severity severity = contract::Severity::None;
    std::vector<GateRecord> gates;
    std::vector<BaselineRecord> baselines;
    std::optional<double> elapsedSeconds;
    std::optional<std::vector<std::int64_t>> nativeShape;
    std::optional<std::int64_t> primaryIndex;
    std::optional<bool> multiOutput;
    std::optional<bool> outputAliasing;
    std::optional<double> speedup;
    std::optional<std::string> error; ///< verbatim
    std::string finding;
    std::string extra;     ///< JSON object of members without a column, or ""
    std::string alignment; ///< how both sides' parameters were matched; "" where imported
    std::vector<FlagRecord> flags;
    std::vector<std::string> isolation; ///< what could not be enforced while foreign code ran

    // Membership under the audit's own rules ("as published"), see core/report/rule_set.h.
    bool accepted = false;
    bool audited = false;
    bool toleranceFree = false;
    bool anyViolation = false;
};

/// A tensor, or a text, that a check left behind.
struct ArtifactRecord {
    std::string gate;  ///< id
    int ordinal = 0;   ///< of the check in its gate, from 0
    std::string role;  ///< 'input', 'init', 'reference_state', 'candidate_state', 'reference', 'candidate', 'call', 'log'
    std::string name;  ///< number of the leaf, path of the output, name of the parameter
    std::string dtype; ///< "" for texts
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< in elements, of the call; empty: row-major
    std::string bytes;                 ///< row-major elements, or the text
};

/// One audit that an importer or the judge fills.
struct AuditRecord {
    std::string name;
    std::string origin = "published"; ///< 'published', 'illustrative', 'judged'
    std::string taxonomy = "published-2026";
    std::string device;
    std::string versions; ///< JSON or ""
    std::string seed;
    std::string gateConfig; ///< JSON or ""
    std::string startedAt;  ///< UTC, "" where not known
    std::string finishedAt;
    std::string importedFrom; ///< path of the file that a 'judged' audit came in by; "" where it was judged into this database
};

struct KernelRecord {
    std::string externalId; ///< never empty: importers make one up from position where the row has none
    std::string title;
    std::string family = "unknown"; ///< see core/ingest/op_family.h
    std::string language = "unknown";
    std::optional<std::string> candidateSource; ///< verbatim bytes
    std::optional<std::string> referenceSource; ///< verbatim bytes
    std::string candidateSha256; ///< of a candidate the row names without bringing it: joins the kernel that has it; "" elsewhere
    std::string referenceSha256; ///< likewise for the reference
    std::string entryPoint;
    std::string claim; ///< verbatim JSON or ""
    std::optional<bool> claimedCorrect;
    std::optional<double> claimedSpeedup;
    std::string claimStatus
        = "unknown"; ///< 'accepted', 'rejected', 'generation_failed', 'load_failed', 'no_candidate', 'unknown'
    std::string hardware;
    std::string path; ///< as the corpus names it
    std::string repository;
    std::string revision;
    std::string licence;
    bool inferred = false; ///< the record did not name its kernel; the link is a guess from order
};

/// One row of an imported file: a kernel, and a verdict on it where the row carries one.
struct ImportedItem {
    KernelRecord kernel;
    std::optional<VerdictRecord> verdict;
    std::vector<ArtifactRecord> artifacts; ///< what the verdict's checks left behind
    std::int64_t line = 0;                 ///< 1-based; 0 where the format has no lines
    std::int64_t byte = 0;                 ///< offset of the row in the (decompressed) file
    std::string rowBytes;                  ///< what identifies the row for idempotence: hashed, not stored
};

/// A row that was not kept, and why.
struct Rejection {
    std::int64_t line = 0;  ///< 1-based; 0: not known
    std::int64_t byte = -1; ///< offset in the (decompressed) file; -1: not known
    std::string item;       ///< id, file name or JSON pointer
    std::string reason;
};

/// One aggregate number or text that an audit published.
struct PublishedFigure {
    std::string kind;
    std::string pointer; ///< JSON pointer in its file
    tensor::Measured value;
    std::string text;
};

} // namespace assay::store
