// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"

#include <array>

namespace assay::contract::gates {

std::span<const Entry> registry()
{
    static constexpr std::array kEntries = {
        Entry{Gate::Cmp01, &inputVariation}, Entry{Gate::Exc01, &nonFinite},        Entry{Gate::Exc02, &subnormals},
        Entry{Gate::Ord02, &determinism},    Entry{Gate::Cmp03, &shapes},           Entry{Gate::Res01, &residency},
        Entry{Gate::Cmp02, &gradient},       Entry{Gate::Prc02, &accumulator},      Entry{Gate::Prc01, &dtypeRegimes},
        Entry{Gate::Ord01, &reductionOrder}, Entry{Gate::Ord03, &adversarialOrder}, Entry{Gate::Res02, &resources},
    };
    return kEntries;
}

} // namespace assay::contract::gates
