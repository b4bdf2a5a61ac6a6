// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"

#include <memory>
#include <span>
#include <string>

namespace assay::ingest {

struct ImportSummary {
    std::string corpus;
    std::string format;
    store::WriterTotals totals;
    double seconds = 0;
};

/// Every importer of this build, most specific first.
std::span<const std::unique_ptr<Importer>> importers();

/// The importer whose sniff() is surest, or the one named by @p format.
/// @throws Error "not a format Assay reads" with what was seen and the formats there are
const Importer& chooseImporter(const std::filesystem::path& path, const std::string& format);

/// Imports one file or folder in one transaction: all of it or nothing.
/// @throws Error, store::DatabaseError, Cancelled
ImportSummary importPath(store::Database& database, const std::filesystem::path& path, const std::string& format,
                         const ImportOptions& options, const JobControl& control);

/// The summary as the JSON object of architecture.md section 4.
std::string toJson(const ImportSummary& summary);

} // namespace assay::ingest
