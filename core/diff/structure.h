// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/axis_pattern.h"
#include "core/diff/failure_mask.h"
#include "core/diff/region_words.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::diff {

/// Where the marked elements of a tensor are, in words and with the shares that let a reader judge the words.
struct Structure {
    std::int64_t count = 0;          ///< elements of the tensor
    std::int64_t marked = 0;         ///< of these
    std::string where;               ///< "the last 37 columns of every 128th row (from row 127)", "" where no structure was found
    std::int64_t regionSize = 0;     ///< elements of that region
    std::int64_t markedInRegion = 0; ///< of these
    std::string second;              ///< another structure, without which `where` would not hold most; "" for one structure
    std::int64_t secondSize = 0;     ///< elements of its region
    std::int64_t markedInSecond = 0; ///< of these
    std::int64_t markedInBoth = 0;   ///< in both regions: counted in markedInRegion and in markedInSecond
    std::string spread;              ///< "each run ends where a chunk of 64 rows ends", "" where that is not so
    std::vector<std::vector<std::int64_t>> places; ///< indices of all marked elements where they are at most four

    bool hasLongAxis = false; ///< an axis beyond kLongestProfile was not looked along

    bool hasRegion() const { return !where.empty(); }
};

/// Looks along every axis and at the diagonal of the last two, and where no one structure holds nearly all marks, for two that do
/// together. Pure: the same mask gives the same words on every machine.
Structure findStructure(const FailureMask& mask, int threads = 0);

/// "4,736 elements (0.0071 %) differ: all in the last 37 columns of every 128th row (from row 127), where all do."
/// @param one, many  what is said of the elements: "differs", "differ"
std::string sentence(const Structure& structure, const std::string& one, const std::string& many);

/// "all", "97 %", "over 99.9 %": never rounds to all or to none what is not.
std::string shareText(std::int64_t part, std::int64_t whole);

} // namespace assay::diff
