// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::contract {

/// The twelve gates, in the order of the gate strip (CMP | EXC | ORD | PRC | RES).
enum class Gate : std::uint8_t { Cmp01, Cmp02, Cmp03, Exc01, Exc02, Ord01, Ord02, Ord03, Prc01, Prc02, Res01, Res02 };

inline constexpr int kGateCount = 12;

inline constexpr std::array<Gate, kGateCount> kAllGates
    = {Gate::Cmp01, Gate::Cmp02, Gate::Cmp03, Gate::Exc01, Gate::Exc02, Gate::Ord01,
       Gate::Ord02, Gate::Ord03, Gate::Prc01, Gate::Prc02, Gate::Res01, Gate::Res02};

constexpr int indexOf(Gate gate)
{
    return static_cast<int>(gate);
}

/// "CMP-01" and so on: the spelling of the database, the command line and the window.
std::string_view id(Gate gate);

/// The gate spelled @p text ("CMP-01", any case; "cmp01" too), or nothing.
std::optional<Gate> gateFromId(std::string_view text);

/// What the gate judges, in a few words fit for a column header's tool tip ("value under input variation").
std::string_view title(Gate gate);

/// The two- or three-letter group that the strip leaves a gap between ("CMP").
std::string_view group(Gate gate);

} // namespace assay::contract
