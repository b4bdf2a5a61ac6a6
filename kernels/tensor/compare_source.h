// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay::tensor {

/// The text of compare_kernels.cu with device_layout.h in its place, ready for NVRTC.
std::string_view compareSource();

} // namespace assay::tensor
