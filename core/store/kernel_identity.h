// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sampling/draw.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::store {

/// What a kernel is on every machine: its two sources where both are known, else its id in its corpus.
struct KernelIdentity {
    std::string_view candidateSha256; ///< 64 hex digits, "" where not both sources are known
    std::string_view referenceSha256;
    std::string_view corpus;
    std::string_view externalId;

    bool hasSources() const { return !candidateSha256.empty() && !referenceSha256.empty(); }
};

/// "CANDIDATE SHA:REFERENCE SHA" or "corpus/external id".
std::string toText(const KernelIdentity& identity);

/// The first 64 bits of a hash that is written in hex.
std::uint64_t leadingBits(std::string_view hex);

/// The first 64 bits of both source hashes, or the first 128 of SHA-256 over corpus, a zero byte and external id.
sampling::ItemDigest digestOf(const KernelIdentity& identity);

} // namespace assay::store
