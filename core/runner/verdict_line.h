// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/judgement_reader.h"
#include "core/text/json.h"

#include <cstdint>
#include <optional>
#include <string>

namespace assay::runner {

/// The member "schema" of a verdict that travels as one line of text.
inline constexpr const char* kVerdictLineSchema = "assay.verdict/1";

/// Which kernel a travelling verdict is about: what a database that has its sources finds it by.
struct VerdictLineKernel {
    std::string externalId;
    std::string title;
    std::string family;
    std::string candidateSha256; ///< "" where the source is not known
    std::string referenceSha256;
    std::optional<bool> claimedCorrect;
};

/// One verdict as a line without its end: `{"schema","id","title","op_family","candidate_sha256","reference_sha256",
/// "claimed_correct","started_at","finished_at"}` and the members of `assay verify --json`, evidence included; readVerdict()
/// reads it back. Tensors of more than @p evidenceBytes are left out and named in the call's "left_out": they are made again
/// from the check's recipe.
/// @throws Error where the audit's contract is not one of this version
std::string verdictLine(const VerdictLineKernel& kernel, const store::JudgedAudit& audit, const store::JudgedKernel& judged,
                        std::int64_t evidenceBytes);

/// A line read back.
struct VerdictLine {
    VerdictLineKernel kernel;
    store::JudgedAudit audit;
    store::JudgedKernel judged;
};

/// Reads what verdictLine() wrote and takes nothing on trust: a member that is missing or of another type, a number out of its
/// range, a word that there is not and a tensor that does not fit its shape are refused.
/// @throws Error with one sentence and no place
VerdictLine readVerdictLine(const json::Value& line);

} // namespace assay::runner
