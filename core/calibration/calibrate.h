// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/frozen.h"
#include "core/calibration/roc.h"
#include "core/calibration/separation_bootstrap.h"

#include <optional>
#include <span>

namespace assay::calibration {

/// The calibration of one gate, op family and dtype: set on one half of the kernels, tried on the other.
struct CellCalibration {
    Separation separation;         ///< of the calibration half
    SeparationEstimates estimates; ///< of the calibration half
    std::optional<Auc> area;       ///< of the calibration half; nothing where a side has fewer than two samples
    ErrorRates onCalibration;      ///< of the threshold; both are empty (0 of 0) where there is none
    ErrorRates onHoldOut;          ///< the honest ones: no kernel in them had a part in the threshold
    std::int64_t calibrationKernels = 0;
    std::int64_t holdOutKernels = 0; ///< may be 0 where there are few kernels: then nothing was tried
};

/// Splits by kernel, sets the threshold on the calibration half and tries it on the hold-out half.
///
/// @param holdOutShare  expected share of kernels held out
/// @param options       its seed serves the split and the bootstrap
/// @throws Error      where a perturbed sample has no finite positive scale
/// @throws Cancelled  when options.stop asks for it
CellCalibration calibrateCell(std::span<const Sample> samples, const ThresholdRule& rule, double holdOutShare,
                              const BootstrapOptions& options);

/// What is frozen of it; a floor or onset that is not finite is left out, its state says why.
FrozenThreshold freeze(const Separation& separation, std::string gate, std::string family, std::string dtype);

} // namespace assay::calibration
