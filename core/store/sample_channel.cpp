// SPDX-License-Identifier: Apache-2.0
#include "core/store/sample_channel.h"

#include <array>
#include <optional>
#include <span>

namespace assay::store {

namespace {

using contract::Gate;

constexpr std::array kBeforeAliasing = {Gate::Exc01, Gate::Ord02, Gate::Cmp03};
constexpr std::array kAfterPreGate
    = {Gate::Cmp01, Gate::Prc02, Gate::Exc02, Gate::Ord01, Gate::Ord03, Gate::Prc01, Gate::Res01, Gate::Cmp02, Gate::Res02};

std::optional<std::string_view> firstFailing(const contract::GateStrip& strip, std::span<const Gate> gates)
{
    for (const Gate gate : gates) {
        if (contract::isFailing(strip.cell(gate)))
            return contract::id(gate);
    }
    return std::nullopt;
}

} // namespace

std::string_view primaryChannel(const ChannelFacts& facts)
{
    if (const auto gate = firstFailing(facts.strip, kBeforeAliasing))
        return *gate;
    if (facts.aliasing)
        return "aliasing";
    if (facts.outcome == "crash" || facts.outcome == "timeout")
        return facts.strip.packed() == 0 ? "pre_gate" : "crash";
    return firstFailing(facts.strip, kAfterPreGate).value_or("none");
}

} // namespace assay::store
