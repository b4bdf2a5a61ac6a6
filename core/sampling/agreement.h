// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace assay::sampling {

/// Two judges on the same items, two answers each.
struct PairedCounts {
    std::int64_t bothPass = 0;
    std::int64_t firstPassSecondFail = 0;
    std::int64_t firstFailSecondPass = 0;
    std::int64_t bothFail = 0;

    std::int64_t total() const { return bothPass + firstPassSecondFail + firstFailSecondPass + bothFail; }
    std::int64_t discordant() const { return firstPassSecondFail + firstFailSecondPass; }
};

/// How far two judges agree beyond chance.
struct Agreement {
    double observed = 0;         ///< share of items with equal answers
    double expected = 0;         ///< that share if both judges answered independently at their own rates
    std::optional<double> kappa; ///< (observed - expected) / (1 - expected); nothing where both always give one same answer
    std::optional<double> kappaStandardError; ///< large-sample, for intervals around kappa; not for testing kappa = 0
    double pabak = 0;                         ///< prevalence- and bias-adjusted kappa, 2 observed - 1: unmoved by skewed rates
};

/// Cohen's kappa with its company.
///
/// @return nothing where there are no items
/// Source: Cohen 1960; standard error Fleiss, Cohen and Everitt 1969, equation 13; PABAK Byrt, Bishop and Carlin 1993.
std::optional<Agreement> agreement(const PairedCounts& counts);

/// Two-sided exact p of McNemar's test: under equal rates the discordant items split as fair coins, so p is twice the smaller
/// tail, at most 1. 1 where nothing is discordant; 0 where the true value is below the smallest double.
double mcnemarExact(const PairedCounts& counts);

/// McNemar's chi-square with Edwards' continuity correction, (|b - c| - 1)^2 / (b + c), one degree of freedom; 0 where nothing is
/// discordant or b and c differ by at most one.
double mcnemarChiSquare(const PairedCounts& counts);

} // namespace assay::sampling
