// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/what_if.h"

namespace assay::calibration {

bool trips(const tensor::Measured& value, double threshold)
{
    if (!value.isPresent())
        return false;
    return !value.isFinite() || value.value < 0 || value.value > threshold;
}

Flips flipsBetween(std::span<const JudgedValue> values, double now, double proposed)
{
    Flips flips;
    for (const JudgedValue& judged : values) {
        const bool failsNow = trips(judged.value, now);
        if (failsNow != trips(judged.value, proposed))
            (failsNow ? flips.toPass : flips.toFail).push_back(judged.id);
    }
    return flips;
}

} // namespace assay::calibration
