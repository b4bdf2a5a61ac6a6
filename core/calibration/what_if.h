// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/measured.h"

#include <cstdint>
#include <span>
#include <vector>

namespace assay::calibration {

/// A measurement that a threshold decided.
struct JudgedValue {
    std::int64_t id = 0; ///< the caller's
    tensor::Measured value;
};

/// Verdicts that another threshold would turn around; nothing is changed by asking.
struct Flips {
    std::vector<std::int64_t> toFail; ///< pass now, would fail; in the order given
    std::vector<std::int64_t> toPass;
};

/// Whether @p value trips a gate of this threshold: above it, negative or not a finite number. Absent values trip nothing.
bool trips(const tensor::Measured& value, double threshold);

Flips flipsBetween(std::span<const JudgedValue> values, double now, double proposed);

} // namespace assay::calibration
