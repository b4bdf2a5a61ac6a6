// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/wilson.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace assay::calibration {

struct BootstrapOptions {
    std::uint64_t seed = 0;
    std::uint32_t replicates = 2000;
    double confidence = 0.95; ///< two-sided
    unsigned threads = 0;     ///< 0: one a processor. The result does not depend on it.
    std::stop_token stop = {};
};

/// Computes all statistics of one replicate: weights[c] is how often cluster c was drawn. NaN says that a statistic is undefined
/// there. Called from several threads at once.
using Statistics = std::function<void(std::span<const std::uint32_t> weights, std::span<double> out)>;

/// What a bootstrap leaves behind, enough for any interval.
struct Replicates {
    std::size_t statistics = 0;                     ///< numbers a replicate
    std::vector<std::vector<std::uint32_t>> strata; ///< clusters, as drawn within
    std::vector<double> original;                   ///< the statistics with every cluster once
    std::vector<double> drawn;                      ///< replicate by replicate
    std::vector<double> leftOut;                    ///< with one cluster left out, in the order of the strata
};

/// One statistic with its intervals.
struct Estimate {
    double value = 0;                             ///< NaN where undefined
    std::optional<sampling::Interval> percentile; ///< nothing where no replicate defines the statistic
    std::optional<sampling::Interval> bca;        ///< nothing where bias or acceleration have no value: see estimate()
    std::uint32_t undefined = 0;                  ///< replicates without the statistic; they are left out of the intervals
};

/// Draws clusters with replacement, within each stratum as many as it has, and computes the statistics of each replicate.
///
/// Draw j (from 0, counted through the strata) of replicate b takes word j mod 4 of Philox4x32-10 with counter
/// (j / 4, b, 0, 0) and the seed's low and high halves as key; of n clusters it picks number (word n) / 2^32. So a replicate is
/// the same on every machine, whichever thread computes it.
///
/// @param strata    disjoint sets of clusters, all below @p clusters
/// @param clusters  length of the weights
/// @throws Cancelled  when options.stop asks for it
Replicates resample(const std::vector<std::vector<std::uint32_t>>& strata, std::size_t clusters, std::size_t statistics,
                    const Statistics& compute, const BootstrapOptions& options);

/// How often each cluster is drawn in replicate @p replicate of resample().
std::vector<std::uint32_t> drawWeights(const std::vector<std::vector<std::uint32_t>>& strata, std::size_t clusters,
                                       std::uint32_t replicate, std::uint64_t seed);

/// Percentile and BCa interval of one statistic.
///
/// Interval ends are order statistics of the B defined replicates: rank floor(p (B + 1)) from the outside, at least 1. Ties with
/// the original count half in the bias. The acceleration comes from leaving out one cluster at a time, stratum by stratum. BCa is
/// nothing where the original is not finite, where all replicates lie on one side of it, or where leaving clusters out changes
/// nothing or leaves the statistic undefined.
/// Source: Efron 1987; Davison and Hinkley, Bootstrap Methods and their Application, 1997, section 5.3 (strata).
Estimate estimate(const Replicates& replicates, std::size_t statistic, double confidence);

} // namespace assay::calibration
