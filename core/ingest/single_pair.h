// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <string>

namespace assay::ingest {

/// One kernel that a person brought as two files.
struct SinglePair {
    std::string reference; ///< source
    std::string candidate; ///< source
    std::string path;      ///< of the candidate: names the kernel
    std::string corpus = "verify";
    std::string title{};    ///< "": the stem of the path
    std::string family{};   ///< of operations; "": as title and reference look
    std::string language{}; ///< "": as the candidate looks
};

struct StoredPair {
    std::int64_t corpusId = 0;
    std::int64_t kernelId = 0;
    std::string externalId; ///< by which people name it: `assay show`
};

/// Stores @p pair as a kernel of its corpus, which is made where it is missing. A pair whose very sources are in the
/// database already, in whatever corpus, is that kernel. @throws store::DatabaseError
StoredPair addPair(store::Database& database, const SinglePair& pair);

} // namespace assay::ingest
