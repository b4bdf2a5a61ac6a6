// SPDX-License-Identifier: Apache-2.0
#include "core/contract/stimulus_hash.h"

#include "core/contract/party.h"
#include "core/text/sha256.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::contract {

std::string stimulusHash(const Stimulus& stimulus)
{
    Sha256 hash;
    for (const HostTensor& leaf : stimulus.leaves) {
        hash.update(fmt::format("{}[{}];", tensor::name(leaf.dtype()), fmt::join(leaf.shape(), ",")));
        const HostTensor rows = leaf.contiguous();
        const auto bytes = rows.bytes();
        hash.update({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return hash.finishHex();
}

} // namespace assay::contract
