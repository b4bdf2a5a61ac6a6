// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/wilson.h"

#include <cstdint>
#include <optional>
#include <span>

namespace assay::sampling {

/// What is known of one stratum. The share that is estimated is successes per item of a domain; where every item counts,
/// domain = labelled.
struct StratumTally {
    std::int64_t population = 0; ///< items in the frame
    std::int64_t labelled = 0;   ///< drawn and judged, <= population
    std::int64_t domain = 0;     ///< those of them that the question is about, <= labelled
    std::int64_t successes = 0;  ///< <= domain
};

/// A share of the whole frame, from strata weighted by their size.
struct StratifiedEstimate {
    double share = 0;
    double standardError = 0;
    double effectiveTrials = 0; ///< trials of simple sampling that would know as much; infinite where nothing is left to chance
    Interval wilson;            ///< score interval at the effective trials
    std::optional<Interval> logit; ///< where the share is neither 0 nor 1
    double successTotal = 0;       ///< estimated successes among the covered items (Horvitz-Thompson)
    std::int64_t coveredItems = 0; ///< items of strata with labels: what the estimate speaks of
    std::int64_t frameItems = 0;   ///< items of all strata
    bool isUniform = false;        ///< a stratum answered all alike, so its spread is taken from Jeffreys' prior
};

/// Combined ratio estimate over strata; with domain = labelled the plain stratified mean. A stratum without labels is left out,
/// and coveredItems says so. A stratum whose answers are all alike would have no spread and the interval no width: there the
/// spread is that of (successes + 1/2) / (domain + 1), except in a census, which has none.
///
/// @return nothing where no labelled item belongs to the domain
/// Source: Cochran 1977, equations 5.7 and 6.50; effective trials after Korn and Graubard 1998; gates.md section 8.
std::optional<StratifiedEstimate> stratifiedEstimate(std::span<const StratumTally> strata, double confidence = 0.95);

} // namespace assay::sampling
