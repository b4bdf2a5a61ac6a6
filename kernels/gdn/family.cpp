// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/family.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::gdn {

namespace {

constexpr FamilyInput kQuery{"q", Extent::KeyChannels, "queries"};
constexpr FamilyInput kKey{"k", Extent::KeyChannels, "keys"};
constexpr FamilyInput kValue{"v", Extent::ValueChannels, "values"};
constexpr FamilyInput kStateOut{"q", Extent::KeyChannels, "C, how the state is read"};
constexpr FamilyInput kStateIn{"k", Extent::KeyChannels, "B, how the state is written"};
constexpr FamilyInput kX{"v", Extent::ValueChannels, "x"};
constexpr FamilyInput kDecays{"g", Extent::KeyChannels, "log decay, at most 0"};
constexpr FamilyInput kDecay{"g", Extent::Tokens, "log decay, at most 0"};
constexpr FamilyInput kBeta{"beta", Extent::Tokens, "erases and writes alike"};
constexpr FamilyInput kStep{"dt", Extent::Tokens, "step size"};

constexpr std::array kGdn2{kQuery,
                           kKey,
                           kValue,
                           FamilyInput{"b", Extent::KeyChannels, "erase gate"},
                           FamilyInput{"w", Extent::ValueChannels, "write gate"},
                           kDecays};
constexpr std::array kKda{kQuery, kKey, kValue, kBeta, kDecays};
constexpr std::array kGdn{kQuery, kKey, kValue, kBeta, kDecay};
constexpr std::array kDelta{kQuery, kKey, kValue, kBeta};
constexpr std::array kGla{kQuery, kKey, kValue, kDecays};
constexpr std::array kMamba2{kStateOut, kStateIn, kX, kStep, FamilyInput{"A", Extent::Heads, "decay rate, below 0"}};
// q and k are already rotated by the cumulated angles, which lie outside the recurrence.
constexpr std::array kMamba3{
    kStateOut,
    kStateIn,
    kX,
    kStep,
    FamilyInput{"A", Extent::Tokens, "decay rate, below 0"},
    FamilyInput{"lambda", Extent::Tokens, "share of a token's own step, the rest goes to the one before"}};

struct Description {
    Family family;
    std::string_view name;
    std::string_view title;
    std::span<const FamilyInput> inputs;
};

const std::array<Description, kAllFamilies.size()> kDescriptions{{
    {Family::Gdn2, "gdn2", "Gated DeltaNet-2", kGdn2},
    {Family::Kda, "kda", "Kimi Delta Attention", kKda},
    {Family::Gdn, "gdn", "Gated DeltaNet", kGdn},
    {Family::Delta, "delta", "DeltaNet", kDelta},
    {Family::Gla, "gla", "Gated linear attention", kGla},
    {Family::Mamba2, "mamba2", "Mamba-2", kMamba2},
    {Family::Mamba3, "mamba3", "Mamba-3, one input and one output", kMamba3},
}};

const Description& describe(Family family)
{
    return *std::ranges::find(kDescriptions, family, &Description::family);
}

} // namespace

std::string_view name(Family family)
{
    return describe(family).name;
}

std::string_view title(Family family)
{
    return describe(family).title;
}

std::optional<Family> familyNamed(std::string_view text)
{
    const auto found = std::ranges::find(kDescriptions, text, &Description::name);
    return found == kDescriptions.end() ? std::nullopt : std::optional(found->family);
}

std::string whyNoFamily(std::string_view text)
{
    if (text == "mamba1" || text == "mamba")
        return "Mamba-1 decays every element of its K x V state at a rate of its own, this operator one rate per key channel";
    std::string names;
    for (const Description& known : kDescriptions)
        names += (names.empty() ? "" : ", ") + std::string(known.name);
    return fmt::format("no family is called \"{}\", there are {}", text, names);
}

std::span<const FamilyInput> inputsOf(Family family)
{
    return describe(family).inputs;
}

std::string_view letters(Extent extent)
{
    switch (extent) {
    case Extent::KeyChannels:
        return "[B, T, H, K]";
    case Extent::ValueChannels:
        return "[B, T, H, V]";
    case Extent::Tokens:
        return "[B, T, H]";
    case Extent::Heads:
        break;
    }
    return "[H]";
}

std::vector<std::int64_t> sizesOf(Extent extent, const Shape& shape)
{
    switch (extent) {
    case Extent::KeyChannels:
        return {shape.batch, shape.tokens, shape.heads, shape.keys};
    case Extent::ValueChannels:
        return {shape.batch, shape.tokens, shape.heads, shape.values};
    case Extent::Tokens:
        return {shape.batch, shape.tokens, shape.heads};
    case Extent::Heads:
        break;
    }
    return {shape.heads};
}

} // namespace assay::gdn
