// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/kernel_lookup.h"
#include "core/store/records.h"
#include "core/store/source_store.h"

#include <optional>
#include <string>

namespace assay::store {

/// First 64 bits of the SHA-256 of what identifies a row.
std::int64_t rowHashOf(const ImportedItem& item);

/// A source as a row brings it: hash, and id where it is stored already.
struct IncomingSource {
    bool present = false;
    std::string sha256;
    std::int64_t id = 0;
};

/// Which kernel a row is about.
struct RowMatch {
    std::optional<KernelSources> kernel; ///< nothing: a new one
    std::optional<KernelSources> twin;   ///< turns out to be the same kernel and is joined into it
    std::string problem;                 ///< not empty: the row cannot be kept
};

/// @p source, or nothing and the SHA-256 that a row names it by ("" for none)
IncomingSource incomingSource(SourceStore& sources, const std::optional<std::string>& source, const std::string& namedSha256);

/// The kernel that a row with this id and these sources is about; CorpusWriter tells the rules.
RowMatch matchRow(KernelLookup& lookup, const std::string& externalId, const IncomingSource& candidate,
                  const IncomingSource& reference);

} // namespace assay::store
