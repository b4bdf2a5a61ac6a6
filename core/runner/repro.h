// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/store/kernel_details.h"

#include <filesystem>
#include <string>
#include <vector>

namespace assay::runner {

/// What a folder that shows a failure holds.
struct ReproFolder {
    std::filesystem::path path;
    std::string check;   ///< code of the check that it shows
    std::string finding; ///< one sentence
    std::string command; ///< what to run in it
    std::string remark;  ///< how its stimulus became smaller than the judge's; "" where it is that one
};

/// Writes a folder that shows one failure without Assay: reference.py, candidate.py, the tensors of the call as raw bytes,
/// case.json, run_repro.py (torch only; exit status 1 where the failure shows) and README.md.
/// Where a smaller stimulus was found on which the check fails alike, the folder shows that one.
/// @param gate    whose worst check is shown
/// @param folder  must not exist, or be empty
/// @throws Error  where the gate did not fail, its failure is about more than one call, its tensors were too large to keep, a
/// source
///                is missing, or the folder cannot be written
ReproFolder writeRepro(store::Database& database, const store::KernelDetails& details, contract::Gate gate,
                       const std::filesystem::path& folder);

} // namespace assay::runner
