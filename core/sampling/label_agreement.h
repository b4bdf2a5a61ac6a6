// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/wilson.h"

#include <cstdint>
#include <optional>
#include <span>

namespace assay::sampling {

/// What two reviewers said of one item, as category numbers from 0.
struct LabelPair {
    int first = 0;
    int second = 0;
};

/// How far two reviewers agree beyond chance, over any number of categories.
struct LabelAgreement {
    std::int64_t items = 0;
    std::int64_t agreed = 0;
    double observed = 0;         ///< share of items with equal labels
    double expected = 0;         ///< that share if both labelled independently at their own rates
    std::optional<double> kappa; ///< nothing where both always gave one same label
    double pabak = 0;            ///< (categories * observed - 1) / (categories - 1): unmoved by skewed rates
};

/// @return nothing where there are no items
/// Source: Cohen 1960; PABAK for k categories after Byrt, Bishop and Carlin 1993.
std::optional<LabelAgreement> labelAgreement(std::span<const LabelPair> pairs, int categories);

/// How far kappa would spread over other items of the same kind.
struct KappaBootstrap {
    std::optional<Interval> interval; ///< nothing where no resample has a kappa
    int resamples = 0;
    int undefined = 0; ///< resamples in which both gave one same label throughout; left out
};

/// Percentile bootstrap of kappa over the items. The same seed gives the same bits on every machine: item i of resample r is
/// floor(u * items / 2^64) with u number r * items + i of stream {seed, "", "sample", "kappa"}; the interval runs from the k-th
/// to the k-th last of the sorted kappas, counting from 0, with k = round(kappas * (1 - confidence) / 2).
KappaBootstrap bootstrapKappa(std::span<const LabelPair> pairs, int categories, std::uint64_t seed, int resamples = 2000,
                              double confidence = 0.95);

} // namespace assay::sampling
