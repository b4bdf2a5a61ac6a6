// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/sample_set.h"

#include <cmath>
#include <string>
#include <vector>

namespace assay::tests {

using calibration::Sample;
using calibration::SampleKind;

inline Sample conforming(const std::string& kernel, double value)
{
    return {SampleKind::Conforming, kernel, "", 0, tensor::measured(value)};
}

inline Sample defect(const std::string& kernel, double value)
{
    return {SampleKind::Defect, kernel, "", 0, tensor::measured(value)};
}

inline Sample perturbed(const std::string& kernel, const std::string& perturbation, double scale, double value)
{
    return {SampleKind::Perturbed, kernel, perturbation, scale, tensor::measured(value)};
}

/// A series in which every value has a cluster of its own.
inline calibration::Series seriesOf(const std::vector<double>& values)
{
    calibration::Series series;
    for (std::size_t i = 0; i < values.size(); ++i)
        series.add(tensor::measured(values[i]), static_cast<std::uint32_t>(i));
    series.finish();
    return series;
}

/// Conforming kernels about 1e-6, half of them disturbed at four scales, and defects about 1e-2; spread without random numbers.
inline std::vector<Sample> smallCalibration(int kernels = 24)
{
    std::vector<Sample> samples;
    for (int k = 0; k < kernels; ++k) {
        const std::string kernel = "kernel " + std::to_string(k);
        const double level = std::pow(10.0, -6 + 0.05 * (k * 7 % 11));
        for (int i = 0; i < 10; ++i)
            samples.push_back(conforming(kernel, level * (1 + 0.1 * (i * 3 % 10))));
        for (const double scale : {1e-5, 1e-4, 1e-3, 1e-2}) {
            for (int i = 0; i < 4 && k % 2 == 0; ++i)
                samples.push_back(perturbed(kernel, "additive", scale, level + scale * (0.5 + 0.3 * ((k + i * 5) % 7))));
        }
    }
    for (int k = 0; k < kernels / 3; ++k) {
        for (int i = 0; i < 5; ++i)
            samples.push_back(defect("defect " + std::to_string(k), std::pow(10.0, -2 + 0.1 * ((k * 5 + i) % 13))));
    }
    return samples;
}

} // namespace assay::tests
