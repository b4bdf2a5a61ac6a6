// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/problem.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::gdn {

/// Published recurrences that are the operator with gates of a certain form.
enum class Family { Gdn2, Kda, Gdn, Delta, Gla, Mamba2, Mamba3 };

inline constexpr std::array kAllFamilies{Family::Gdn2, Family::Kda,    Family::Gdn,   Family::Delta,
                                         Family::Gla,  Family::Mamba2, Family::Mamba3};

/// Over what an input of a family varies.
enum class Extent {
    KeyChannels,   ///< [B, T, H, K]
    ValueChannels, ///< [B, T, H, V]
    Tokens,        ///< [B, T, H]
    Heads,         ///< [H]
};

struct FamilyInput {
    std::string_view name;
    Extent extent;
    std::string_view meaning;
};

/// "gdn2", "kda", "gdn", "delta", "gla", "mamba2", "mamba3"
std::string_view name(Family family);
/// "Gated DeltaNet-2", ...
std::string_view title(Family family);

std::optional<Family> familyNamed(std::string_view text);
/// Why @p text names no family that is computed: for Mamba-1 the reason, else the names there are.
std::string whyNoFamily(std::string_view text);

/// What the family takes, q k v first; its gradients have the same names with a d in front, and the same shapes.
std::span<const FamilyInput> inputsOf(Family family);

/// "[B, T, H, K]"
std::string_view letters(Extent extent);

/// What the letters stand for in a call of @p shape.
std::vector<std::int64_t> sizesOf(Extent extent, const Shape& shape);

} // namespace assay::gdn
