// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/detection.h"

#include "core/calibration/link.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::calibration {

namespace {

constexpr int kMostSteps = 200;
constexpr int kMostHalvings = 40;

struct Point {
    double x = 0; ///< log10 scale about the centre
    double seen = 0;
    double samples = 0;
};

/// Information about intercept and slope, taken apart at its own centre of weight: differences of large sums would lose digits
/// where all the weight lies at one end of the scales.
struct Information {
    double weight = 0; ///< sum of the working weights
    double mean = 0;   ///< their centre
    double spread = 0; ///< sum of weight times squared distance to it
    double determinant() const { return weight * spread; }
    /// x' I^-1 x for x = (1, at).
    double leverage(double at) const { return 1 / weight + (at - mean) * (at - mean) / spread; }
};

struct Beta {
    double intercept = 0, slope = 0;
    double at(double x) const { return intercept + slope * x; }
};

/// @p extra  samples that count beside the real ones at each point, or nothing
Information informationOf(std::span<const Point> points, const Beta& beta, Link link, std::span<const double> extra = {})
{
    std::vector<double> weights;
    Information information;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double samples = points[i].samples + (extra.empty() ? 0 : extra[i]);
        weights.push_back(samples * linkAt(link, beta.at(points[i].x)).weight);
        information.weight += weights.back();
        information.mean += weights.back() * points[i].x;
    }
    information.mean /= information.weight;
    for (std::size_t i = 0; i < points.size(); ++i)
        information.spread += weights[i] * (points[i].x - information.mean) * (points[i].x - information.mean);
    return information;
}

/// Log likelihood with Jeffreys' penalty.
double penalized(std::span<const Point> points, const Beta& beta, Link link)
{
    double sum = std::log(informationOf(points, beta, link).determinant()) / 2;
    for (const Point& point : points) {
        const LinkValue value = linkAt(link, beta.at(point.x));
        if (point.seen > 0)
            sum += point.seen * value.logSeen;
        if (point.seen < point.samples)
            sum += (point.samples - point.seen) * value.logUnseen;
    }
    return sum;
}

struct Step {
    double intercept = 0, slope = 0;
    double squaredErrors = 0; ///< its length in standard errors, squared
};

/// One step of Fisher scoring on the penalized score. The penalty bends the likelihood as about one more sample at a point of
/// leverage one: without counting those, steps on few samples overshoot and swing to and fro for ever.
Step stepFrom(std::span<const Point> points, const Beta& beta, Link link)
{
    const Information plain = informationOf(points, beta, link);
    std::vector<double> leverages;
    for (const Point& point : points)
        leverages.push_back(point.samples * linkAt(link, beta.at(point.x)).weight * plain.leverage(point.x));
    const Information bent = informationOf(points, beta, link, leverages);
    double u = 0;
    double v = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Point& point = points[i];
        const LinkValue value = linkAt(link, beta.at(point.x));
        const double score = point.seen * value.scoreSeen - (point.samples - point.seen) * value.scoreUnseen
            + leverages[i] * value.logWeightSlope / 2;
        u += score;
        v += score * (point.x - bent.mean);
    }
    const double slope = v / bent.spread;
    return {u / bent.weight - slope * bent.mean, slope, u * u / bent.weight + v * v / bent.spread};
}

/// Climbs to the top of the penalized likelihood; false where it does not get there.
bool climb(std::span<const Point> points, Beta& beta, Link link)
{
    constexpr double kSmallStep = 1e-11; // standard errors: far below what data can tell, far above rounding
    double reached = penalized(points, beta, link);
    for (int taken = 0; taken < kMostSteps; ++taken) {
        Step step = stepFrom(points, beta, link);
        if (!std::isfinite(step.squaredErrors))
            return false;
        if (step.squaredErrors <= kSmallStep * kSmallStep)
            return true;
        for (int halving = 0;; ++halving) {
            const Beta next = {beta.intercept + step.intercept, beta.slope + step.slope};
            const double value = penalized(points, next, link);
            // Near the top the likelihood is flat to its last bits while the score still shows the way.
            const double flat = 64 * std::numeric_limits<double>::epsilon() * (1 + std::fabs(reached));
            if (value >= reached - flat) {
                beta = next;
                reached = std::max(reached, value);
                break;
            }
            if (halving == kMostHalvings)
                return false;
            step = {step.intercept / 2, step.slope / 2, step.squaredErrors / 4};
        }
    }
    return false;
}

/// True where a scale exists below which nothing and above which everything is seen; at the scale itself both may occur.
bool isSeparated(std::span<const Point> points)
{
    double highestUnseen = -std::numeric_limits<double>::infinity();
    double lowestSeen = std::numeric_limits<double>::infinity();
    for (const Point& point : points) {
        if (point.seen < point.samples)
            highestUnseen = std::max(highestUnseen, point.x);
        if (point.seen > 0)
            lowestSeen = std::min(lowestSeen, point.x);
    }
    return highestUnseen <= lowestSeen;
}

