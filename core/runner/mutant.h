// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/verdict.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::runner {

/// One known breakage of the red team, as its mutant.json tells it (resources/mutants/README.md).
struct Mutant {
    /// The files of the broken form and of its twin that is right.
    struct Forms {
        std::filesystem::path broken;
        std::filesystem::path conforming;
    };

    std::string folder; ///< "01-returns-input"
    std::string id;     ///< "returns-input"
    std::string number; ///< "1" to "19" of the published red team, "E1" to "E12" of its extension
    std::string behaviour;
    std::vector<contract::Gate> gates; ///< that have to catch it; one of them suffices
    contract::Severity severity = contract::Severity::Hard;
    contract::Verdict verdict = contract::Verdict::Fail; ///< what the broken form has to end in
    std::filesystem::path reference;
    std::string profile;
    std::string failsWith;              ///< JSON members of a contract under which it has to fail; "" where there are none
    std::map<std::string, Forms> forms; ///< by device: "cpu", "cuda"
};

/// Every mutant below @p folder, 1 to 19, then E1 to E12.
/// @throws Error  naming the file and what is wrong with it, or the folder where it holds none
std::vector<Mutant> loadMutants(const std::filesystem::path& folder);

/// Whether the broken form counts against a candidate at all: some are only worth a note, because the contract allows them.
bool isCharged(const Mutant& mutant);

/// Whether it is one of the published nineteen.
bool isPublished(const Mutant& mutant);

} // namespace assay::runner
