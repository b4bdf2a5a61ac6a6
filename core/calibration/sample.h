// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/measured.h"

#include <string>

/// The statistics behind a threshold: what conforming kernels measure, what defects measure, and how sure the gap between is.
namespace assay::calibration {

/// What is known about the kernel that a sample was measured on.
enum class SampleKind : unsigned char {
    Conforming, ///< right, in another order or by another compiler: the noise floor
    Perturbed,  ///< a conforming kernel whose output was disturbed by a known amount
    Defect,     ///< wrong: a mutant or a confirmed kernel
};

/// One measurement of one gate on one kernel. The kernel is the cluster: its samples are no independent evidence.
struct Sample {
    SampleKind kind = SampleKind::Conforming;
    std::string kernel;       ///< stable identity, never a row id
    std::string perturbation; ///< which kind of disturbance; empty unless Perturbed
    double scale = 0;         ///< its size, positive where Perturbed
    tensor::Measured value;   ///< error over bound
};

} // namespace assay::calibration
