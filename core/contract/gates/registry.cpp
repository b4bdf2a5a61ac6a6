// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"

#include <array>

namespace assay::contract::gates {

std::span<const Entry> registry()
{
    static constexpr std::array kEntries = {
        Entry{Gate::Cmp01, &inputVariation},
    };
    return kEntries;
}

} // namespace assay::contract::gates
