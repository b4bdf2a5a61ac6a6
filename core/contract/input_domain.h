// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Preconditions of a task that its reference does not state: a contract names them, and no stimulus leaves them.
namespace assay::contract {

using tensor::HostTensor;

/// Where the values of one input lie. A decay is at most 0, a gate between 0 and 1, a key no longer than 1: beyond that the
/// operation is defined and nobody owes it.
struct InputDomain {
    int input = 0;
    std::optional<double> low;
    std::optional<double> high;
    std::optional<double> rowNorm; ///< of every row along the last dimension, at most

    /// Whether single values are bounded: then no pattern of signs or of integers can be written into the input.
    bool isBounded() const { return low || high; }
    /// Whether one element may be @p value; NaN always may, which is an accident and none of a domain's business.
    bool holds(double value) const;
    bool operator==(const InputDomain&) const = default;
};

/// The sizes that one dimension of an input may have.
struct SizeDomain {
    int input = 0;
    int dimension = 0;
    std::vector<std::int64_t> allowed;

    bool operator==(const SizeDomain&) const = default;
};

/// @p value brought into @p domain, in its own layout: what is inside stays as it is, what is outside is mirrored at the bound it
/// crossed, and rows that are too long are shortened. Infinities beyond a bound become that bound where there are two, the other
/// infinity where there is one. Rows that hold NaN or Inf keep their length.
HostTensor within(const HostTensor& value, const InputDomain& domain);

/// Why inputs of these shapes are outside @p domains; "" where they are not. Dimensions that an input does not have are not
/// looked at.
std::string outsideOf(const std::vector<SizeDomain>& domains, const std::vector<HostTensor>& inputs);

} // namespace assay::contract
