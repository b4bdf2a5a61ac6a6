// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/triage_filter.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace assay::report {

enum class ExportFormat { JsonLines, Csv, Markdown, Html, Verdicts };

/// "jsonl", "csv", "md", "html", "verdicts". @throws Error naming them
ExportFormat exportFormatFromName(const std::string& name);

struct ExportOptions {
    ExportFormat format = ExportFormat::JsonLines;
    store::TriageFilter filter;     ///< empty: every row of the scope
    std::int64_t evidenceBytes = 0; ///< verdicts: tensors of checks up to this size; larger ones are made again from their recipe
    std::stop_token stop;
    std::function<void(std::int64_t rows, std::int64_t of)> progress; ///< every thousand rows; may be empty
};

struct ExportSummary {
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
};

/// Takes the bytes of an export in order. @throws Error when they cannot be written
using Sink = std::function<void(std::string_view bytes)>;

/// Writes the rows of @p scopeId in the order they were imported.
///
/// JSON Lines: the published audit's row schema with Python's json.dumps(sort_keys=True) conventions; for an imported published
/// audit the bytes of the original. Verdicts that this schema has no word for become its nearest ("na" or "error").
/// CSV: RFC 4180, exact floats (shortest decimal that reads back), every gate's columns whether it ran or not.
/// Verdicts: what the judge said of every kernel, a line each, evidence included, which `assay import` reads back; only audits
/// that the judge made have them. Markdown and HTML: the report of the scope and a table of the rows.
/// @throws Error, Cancelled
ExportSummary exportRows(store::Database& database, std::int64_t scopeId, const ExportOptions& options, const Sink& sink);

/// The same into a file that appears whole or not at all: written beside @p path and renamed when complete. Something that is
/// no regular file (/dev/stdout, a pipe) is written directly.
/// @throws Error that names the path (disk full, no permission, no such folder), Cancelled
ExportSummary exportFile(store::Database& database, std::int64_t scopeId, const ExportOptions& options,
                         const std::filesystem::path& path);

} // namespace assay::report
