// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/bootstrap.h"
#include "core/calibration/sample_set.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace assay::calibration {

/// How a linear predictor becomes a probability.
enum class Link : unsigned char { Logistic, Probit };

/// Outcomes at one scale of a disturbance.
struct ScaleOutcome {
    double scale = 0; ///< positive
    std::int64_t seen = 0;
    std::int64_t samples = 0;
    bool operator==(const ScaleOutcome&) const = default;
};

enum class FitState : unsigned char {
    Fitted,
    TooFewScales,   ///< fewer than two different scales
    NothingSeen,    ///< at no scale: the smallest scale that is seen lies above all that were tried
    EverythingSeen, ///< at every scale: it lies below
    NotIncreasing,  ///< larger disturbances are not seen more often
    NotConverged,
};

/// A short sentence of the state.
std::string_view sentence(FitState state);

/// P(seen) = link(slope (log10 scale - log10 half)).
struct DetectionFit {
    FitState state = FitState::TooFewScales;
    Link link = Link::Logistic;
    double log10Half = 0;      ///< log10 of the scale that is seen in half the cases (eps50)
    double slope = 0;          ///< of the linear predictor, per decade
    double log10HalfError = 0; ///< standard errors by the delta method
    double slopeError = 0;
    std::array<double, 3> covariance{}; ///< of intercept and slope about centre: var, cov, var
    double centre = 0;                  ///< log10 scale that the intercept belongs to
    double intercept = 0;
    /// Below some scale nothing is seen and above it everything, so that plain maximum likelihood would give an infinite slope.
    bool separated = false;
    bool isFitted() const { return state == FitState::Fitted; }
};

/// A probability with its band.
struct BandPoint {
    double log10Scale = 0;
    double probability = 0;
    sampling::Interval interval;
};

/// Fits the detection probability over log10 scale by Fisher scoring. Jeffreys' penalty (Firth's method) is always on, separated
/// data or not, so that a fit is finite and never changes its rule; samples count as independent here, the bootstrap does not.
/// Source: Firth 1993; for other links Kosmidis and Firth 2021: score plus h w'/(2 w), h leverage, w working weight.
DetectionFit fitDetection(std::span<const ScaleOutcome> outcomes, Link link);

/// Probability of a fit at @p log10Scale.
double probabilityAt(const DetectionFit& fit, double log10Scale);

/// Band by the delta method on the linear predictor, hence inside [0, 1]; pointwise, samples as independent.
std::vector<BandPoint> deltaBand(const DetectionFit& fit, std::span<const double> log10Scales, double confidence = 0.95);

/// What a disturbance gave at a threshold, one entry a scale, ascending.
///
/// @param perturbation  which disturbance; its scales with samples are counted
std::vector<ScaleOutcome> outcomesAt(const SampleSet& samples, std::string_view perturbation, double threshold);

/// Fit of every replicate of a cluster bootstrap.
struct DetectionEstimates {
    Estimate log10Half;
    Estimate slope;
    std::vector<BandPoint> band; ///< percentile intervals at the scales asked for, pointwise
};

/// Draws kernels anew and fits each time. Replicates without a fit, such as those in which nothing is seen, count as undefined.
///
/// @throws Cancelled  when options.stop asks for it
DetectionEstimates bootstrapDetection(const SampleSet& samples, std::string_view perturbation, double threshold, Link link,
                                      std::span<const double> log10Scales, const BootstrapOptions& options);

} // namespace assay::calibration
