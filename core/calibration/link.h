// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/detection.h"

namespace assay::calibration {

/// Everything that a binomial fit needs of its link at one linear predictor, exact far out in both tails.
struct LinkValue {
    double logSeen = 0;        ///< log p
    double logUnseen = 0;      ///< log (1 - p)
    double scoreSeen = 0;      ///< p' / p
    double scoreUnseen = 0;    ///< p' / (1 - p)
    double weight = 0;         ///< p'^2 / (p (1 - p)), of one sample
    double logWeightSlope = 0; ///< (log weight)'
};

LinkValue linkAt(Link link, double predictor);

} // namespace assay::calibration
