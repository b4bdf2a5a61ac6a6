// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"

#include <string>
#include <vector>

namespace assay::contract {

using tensor::HostTensor;

/// A parameter or buffer.
struct StateEntry {
    std::string name;
    bool isParameter = true;
    bool requiresGrad = false;
    HostTensor value;
};
using ModuleState = std::vector<StateEntry>;

} // namespace assay::contract
