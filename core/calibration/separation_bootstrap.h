// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/bootstrap.h"
#include "core/calibration/separation.h"

namespace assay::calibration {

/// How sure a separation is, all in decades (log10). A floor of 0 is -Inf and a floor of Inf is +Inf, so interval ends can be.
/// Where Separation::floorIsLargest, replicates cannot reach above the largest sample: the interval of the floor is then too
/// short on that side, whichever method.
struct SeparationEstimates {
    Estimate floor;
    Estimate onset;
    Estimate threshold; ///< of the rule applied anew to each replicate
    Estimate below;     ///< margins of the one threshold under test, which stays where it is while kernels change
    Estimate above;
};

/// Draws kernels anew and sets floor, onset and threshold each time.
///
/// @param threshold  whose margins are asked for; nothing: the one that separate() gives. Without one, the margins are undefined.
/// @throws Cancelled  when options.stop asks for it
SeparationEstimates bootstrapSeparation(const SampleSet& samples, const ThresholdRule& rule, std::optional<double> threshold,
                                        const BootstrapOptions& options);

} // namespace assay::calibration
