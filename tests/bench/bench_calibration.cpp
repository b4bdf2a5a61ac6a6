// SPDX-License-Identifier: Apache-2.0
//
// How long the intervals of a calibration of 20,000 samples take, 2,000 replicates each. Prints "what <tab> value <tab> unit",
// one line each, best of 3; the last line is the whole calibration, in seconds.
#include "core/calibration/detection.h"
#include "core/calibration/roc.h"
#include "core/calibration/separation_bootstrap.h"
#include "kernels/random/philox.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace assay;
using namespace assay::calibration;

namespace {

constexpr double kThreshold = 1e-4;
constexpr int kScales = 24; // from 1e-8 to 1e-1

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Normal numbers, one after the other.
class Normals {
public:
    double next()
    {
        double value = 0;
        m_stream.normal(m_drawn++, {&value, 1});
        return value;
    }

private:
    random::Stream m_stream{{20, "bench", "calibration", "samples", 0}};
    std::uint64_t m_drawn = 0;
};

/// 400 conforming kernels with 25 samples each, half of them disturbed twice at 24 scales, 80 defective kernels with 5 each.
std::vector<Sample> makeSamples()
{
    Normals normals;
    std::vector<Sample> samples;
    for (int k = 0; k < 400; ++k) {
        const std::string kernel = "kernel " + std::to_string(k);
        const double level = -6.5 + 0.3 * normals.next();
        for (int i = 0; i < 25; ++i)
            samples.push_back(
                {SampleKind::Conforming, kernel, "", 0, tensor::measured(std::pow(10, level + 0.1 * normals.next()))});
        for (int step = 0; step < kScales && k % 2 == 0; ++step) {
            const double scale = std::pow(10, -8 + 7.0 * step / (kScales - 1));
            for (int i = 0; i < 2; ++i) {
                const double value = std::pow(10, level) + scale * std::pow(10, 0.4 * normals.next());
                samples.push_back({SampleKind::Perturbed, kernel, "additive", scale, tensor::measured(value)});
            }
        }
    }
    for (int k = 0; k < 80; ++k) {
        for (int i = 0; i < 5; ++i)
            samples.push_back({SampleKind::Defect, "defect " + std::to_string(k), "", 0,
                               tensor::measured(std::pow(10, -2 + 0.5 * normals.next()))});
    }
    return samples;
}

struct Times {
    double sorting = 1e9;
    double separation = 1e9;
    double detection = 1e9;
    double area = 1e9;
    double all = 1e9;
};

void measure(const std::vector<Sample>& samples, Times& best)
{
    using Clock = std::chrono::steady_clock;
    const auto keep = [](double& least, Clock::time_point start) { least = std::min(least, secondsSince(start)); };
    const Clock::time_point all = Clock::now();
    const SampleSet set(samples);
    keep(best.sorting, all);

    Clock::time_point start = Clock::now();
    const SeparationEstimates separation = bootstrapSeparation(set, {}, std::nullopt, {});
    keep(best.separation, start);

    std::vector<double> at;
    for (int i = 0; i < 64; ++i)
        at.push_back(-8 + 7.0 * i / 63);
    start = Clock::now();
    for (const Link link : {Link::Logistic, Link::Probit}) {
        const DetectionEstimates detection = bootstrapDetection(set, "additive", kThreshold, link, at, {});
        if (detection.band.size() != at.size() || detection.log10Half.undefined > 0)
            std::exit(EXIT_FAILURE);
    }
    keep(best.detection, start);

    start = Clock::now();
    const auto area = auc(set.conforming(), set.perturbed());
    keep(best.area, start);
    keep(best.all, all);
    // A bench that measures nothing must not pass for a fast one.
    if (samples.size() != 20'000 || !separation.threshold.bca || !area || !(area->clusteredError > 0))
        std::exit(EXIT_FAILURE);
}

void printPart(const char* what, double seconds)
{
    std::printf("calibration, %s\t%.6g\tms\n", what, seconds * 1000);
}

} // namespace

int main()
{
    const std::vector<Sample> samples = makeSamples();
    Times best;
    for (int attempt = 0; attempt < 3; ++attempt)
        measure(samples, best);
    printPart("20,000 samples sorted", best.sorting);
    printPart("bootstrap of floor, onset, threshold and margins", best.separation);
    printPart("bootstrap of both detection fits and bands", best.detection);
    printPart("area under the ROC curve with both errors", best.area);
    std::printf("calibration, all of it with 2,000 replicates\t%.6g\ts\n", best.all);
    return EXIT_SUCCESS;
}
