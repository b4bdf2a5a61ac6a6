// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace assay::gdn::cuda {

/// "sm_80, sm_90a, sm_100a (assembled, not executed)"
const char* imagesText();

/// Why the kernels cannot be used on a device, in one line, or "". Found out once a device: there is a driver and an image for
/// the device, a block may have the shared memory that the plan needs, and small problems come out as the CPU computes them.
std::string refusalOf(int device);

} // namespace assay::gdn::cuda
