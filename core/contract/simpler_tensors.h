// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"

#include <cstdint>
#include <vector>

namespace assay::contract {

using tensor::HostTensor;

/// The elements of @p value in the memory layout of @p pattern, which has as many dimensions and any sizes: the same order of
/// dimensions, padding, lead and repeated elements. A dimension is repeated only where @p value has equal elements along it.
HostTensor laidOutAs(const HostTensor& value, const HostTensor& pattern);

/// The block of @p value that begins at index @p from, in a layout like its own.
/// @throws std::invalid_argument  where the block leaves the tensor
HostTensor blockOf(const HostTensor& value, const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& shape);

/// @p value with every finite element replaced: NaN and infinities are what some checks are about.
enum class Simple { Zeros, Ones, Integers };
HostTensor simplified(const HostTensor& value, Simple how);

/// Row-major positions of finite elements that are not zero.
std::vector<std::int64_t> nonZero(const HostTensor& value);

/// @p value with zeros at @p positions.
HostTensor withZeros(const HostTensor& value, const std::vector<std::int64_t>& positions);

/// Row-major position of the first NaN or infinity, or -1.
std::int64_t firstNonFinite(const HostTensor& value);

} // namespace assay::contract
