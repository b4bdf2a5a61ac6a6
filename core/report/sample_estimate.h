// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/sampling/hypergeometric.h"
#include "core/sampling/label_agreement.h"
#include "core/sampling/stratified.h"
#include "core/store/database.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"
#include "core/store/triage.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What the labels of a sample say about its frame.
namespace assay::report {

/// How many kernels got which final label. Disputed: reviewers differ and nobody has adjudicated.
struct LabelCounts {
    std::int64_t confirmed = 0;
    std::int64_t falsePositive = 0;
    std::int64_t ambiguous = 0;
    std::int64_t inconclusive = 0;
    std::int64_t disputed = 0;
    std::array<std::int64_t, store::kDefectSeverities.size()> bySeverity{}; ///< of the confirmed, those that were weighed

    std::int64_t decided() const { return confirmed + falsePositive; }
    std::int64_t labelled() const { return decided() + ambiguous + inconclusive + disputed; }
    void add(const store::FinalLabel& label);
};

struct StratumEstimate {
    store::PlanStratum stratum;
    LabelCounts labels;
    sampling::Interval clopperPearson; ///< of the precision, confirmed of decided
    sampling::Interval wilson;
    /// Confirmed defects in the whole stratum, open labels counted as none; only where more than a fifth of it is labelled.
    std::optional<sampling::CountInterval> finite;
};

/// Of the kernels that fail one gate, how many are defects: weighted over the strata.
struct GateEstimate {
    contract::Gate gate = contract::Gate::Cmp01;
    LabelCounts labels;
    std::optional<sampling::StratifiedEstimate> precision;
    sampling::Interval clopperPearson; ///< unweighted
};

struct ReviewerPair {
    std::string first;
    std::string second;
    sampling::LabelAgreement agreement; ///< over the four labels
    sampling::KappaBootstrap bootstrap; ///< with the plan's seed
};

/// The audit's rate after the labels: what the frame still stands for, over every audited kernel.
struct AdjustedRate {
    std::int64_t audited = 0;
    double flagged = 0;  ///< frame over audited, before any label
    double adjusted = 0; ///< confirmed defects estimated in the frame, over audited
    sampling::Interval interval;
};

struct SampleEstimate {
    store::SamplePlan plan;
    std::vector<StratumEstimate> strata;
    LabelCounts labels;
    sampling::Interval pooledClopperPearson; ///< confirmed of decided, strata ignored
    sampling::Interval pooledWilson;
    std::optional<sampling::StratifiedEstimate> precision; ///< confirmed / (confirmed + false positive) over the frame
    std::optional<sampling::StratifiedEstimate> confirmed; ///< confirmed / all labelled: open labels count against
    std::vector<GateEstimate> gates;                       ///< those that a labelled kernel fails
    std::optional<AdjustedRate> adjusted;                  ///< only where every kernel of the frame is an audited one
    std::vector<ReviewerPair> pairs;
    std::vector<std::string> reviewers;
    std::int64_t labelledTwice = 0; ///< kernels with labels of two reviewers or more
    std::int64_t blindLabels = 0;   ///< labels that hold and were given before the verdict was shown
    std::int64_t holdingLabels = 0; ///< without adjudications
};

/// An adjusted rate with what it rests on.
struct PlanRate {
    std::string plan;
    std::string filter; ///< that lists the frame; "" where the frame was published without its rows
    std::int64_t frame = 0;
    std::int64_t decided = 0; ///< kernels labelled a defect or a false positive
    bool isPartial = false;   ///< a stratum has no decided label: it is taken to be like the others
    AdjustedRate rate;
};

/// The rate of an audit after the labels of the plan that has decided most kernels of it, the newest of equals; nothing where no
/// label says anything about every audited kernel.
/// @throws DatabaseError, Cancelled
std::optional<PlanRate> adjustedRateOf(store::Database& database, const store::Scope& scope);

/// @throws Error where there is no such plan, DatabaseError, Cancelled
SampleEstimate estimateSample(store::Database& database, const std::string& planName);

} // namespace assay::report
