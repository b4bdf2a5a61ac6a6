// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_strip.h"
#include "core/store/database.h"
#include "core/store/triage_filter.h"
#include "kernels/tensor/measured.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Typed queries behind the kernel list: scopes, filtered and sorted ids, pages of rows, facet counts.
/// All of them run on the connection they are given and end with Cancelled when it is interrupted.
namespace assay::store {

/// One audit, or the kernels of one corpus that no audit judged.
struct Scope {
    std::int64_t id = 0;
    std::int64_t corpusId = 0;
    std::optional<std::int64_t> auditId;
    std::string corpusName;
    std::string corpusOrigin; ///< 'illustrative' is shown in the window
    std::string auditName;    ///< "" without an audit
    std::string auditOrigin;
    std::string device;
    std::int64_t kernels = 0;

    /// Judged by this program, here or elsewhere: its gates have severities of their own, which no rule set re-scores.
    bool isJudged() const { return auditOrigin == "judged"; }
};

enum class TriageColumn {
    Id,
    Title,
    Family,
    Language,
    Outcome,
    Status,
    Claim,
    Baseline,
    Gates,
    Reason,
    HardFailures,
    SoftFailures,
    Exercised,
    Error,
    Relative,
    Speedup,
    Elapsed,
    Flags
};

struct TriageSort {
    TriageColumn column = TriageColumn::Id;
    bool descending = false;
    bool operator==(const TriageSort&) const = default;
};

/// "error", "-error" (descending): how saved views and links spell a sort. The words are those of the filter where both have one.
std::string toText(const TriageSort& sort);
/// Inverse of toText(); nothing for unknown columns.
std::optional<TriageSort> parseSort(std::string_view text);

struct TriageRow {
    std::int64_t kernelId = 0;
    std::int64_t verdictId = 0; ///< 0 without a verdict
    std::string externalId;
    std::string title;
    std::string family;
    std::string language;
    std::string outcome; ///< name of contract::StripCell, or "not_judged"
    std::string status;
    std::string claim;
    std::string baseline;
    std::string leadReason;
    std::string leadGate;
    contract::GateStrip strip;
    int hardFailures = 0;
    int softFailures = 0;
    std::optional<int> exercised;
    std::optional<int> total;
    tensor::Measured error;
    tensor::Measured relative;
    std::optional<double> speedup;
    std::optional<double> elapsedSeconds;
    bool hasSource = false;
    bool hasNote = false;
    bool bookmarked = false;
    bool waived = false;
};

/// Every scope, audits first, in order of import.
std::vector<Scope> scopes(Database& database);

/// Kernel ids of @p scopeId that match @p filter, in the order of @p sort. Rows without a value come last in both directions, NaN
/// is larger than infinity, ties are in the natural order of ids (numbers by value, then texts, then kernel id); Flags sorts by
/// bookmark, waiver, note.
/// @param limit  at most so many; negative: all
std::vector<std::int64_t> triageIds(Database& database, std::int64_t scopeId, const TriageFilter& filter, const TriageSort& sort,
                                    std::int64_t limit = -1);

std::int64_t triageCount(Database& database, std::int64_t scopeId, const TriageFilter& filter);

/// The rows of @p kernelIds in the given order; ids that no longer exist are skipped.
std::vector<TriageRow> triageRows(Database& database, std::int64_t scopeId, std::span<const std::int64_t> kernelIds);

/// The rows of @p kernelIds as a list shows them before anything judged them, in the given order; unknown ids are skipped.
std::vector<TriageRow> unjudgedRows(Database& database, std::span<const std::int64_t> kernelIds);

struct FacetValue {
    std::string value;
    std::int64_t count = 0;
};

struct Facet {
    std::string field; ///< the filter key: "family", "language", "outcome", "status", "claim", "baseline", "reason", "gate"
    std::vector<FacetValue> values; ///< for "gate": one per gate, counting kernels that fail it
};

/// Counts for every facet under @p filter. A facet's own terms are left out of its counts, so that its other values stay visible.
std::vector<Facet> triageFacets(Database& database, std::int64_t scopeId, const TriageFilter& filter);

} // namespace assay::store
