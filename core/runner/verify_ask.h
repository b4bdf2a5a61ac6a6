// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/threshold_choice.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace assay::runner {

/// A Python source and the name by which messages call it.
struct Source {
    std::string text;
    std::string name;
};

/// Reads a file whole. @param what  names it in the error: "the reference" @throws Error where it cannot be read
Source readSource(const std::filesystem::path& path, const std::string& what);

/// What a verify request asks for, on the side that sends it; see serve.h for the protocol.
struct VerifyAsk {
    Source reference;
    Source candidate;
    std::string device = "cpu";
    std::string contract = "strict"; ///< a profile's name, or a JSON object that readContract() takes
    std::vector<std::string> gates;  ///< only these; empty: those of the contract
    std::uint64_t seed = 0;
    double requestSeconds = 120; ///< longest that one call into the code may take
    bool unsafeNoSandbox = false;
    bool shrink = false;            ///< look for a smaller stimulus of what fails
    std::string baseline;           ///< harness whose claim is wanted too; "": none
    std::int64_t evidenceBytes = 0; ///< tensors of failing checks up to this size come with the verdict
    bool calibrate = false;         ///< also measure what thresholds are calibrated from
    TablePtr thresholds;            ///< calibrated ones; nothing: every limit is the rules' own
    std::string family;             ///< ingest::opFamily() of the task, which says whose thresholds; "": by its source alone
};

/// The request's members as WorkerClient::ask() takes them.
std::string membersOf(const VerifyAsk& ask);

} // namespace assay::runner
