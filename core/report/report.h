// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/report/rule_set.h"
#include "core/sampling/wilson.h"
#include "core/store/database.h"
#include "kernels/tensor/measured.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::report {

/// A share of the audited kernels with its 95 % Wilson interval.
struct Rate {
    std::int64_t count = 0;
    std::int64_t of = 0;
    sampling::Interval wilson95;
    double value() const { return of > 0 ? static_cast<double>(count) / static_cast<double>(of) : 0.0; }
};

struct GateCounts {
    std::int64_t fail = 0, pass = 0, inapplicable = 0, unsupported = 0, notExercised = 0, unknown = 0, crash = 0, timeout = 0,
                 error = 0, absent = 0;
    std::int64_t exercisedChecks = 0; ///< sum over kernels where recorded
    std::int64_t totalChecks = 0;
};

/// One step of the funnel: how many rows are left and why the others went. `filter` lists the rows in the window.
struct FunnelStep {
    std::string key; ///< "rows", "accepted", "executable", "audited", "any_violation", "tolerance_free"
    std::string label;
    std::int64_t count = 0;
    std::string filter;
};

struct FamilyCounts {
    std::string family;
    std::int64_t audited = 0;
    std::int64_t toleranceFree = 0;
    std::int64_t any = 0;
    std::array<std::int64_t, contract::kGateCount> failures{}; ///< audited rows that fail each gate
};

struct FailSet {
    int mask = 0;
    std::string label;  ///< "CMP-01, CMP-03, ORD-01"
    std::string filter; ///< "is:audited fails:CMP-01,CMP-03,ORD-01"
    std::int64_t count = 0;
};

/// Verdict of another harness against ours. Published tables have no rows behind them; recomputed ones have.
struct CrossTable {
    std::string mode;
    std::string source; ///< file that published it, or "" where recomputed from rows
    std::int64_t passPass = 0, passFail = 0, failPass = 0, failFail = 0; ///< [theirs][ours]
};

struct PublishedNumber {
    std::string kind;
    std::string sourceFile;
    std::string pointer;
    tensor::Measured value;
    std::string text;
};

/// What another rule set makes of the same rows.
struct WhatIf {
    std::string ruleSet;
    std::string title;
    std::string hash;
    std::int64_t audited = 0;
    Rate toleranceFree;
    Rate anyViolation;
    std::int64_t forgiven = 0;
};

/// Everything the overview and `assay report` show of one audit under one rule set. Counts per gate and family are over audited
/// rows.
struct AuditReport {
    std::string corpus;
    std::string corpusOrigin;
    std::string audit;
    std::string ruleSet;
    std::string ruleSetHash;
    std::int64_t rows = 0;
    std::int64_t accepted = 0;
    std::int64_t audited = 0;
    Rate toleranceFree;
    Rate anyViolation;
    std::int64_t forgiven = 0; ///< rows the rule set forgave at least one gate
    std::vector<FunnelStep> funnel;
    std::array<GateCounts, contract::kGateCount> perGate;
    std::vector<FamilyCounts> perFamily; ///< sorted by audited, descending
    std::vector<FailSet> failSets;       ///< most common first, at most 20
    std::vector<CrossTable> baselines;   ///< recomputed from rows first, then published
    /// Median and 95th percentile over audited rows, inverted empirical distribution; hours over all rows.
    std::optional<double> elapsedMedianSeconds, elapsedP95Seconds, elapsedTotalHours;
    std::string thresholds;     ///< which limits are calibrated, see threshold_note.h; "" where somebody else judged
    std::vector<WhatIf> whatIf; ///< filled by callers that want it, see whatIf()
};

/// Picks the audit named @p auditName of corpus @p corpusName; empty names mean "the only one, else the newest".
/// @return scope id @throws Error naming what there is
std::int64_t resolveScope(store::Database& database, const std::string& corpusName, const std::string& auditName);

/// Under "as-published" the flags that the import stored are counted from the list's own table, so that a million kernels take
/// about a second and an audit of any format has a report. Any other rule set reads every gate result, one verdict at a time.
/// Cancel with store::Database::interrupt().
/// @throws Error, Cancelled
AuditReport buildReport(store::Database& database, std::int64_t scopeId, const RuleSet& rules);

/// Totals of several rule sets in one pass over the gate results; empty for a corpus that no audit judged.
/// @throws Error, Cancelled
std::vector<WhatIf> whatIf(store::Database& database, std::int64_t scopeId, const std::vector<RuleSet>& ruleSets);

/// Figures that the audit published, apart from what is recomputed.
std::vector<PublishedNumber> publishedNumbers(store::Database& database, std::int64_t corpusId);

/// JSON object of architecture.md section 4, with "schema": "assay.report/1".
std::string toJson(const AuditReport& report);
std::string toMarkdown(const AuditReport& report);
std::string toHtml(const AuditReport& report);
std::string toText(const AuditReport& report); ///< for a terminal

} // namespace assay::report
