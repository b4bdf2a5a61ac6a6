// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/family.h"
#include "kernels/tensor/dtype.h"

#include <optional>
#include <string_view>

namespace assay::launch {

/// What a backward of the operator cannot do without, in chunks of 64.
struct BackwardCost {
    double bytesMinimum = 0;  ///< every input and do read once, every gradient written once
    double bytesOfStates = 0; ///< beyond that, where the states of the chunks and their gradients are written and read in 16 bits
    double operations = 0;    ///< multiplications and additions of the collapsed form, the forward's part computed anew
};

/// q k v do and gates that write or erase have @p dtype, decays and steps fp32, or fp64 where @p dtype is that. Products of
/// K x V count 16 a token with an erase gate, 10 without; products of the chunk's length 12 K + 10 V and 6 K + 4 V.
/// Source: gdn.md section 4, whose figures for K = V = 128 these are.
BackwardCost backwardCost(gdn::Family family, const gdn::Shape& shape, tensor::DType dtype);

/// How fast a device moves bytes and multiplies numbers of 16 bits.
struct DeviceRates {
    std::string_view device;
    double bytesPerSecond = 0;
    double operationsPerSecond = 0;
    std::string_view source;
};

/// The rates of the device that calls itself @p name ("NVIDIA H200"); nothing for one that nobody has measured here.
std::optional<DeviceRates> ratesOf(std::string_view name);

} // namespace assay::launch
