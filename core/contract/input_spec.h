// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/input_domain.h"
#include "kernels/tensor/host_tensor.h"

#include <cstdint>
#include <vector>

namespace assay::contract {

/// What the task's own draw says about one input leaf: the alphabet and range that stimuli keep to.
struct InputSpec {
    tensor::DType dtype = tensor::DType::Float32;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> layout; ///< strides
    bool isFloating = false;
    bool isMask = false; ///< holds nothing but 0 and 1, both of them or in a type that is not floating
    double low = 0;      ///< smallest and largest finite value
    double high = 0;
    double largest = 0; ///< largest finite |value|
    double rms = 0;
    double meanOfMask = 0; ///< share of ones
    InputDomain domain;    ///< that the contract names; else everything

    std::int64_t count() const;
    /// A floating input whose values may be anything that its domain holds.
    bool isFree() const { return isFloating && !isMask; }
};

/// Describes the leaves of a native draw.
std::vector<InputSpec> describe(const std::vector<tensor::HostTensor>& leaves);

} // namespace assay::contract
