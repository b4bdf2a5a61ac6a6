// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/series.h"
#include "core/sampling/wilson.h"

#include <optional>
#include <vector>

namespace assay::calibration {

/// Both errors of one threshold; a sample above it is called wrong.
struct RocPoint {
    double threshold = 0;         ///< a measured value, or +Inf where everything passes
    std::int64_t falseAlarms = 0; ///< conforming samples above it
    std::int64_t detections = 0;  ///< defective samples above it
    bool operator==(const RocPoint&) const = default;
};

/// The whole staircase: a point for each different finite value, from threshold +Inf (nothing is called wrong) down to -1
/// (everything is). Non-finite values lie above every finite threshold.
///
/// Both rates are monotone. Divided by the sizes of the two series, the points are also the curves of false-positive rate and,
/// as 1 - detections, of false-negative rate over the threshold.
std::vector<RocPoint> rocCurve(const Series& conforming, const Series& defective);

/// Area under the ROC curve: P(defective > conforming) + P(equal) / 2, from ranks, so 0 and non-finite values count.
struct Auc {
    double area = 0;
    double plainError = 0;     ///< standard error with samples as independent (DeLong, DeLong and Clarke-Pearson 1988)
    double clusteredError = 0; ///< with kernels as clusters, which may have samples on both sides (Obuchowski 1997)
    /// Normal intervals cut to [0, 1]; of no width where the area is 0 or 1, which says nothing about how sure that is.
    sampling::Interval plain(double confidence = 0.95) const;
    sampling::Interval clustered(double confidence = 0.95) const;
};

/// @return nothing where a side has fewer than two samples; the clustered error is NaN where a side has fewer than two clusters
std::optional<Auc> auc(const Series& conforming, const Series& defective);

/// A count out of a number, with one-sided exact bounds of the rate.
struct BoundedRate {
    std::int64_t hits = 0;
    std::int64_t of = 0;
    double upper = 1; ///< Clopper-Pearson; 0 hits give 1 - (1 - confidence)^(1/n), about 3/n at 95 %
    double rate() const { return of > 0 ? static_cast<double>(hits) / static_cast<double>(of) : 0; }
};

/// How often a threshold is wrong. Samples of one kernel are no independent evidence: the honest bound is the one by kernels.
struct ErrorRates {
    BoundedRate falseAlarmSamples;
    BoundedRate falseAlarmKernels; ///< kernels with a false alarm in any sample
    BoundedRate missedSamples;
    BoundedRate missedKernels; ///< defective kernels of which a sample is missed
};

ErrorRates errorRates(const Series& conforming, const Series& defective, double threshold, double confidence = 0.95);

} // namespace assay::calibration
