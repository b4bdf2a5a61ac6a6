// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/report/export.h"
#include "core/report/export_row.h"
#include "core/report/report.h"

#include <memory>
#include <string>

namespace assay::report {

/// Turns rows into the text of one format; one class a format, one file a class.
class RowFormat {
public:
    virtual ~RowFormat() = default;

    /// What stands before the first row. @p rows is how many will follow
    virtual std::string start(std::int64_t rows) const = 0;
    virtual std::string row(const ExportRow& row) const = 0;
    virtual std::string end() const = 0;
};

/// @p lineEnding  as the imported file had it, so that its bytes come back
std::unique_ptr<RowFormat> makeJsonLinesFormat(std::string lineEnding);
std::unique_ptr<RowFormat> makeCsvFormat();
/// @param report  shown above the rows
std::unique_ptr<RowFormat> makeMarkdownFormat(AuditReport report);
std::unique_ptr<RowFormat> makeHtmlFormat(AuditReport report);

/// @throws Error where @p scope is of no audit that the judge made
/// @param evidenceBytes  see ExportOptions
std::unique_ptr<RowFormat> makeVerdictsFormat(store::Database& database, const store::Scope& scope, std::int64_t evidenceBytes);

/// What a table of kernels says of one: id, title, family, status, outcome, failed gates, finding.
struct RowTexts {
    std::string id, title, family, status, outcome, failedGates, finding;
};
RowTexts textsOf(const ExportRow& row);

} // namespace assay::report
