// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "kernels/tensor/dtype.h"
#include "kernels/tensor/measured.h"

#include <string>
#include <vector>

namespace assay::contract {

/// The limit of one gate in one dtype: an excess beyond it is charged. Comes from a calibration of kernels of the task's op
/// family.
struct ThresholdCell {
    Gate gate = Gate::Cmp01;
    tensor::DType dtype = tensor::DType::Float32; ///< of the inputs
    double value = 1;                             ///< finite and positive
    double holdOutBound = 1; ///< one-sided 95 %: the share of right kernels that it charges at most, from kernels held out
};

/// The cells of one op family, and the table they were taken from.
struct Thresholds {
    std::string version; ///< SHA-256 of the table; "" where there is none
    std::vector<ThresholdCell> cells;

    /// The cell of @p gate and @p dtype, or nothing. No cell stands for another gate or dtype.
    const ThresholdCell* find(Gate gate, tensor::DType dtype) const;
};

/// Whether @p threshold is a limit that another calibration might set otherwise: what is exact (0) or absent is none.
inline bool isMatterOfDegree(const tensor::Measured& threshold)
{
    return threshold.isPresent() && !(threshold.isFinite() && threshold.value == 0);
}

/// Where the threshold of a check comes from.
struct CalibratedLimit {
    std::string version; ///< of the table
    double holdOutBound = 1;

    bool operator==(const CalibratedLimit&) const = default;
};

} // namespace assay::contract
