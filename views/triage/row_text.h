// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/triage.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace assay::views {

/// How rows leave the list.
enum class RowFormat { Tsv, Csv, Markdown, JsonLines };

/// The format that the suffix of @p path asks for (.tsv, .csv, .md, .jsonl), or nothing.
std::optional<RowFormat> rowFormatOf(const QString& path);

/// Writes rows of the kernel list as text, with the columns and in the order that the list shows.
///
/// Numbers are exact (shortest text that reads back to the same double), classes are words. The gate strip is twelve columns of
/// verdict names in TSV and CSV, an object in JSON Lines, and the list of failing gates in Markdown.
class RowText {
public:
    RowText(RowFormat format, std::vector<store::TriageColumn> columns);

    /// Appends the header, where the format has one.
    void appendHeader(std::string& out) const;
    void appendRow(std::string& out, const store::TriageRow& row) const;

private:
    std::vector<std::string> headers() const;
    std::vector<std::string> cells(const store::TriageRow& row) const;
    void appendLine(std::string& out, const std::vector<std::string>& cells) const;
    static void appendJson(std::string& out, const store::TriageRow& row, const std::vector<store::TriageColumn>& columns);

    RowFormat m_format;
    std::vector<store::TriageColumn> m_columns;
};

} // namespace assay::views
