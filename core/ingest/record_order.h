// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::ingest {

/// One evaluation record of a folder, by what says which kernel it judged.
struct OrderedRecord {
    long number = 0;                   ///< of the file name ("eval_0097")
    std::string timestamp;             ///< as the record says, sortable ("2025-12-12T21:20:26"), or ""
    std::optional<std::size_t> kernel; ///< index of the kernel that the record names, or its traceback mentions
};

/// Which kernel each record judged, where only order can tell.
///
/// Kernels are given in order of their time stamps. A folder may hold several runs: numbers that follow one another are one run,
/// and runs are put in order of their time stamps first. Records that name their kernel are fixed points; between two of them the
/// others are matched one to one if there are as many kernels as records. After the last fixed point there may be more kernels
/// than records, since a run can stop before its last kernel is judged. Everything else stays unmatched.
/// @return for each record the index of a kernel, or nothing
std::vector<std::optional<std::size_t>> matchByOrder(const std::vector<OrderedRecord>& records, std::size_t kernels);

} // namespace assay::ingest
