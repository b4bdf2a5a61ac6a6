// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/family_problem.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace assay::launch {

/// What `assay gdn run` is asked for.
struct FileRunAsk {
    std::filesystem::path in;
    std::filesystem::path out;
    gdn::Family family = gdn::Family::Gdn2;
    std::optional<double> scale; ///< absent: K^{-1/2}
    int chunk = 64;
    bool isSerial = false;  ///< token by token
    bool isForward = false; ///< without gradients
    int threads = 0;
};

struct FileRun {
    FileRunAsk ask;
    gdn::Shape shape;
    double scale = 1;
    std::string kernel;                    ///< "chunks of 64, fp64"
    std::vector<gdn::NamedTensor> written; ///< in the file's types
    double seconds = 0;                    ///< of computing
};

/// Computes in fp64 on the CPU and writes what comes out, each gradient rounded once to its input's type, o to v's, states to
/// that of S0 or v. A file appears whole or not at all.
/// @throws Error, Cancelled
FileRun runFile(const FileRunAsk& ask, std::stop_token stop);

std::string toJson(const FileRun& run);
std::string toText(const FileRun& run);

} // namespace assay::launch
