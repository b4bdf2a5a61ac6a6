// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/detection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

namespace assay::calibration {

namespace {

/// Outcomes of one cluster at one scale.
struct ClusterOutcome {
    std::uint32_t cluster = 0;
    std::int64_t seen = 0;
    std::int64_t samples = 0;
};

struct ScaleClusters {
    double scale = 0;
    std::vector<ClusterOutcome> clusters;
};

std::vector<ScaleClusters> countClusters(const SampleSet& samples, std::string_view perturbation, double threshold)
{
    std::vector<ScaleClusters> result;
    for (const PerturbedSeries& group : samples.perturbations()) {
        if (group.perturbation != perturbation)
            continue;
        ScaleClusters scale{group.scale, {}};
        for (const Series::ClusterSize& size : group.series.clusters())
            scale.clusters.push_back({size.cluster, 0, size.samples});
        for (const Series::Entry& entry : group.series.entries()) {
            const auto at
                = std::lower_bound(scale.clusters.begin(), scale.clusters.end(), entry.cluster,
                                   [](const ClusterOutcome& outcome, std::uint32_t id) { return outcome.cluster < id; });
            at->seen += entry.value > threshold ? 1 : 0;
        }
        result.push_back(std::move(scale));
    }
    return result;
}

/// What fits to outcomes that came up before gave. Few kernels have few samples of their own to draw: five have 126.
class KnownFits {
public:
    using Key = std::vector<std::int64_t>;

    bool find(const Key& key, std::span<double> out) const
    {
        const std::lock_guard lock(m_mutex);
        const auto known = m_fits.find(key);
        if (known == m_fits.end())
            return false;
        std::ranges::copy(known->second, out.begin());
        return true;
    }
    void keep(Key key, std::span<const double> fit)
    {
        const std::lock_guard lock(m_mutex);
        m_fits.emplace(std::move(key), std::vector<double>(fit.begin(), fit.end()));
    }

private:
    mutable std::mutex m_mutex;
    std::map<Key, std::vector<double>> m_fits;
};

} // namespace

DetectionEstimates bootstrapDetection(const SampleSet& samples, std::string_view perturbation, double threshold, Link link,
                                      std::span<const double> log10Scales, const BootstrapOptions& options)
{
    constexpr std::size_t kHalf = 0;
    constexpr std::size_t kSlope = 1;
    constexpr std::size_t kBand = 2;
    const std::vector<ScaleClusters> scales = countClusters(samples, perturbation, threshold);
    KnownFits known;
    const auto compute = [&](std::span<const std::uint32_t> weights, std::span<double> out) {
        std::vector<ScaleOutcome> outcomes;
        KnownFits::Key key;
        for (const ScaleClusters& scale : scales) {
            ScaleOutcome outcome{scale.scale, 0, 0};
            for (const ClusterOutcome& cluster : scale.clusters) {
                outcome.seen += weights[cluster.cluster] * cluster.seen;
                outcome.samples += weights[cluster.cluster] * cluster.samples;
            }
            outcomes.push_back(outcome);
            key.insert(key.end(), {outcome.seen, outcome.samples});
        }
        if (known.find(key, out))
            return;
        const DetectionFit fit = fitDetection(outcomes, link);
        std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
        if (fit.isFitted()) {
            out[kHalf] = fit.log10Half;
            out[kSlope] = fit.slope;
            for (std::size_t i = 0; i < log10Scales.size(); ++i)
                out[kBand + i] = probabilityAt(fit, log10Scales[i]);
        }
        known.keep(std::move(key), out);
    };
    const Replicates replicates
        = resample(samples.strata(), samples.kernels().size(), kBand + log10Scales.size(), compute, options);
    DetectionEstimates result;
    result.log10Half = estimate(replicates, kHalf, options.confidence);
    result.slope = estimate(replicates, kSlope, options.confidence);
    for (std::size_t i = 0; i < log10Scales.size(); ++i) {
        const Estimate at = estimate(replicates, kBand + i, options.confidence);
        if (at.percentile && std::isfinite(at.value))
            result.band.push_back({log10Scales[i], at.value, *at.percentile});
    }
    return result;
}

} // namespace assay::calibration
