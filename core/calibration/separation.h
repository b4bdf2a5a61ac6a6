// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/sample_set.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::calibration {

/// How a threshold is set. Source: gates.md section 7.
struct ThresholdRule {
    Share floorShare{999, 1000}; ///< quantile of conforming samples below the gap
    Share onsetShare{1, 100};    ///< quantile of defects above it
    double seenFrom = 1e-3;      ///< disturbances of this scale or more ought to be seen
    double leastBelow = 0.5;     ///< decades between floor and threshold that make the gap safe
    double leastAbove = 0.3;     ///< decades between threshold and onset
    bool operator==(const ThresholdRule&) const = default;
};

/// Whether there is a threshold, and why not.
enum class GapState : unsigned char {
    Safe,           ///< both margins are kept
    NoSafeGap,      ///< floor below onset, but too near
    Overlap,        ///< floor at or above onset; the threshold errs on both sides
    NoConforming,   ///< nothing conforming was measured
    NoDefects,      ///< neither a defect nor a disturbance that ought to be seen was measured
    ZeroFloor,      ///< conforming kernels measure exactly 0: a gate without tolerance would do
    FloorNonFinite, ///< conforming kernels measure NaN or Inf: the gate or the sample is broken
    ZeroOnset,      ///< defects measure exactly 0: the gate does not see them
    OnsetNonFinite, ///< defects measure NaN or Inf only: any threshold above the floor sees them
};

/// A short sentence of the state.
std::string_view sentence(GapState state);

/// One group that ought to be seen.
struct OnsetGroup {
    std::string perturbation; ///< empty: the real defects
    double scale = 0;         ///< 0: the real defects
    std::int64_t samples = 0;
    double onset = 0;         ///< its onsetShare quantile; 0 and +Inf possible
    bool isSmallest = false;  ///< too few samples for that quantile: the onset is the smallest of them
    std::int64_t kernels = 0; ///< with a sample at or below the onset: what the onset rests on
};

/// Distances of a threshold to both sides in decades; negative where it is beyond.
struct Margins {
    double below = 0; ///< log10 threshold - log10 floor
    double above = 0; ///< log10 onset - log10 threshold
};

struct Separation {
    GapState state = GapState::NoConforming;
    double floor = 0;                ///< NaN where nothing conforming was measured
    bool floorIsLargest = false;     ///< too few samples for the quantile: more kernels will push the floor up
    std::int64_t floorKernels = 0;   ///< with a sample at or above the floor: what the floor rests on
    double onset = 0;                ///< the smallest of the groups; NaN where there is none
    std::vector<OnsetGroup> groups;  ///< ascending by onset: the first sets it
    std::optional<double> threshold; ///< only where floor and onset are finite and positive
    std::optional<Margins> margins;  ///< of that threshold
    bool isSafe() const { return state == GapState::Safe; }
};

/// Which series ought to be seen: of each disturbance the smallest scale that reaches rule.seenFrom, and the real defects.
/// Kept apart rather than pooled, since many samples of an easy disturbance would hide a few of a hard one.
std::vector<const PerturbedSeries*> seenPerturbations(const SampleSet& samples, const ThresholdRule& rule);

/// The samples of those groups and the real defects as one series: the defective side of ROC curves and error rates.
Series oughtToBeSeen(const SampleSet& samples, const ThresholdRule& rule);

/// Floor, onset and the threshold in the middle between them on a logarithmic axis.
Separation separate(const SampleSet& samples, const ThresholdRule& rule);

/// Margins of any threshold, such as one that is being dragged; nothing unless all three are finite and positive.
std::optional<Margins> marginsOf(double threshold, double floor, double onset);

/// The threshold between a floor and an onset, 10^((log10 floor + log10 onset) / 2); NaN unless both are finite and positive.
double thresholdBetween(double floor, double onset);

} // namespace assay::calibration
