// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/records.h"

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::store {

/// Stores an aggregate file verbatim with its figures. A document of the same file name with other content is kept beside the
/// first under "NAME (2)", so that figures of different machines or dates stay apart.
/// @return false when the corpus has the very same document already
bool storePublished(SQLite::Database& database, std::int64_t corpusId, std::int64_t importFileId, std::string_view kind,
                    const std::string& sourceFile, std::string_view document, const std::vector<PublishedFigure>& figures);

} // namespace assay::store
