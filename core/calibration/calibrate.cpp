// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/calibrate.h"

#include "core/calibration/holdout.h"

#include <cmath>
#include <utility>

namespace assay::calibration {

namespace {

std::optional<double> finite(double value)
{
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace

CellCalibration calibrateCell(std::span<const Sample> samples, const ThresholdRule& rule, double holdOutShare,
                              const BootstrapOptions& options)
{
    const Split halves = split(samples, options.seed, holdOutShare);
    const SampleSet calibration(halves.calibration);
    const SampleSet holdOut(halves.holdOut);
    const Series seen = oughtToBeSeen(calibration, rule);

    CellCalibration result;
    result.calibrationKernels = static_cast<std::int64_t>(calibration.kernels().size());
    result.holdOutKernels = static_cast<std::int64_t>(holdOut.kernels().size());
    result.separation = separate(calibration, rule);
    result.estimates = bootstrapSeparation(calibration, rule, result.separation.threshold, options);
    result.area = auc(calibration.conforming(), seen);
    if (const std::optional<double> threshold = result.separation.threshold) {
        result.onCalibration = errorRates(calibration.conforming(), seen, *threshold);
        result.onHoldOut = errorRates(holdOut.conforming(), oughtToBeSeen(holdOut, rule), *threshold);
    }
    return result;
}

FrozenThreshold freeze(const Separation& separation, std::string gate, std::string family, std::string dtype)
{
    return {std::move(gate),          std::move(family),        std::move(dtype),    separation.state,
            finite(separation.floor), finite(separation.onset), separation.threshold};
}

} // namespace assay::calibration
