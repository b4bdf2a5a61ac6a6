// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace assay::sampling {

enum class AllocationRule {
    Proportional, ///< by size
    Equal,        ///< the same number for each
    Neyman,       ///< by size times spread, which makes the interval of the whole the narrowest
};

/// "proportional", "equal", "neyman".
std::string_view name(AllocationRule rule);
std::optional<AllocationRule> allocationRuleFromName(std::string_view text);

/// One stratum as an allocation sees it.
struct StratumPrior {
    std::int64_t population = 0;
    std::int64_t priorSuccesses = 0; ///< Neyman: what earlier labels said of this stratum; 0 of 0 where nothing is known
    std::int64_t priorTrials = 0;
};

/// Strata of at most so many items are taken whole: a sample of them could say little.
inline constexpr std::int64_t kCensusSize = 3;
/// Every other stratum gets at least so many, because one item shows no spread.
inline constexpr std::int64_t kFewestItems = 2;

/// Splits a sample of @p total items over @p strata, with the census of small strata and the fewest items of the others taken
/// care of first, shares rounded by largest remainder (ties: the larger stratum, then the earlier one), and no stratum asked
/// for more than it has. Spread under Neyman is sqrt(p (1 - p)) with p = (successes + 1/2) / (trials + 1).
/// @return how many of each stratum. They add up to @p total, but to more where the minima ask for more, and to less where the
/// population has less.
/// Source: gates.md section 8.
std::vector<std::int64_t> allocate(std::span<const StratumPrior> strata, std::int64_t total, AllocationRule rule);

} // namespace assay::sampling
