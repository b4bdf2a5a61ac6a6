// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/mask_profile.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::diff {

/// Which indices of an axis hold the marked elements.
struct AxisPattern {
    enum class Kind {
        Interval, ///< `begin` to `end` - 1
        Few,      ///< the indices listed in `few`
        Periodic, ///< `begin` to `end` - 1 of every `period`, as remainders
    };
    Kind kind = Kind::Interval;
    std::int64_t size = 0; ///< of the axis
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t period = 0;
    std::vector<std::int64_t> few;

    bool contains(std::int64_t index) const;
    std::int64_t countIndices() const;
};

inline constexpr double kLargestChance = 1e-4; ///< of a pattern in scattered marks
inline constexpr double kExplained = 0.95;     ///< least share of the marked elements that a pattern has to hold

/// The pattern that says most about where along the axis the marked elements are, or nothing where chance gives as good a one.
///
/// Few indices win over a period, a period over an interval. Each has to hold kExplained of the marked elements, to leave out at
/// least half of the axis, and to be what uniformly scattered marks give in fewer than one of 10^4 tensors.
std::optional<AxisPattern> findPattern(const AxisProfile& axis, std::int64_t marked);

/// Patterns that stand out from what is around them along the axis, the one that explains most of what stands out first.
///
/// The median index is taken for the surroundings, so another structure that crosses the axis evenly does not hide a pattern.
/// Each has to leave out at least half of the axis and to hold what marks scattered like the surroundings give in fewer than one
/// of 10^4 tensors; it may hold any share of the marks.
std::vector<AxisPattern> findOutstanding(const AxisProfile& axis, std::int64_t marked);

/// log10 of how many patterns of this kind there are to choose from: chance has as many tries.
double choicesOf(const AxisPattern& pattern);

/// Marked elements at the indices of a pattern.
std::int64_t countMarked(const AxisProfile& axis, const AxisPattern& pattern);

/// The most marks that a pattern could hold: those of the richest half of the axis.
std::int64_t mostInPattern(const AxisProfile& axis);

/// Runs that end where chunks of `size` indices end.
struct ChunkPattern {
    std::int64_t size = 0;
    bool isWhole = false; ///< they begin where chunks begin, too
    double share = 0;     ///< of the runs
};

/// The largest chunk at whose ends kExplained of the runs end, at three ends or more.
std::optional<ChunkPattern> findChunks(const AxisProfile& axis);

} // namespace assay::diff
