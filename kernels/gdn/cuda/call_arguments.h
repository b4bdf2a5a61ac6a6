// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/gdn_api.h"
#include "kernels/gdn/cuda/steps.h"

#include <cstdint>
#include <string>

/// From a call of the C interface to what kernels are given. Needs no CUDA.
namespace assay::gdn::cuda {

/// One line that names what is wrong with the call's sizes, or "".
std::string mistakeInSizes(const assay_gdn_call& call);
/// The same for all of the call: sizes, strides, alignment, missing tensors, working memory.
std::string mistakeIn(const assay_gdn_call& call, bool isBackward);

/// Meaningful where there is no mistake.
Sizes sizesOf(const assay_gdn_call& call);
/// One decay a token where g has one value for all channels.
Gate gateOf(const assay_gdn_call& call);
std::int64_t workspaceBytes(const assay_gdn_call& call, bool isBackward);
Arguments argumentsOf(const assay_gdn_call& call, bool isBackward);

} // namespace assay::gdn::cuda