struct Centred {
    std::vector<Point> points;
    double centre = 0;
};

/// Scales about their mean: intercept and slope hang together less there.
Centred centred(std::span<const ScaleOutcome> outcomes)
{
    Centred result;
    double total = 0;
    for (const ScaleOutcome& outcome : outcomes) {
        if (outcome.samples == 0)
            continue;
        const double x = std::log10(outcome.scale);
        const auto samples = static_cast<double>(outcome.samples);
        result.points.push_back({x, static_cast<double>(outcome.seen), samples});
        result.centre += x * samples;
        total += samples;
    }
    result.centre /= std::max(total, 1.0);
    for (Point& point : result.points)
        point.x -= result.centre;
    return result;
}

FitState stateBefore(std::span<const Point> points)
{
    const auto differs = [&](const Point& point) { return point.x != points.front().x; };
    if (std::none_of(points.begin(), points.end(), differs))
        return FitState::TooFewScales;
    if (std::all_of(points.begin(), points.end(), [](const Point& point) { return point.seen == 0; }))
        return FitState::NothingSeen;
    if (std::all_of(points.begin(), points.end(), [](const Point& point) { return point.seen == point.samples; }))
        return FitState::EverythingSeen;
    return FitState::Fitted;
}

double normalQuantile(double probability)
{
    return boost::math::quantile(boost::math::normal(), probability);
}

} // namespace

std::string_view sentence(FitState state)
{
    switch (state) {
    case FitState::Fitted:
        return "fitted";
    case FitState::TooFewScales:
        return "fewer than two scales were tried";
    case FitState::NothingSeen:
        return "no scale that was tried is seen";
    case FitState::EverythingSeen:
        return "every scale that was tried is seen";
    case FitState::NotIncreasing:
        return "larger disturbances are not seen more often";
    case FitState::NotConverged:
        return "the fit does not converge";
    }
    return "";
}

DetectionFit fitDetection(std::span<const ScaleOutcome> outcomes, Link link)
{
    const Centred data = centred(outcomes);
    DetectionFit fit;
    fit.link = link;
    fit.centre = data.centre;
    fit.state = stateBefore(data.points);
    if (!fit.isFitted())
        return fit;
    fit.separated = isSeparated(data.points);
    Beta beta;
    if (!climb(data.points, beta, link)) {
        fit.state = FitState::NotConverged;
        return fit;
    }
    fit.intercept = beta.intercept;
    fit.slope = beta.slope;
    if (beta.slope <= 0) {
        fit.state = FitState::NotIncreasing;
        return fit;
    }
    const Information information = informationOf(data.points, beta, link);
    const double slopeVariance = 1 / information.spread;
    fit.covariance = {1 / information.weight + information.mean * information.mean * slopeVariance,
                      -information.mean * slopeVariance, slopeVariance};
    const double half = -beta.intercept / beta.slope; // about the centre
    fit.log10Half = fit.centre + half;
    fit.slopeError = std::sqrt(fit.covariance[2]);
    fit.log10HalfError = std::sqrt(information.leverage(half)) / beta.slope;
    return fit;
}

double probabilityAt(const DetectionFit& fit, double log10Scale)
{
    return std::exp(linkAt(fit.link, fit.intercept + fit.slope * (log10Scale - fit.centre)).logSeen);
}

std::vector<BandPoint> deltaBand(const DetectionFit& fit, std::span<const double> log10Scales, double confidence)
{
    std::vector<BandPoint> band;
    if (!fit.isFitted())
        return band;
    const double z = normalQuantile(0.5 + confidence / 2);
    for (const double scale : log10Scales) {
        const double x = scale - fit.centre;
        const double predictor = fit.intercept + fit.slope * x;
        const double variance = fit.covariance[0] + 2 * x * fit.covariance[1] + x * x * fit.covariance[2];
        const double spread = z * std::sqrt(std::max(0.0, variance));
        const auto probability = [&](double at) { return std::exp(linkAt(fit.link, at).logSeen); };
        band.push_back({scale, probability(predictor), {probability(predictor - spread), probability(predictor + spread)}});
    }
    return band;
}

std::vector<ScaleOutcome> outcomesAt(const SampleSet& samples, std::string_view perturbation, double threshold)
{
    std::vector<ScaleOutcome> outcomes;
    for (const PerturbedSeries& group : samples.perturbations()) {
        if (group.perturbation == perturbation && !group.series.isEmpty())
            outcomes.push_back({group.scale, group.series.above(threshold), group.series.size()});
    }
    return outcomes;
}

} // namespace assay::calibration
