// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"
#include "core/ingest/line_reader.h"
#include "core/text/json.h"

#include <functional>

namespace assay::ingest {

/// Calls @p row for every line of a JSON Lines file that parses to an object, and rejects every other line with its byte and
/// reason.
/// @p row adds or rejects its line; throwing Error from it rejects the line with the error's problem and its `where`, else the
/// row's id, as item. The document is only valid during the call. A file that holds no line at all is an Error.
/// @throws Error, Cancelled
void forEachJsonLine(const std::filesystem::path& path, store::CorpusWriter& writer, const JobControl& control,
                     const std::function<void(const Line&, const json::Document&)>& row);

} // namespace assay::ingest
