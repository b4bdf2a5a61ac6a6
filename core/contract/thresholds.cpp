// SPDX-License-Identifier: Apache-2.0
#include "core/contract/thresholds.h"

#include <algorithm>

namespace assay::contract {

const ThresholdCell* Thresholds::find(Gate gate, tensor::DType dtype) const
{
    const auto it
        = std::ranges::find_if(cells, [&](const ThresholdCell& cell) { return cell.gate == gate && cell.dtype == dtype; });
    return it == cells.end() ? nullptr : &*it;
}

} // namespace assay::contract
