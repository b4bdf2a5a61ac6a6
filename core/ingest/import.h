// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"
#include "core/text/error.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace assay::ingest {

struct ImportSummary {
    std::string corpus;
    std::string format;
    store::WriterTotals totals;
    double seconds = 0;
};

/// Every importer of this build, most specific first.
std::span<const std::unique_ptr<Importer>> importers();

/// A format that there is not, or an option that the chosen format does not know; the remedy names those there are.
class UnknownChoice : public Error {
public:
    using Error::Error;
};

/// @throws UnknownChoice for a key of @p options that @p importer does not know
void requireKnownOptions(const Importer& importer, const ImportOptions& options);

/// The importer whose sniff() is surest, or the one named by @p format.
/// @throws UnknownChoice; Error "not a format Assay reads" with what was seen and the formats there are
const Importer& chooseImporter(const std::filesystem::path& path, const std::string& format);

/// A folder of files that ended early after some of its files were kept.
class PartlyImported : public Error {
public:
    PartlyImported(std::string what, std::string where, ImportSummary kept)
        : Error(std::move(what), std::move(where), "Import it again: what is there already is not added twice")
        , m_kept(std::move(kept))
    {
    }

    const ImportSummary& kept() const { return m_kept; }

private:
    ImportSummary m_kept;
};

/// Imports one file or one corpus folder in one transaction: all of it or nothing. A folder of files is a transaction per file;
/// each gets the options that its format knows. Results belong to the audit that the options name, else to one named after
/// their file; files of one row each, as harnesses write them kernel by kernel, share the audit named after their folder.
/// @throws UnknownChoice, Error, store::DatabaseError, Cancelled where nothing was kept; PartlyImported where some files of a
/// folder were
ImportSummary importPath(store::Database& database, const std::filesystem::path& path, const std::string& format,
                         const ImportOptions& options, const JobControl& control);

/// The summary as the JSON object of architecture.md section 4.
std::string toJson(const ImportSummary& summary);

} // namespace assay::ingest
