// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/row_text.h"

#include "core/text/json.h"
#include "views/triage/column_catalog.h"
#include "views/triage/triage_words.h"

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;
using store::TriageColumn;
using store::TriageRow;
using tensor::Measured;

namespace {

std::string exact(const std::optional<double>& value)
{
    return value ? json::exactNumber(*value) : std::string();
}

/// Finite numbers exactly, classes in the words of the window.
std::string exact(const Measured& value)
{
    return value.isFinite() ? json::exactNumber(value.value) : words::errorText(value).toStdString();
}

std::string count(const std::optional<int>& value)
{
    return value ? std::to_string(*value) : std::string();
}

std::string exercised(const TriageRow& row)
{
    if (!row.exercised)
        return {};
    return row.total ? count(row.exercised) + " of " + count(row.total) : count(row.exercised);
}

std::vector<std::string> flags(const TriageRow& row)
{
    std::vector<std::string> set;
    if (row.bookmarked)
        set.emplace_back("bookmarked");
    if (row.hasNote)
        set.emplace_back("noted");
    if (row.waived)
        set.emplace_back("waived");
    if (row.hasSource)
        set.emplace_back("sourced");
    return set;
}

std::string joined(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : " ") + part;
    return text;
}

/// The cell of every column but Gates.
std::string cellText(const TriageRow& row, TriageColumn column)
{
    switch (column) {
    case TriageColumn::Id:
        return row.externalId;
    case TriageColumn::Title:
        return row.title;
    case TriageColumn::Family:
        return row.family;
    case TriageColumn::Language:
        return row.language;
    case TriageColumn::Outcome:
        return row.outcome;
    case TriageColumn::Status:
        return row.status;
    case TriageColumn::Claim:
        return row.claim;
    case TriageColumn::Baseline:
        return row.baseline;
    case TriageColumn::Gates:
        return words::failingGates(row.strip).toStdString();
    case TriageColumn::Reason:
        return row.leadReason.empty() ? row.leadGate : row.leadGate + ' ' + row.leadReason;
    case TriageColumn::HardFailures:
        return std::to_string(row.hardFailures);
    case TriageColumn::SoftFailures:
        return std::to_string(row.softFailures);
    case TriageColumn::Exercised:
        return exercised(row);
    case TriageColumn::Error:
        return exact(row.error);
    case TriageColumn::Relative:
        return exact(row.relative);
    case TriageColumn::Speedup:
        return exact(row.speedup);
    case TriageColumn::Elapsed:
        return exact(row.elapsedSeconds);
    case TriageColumn::Flags:
        return joined(flags(row));
    }
    return {};
}

/// Tabs and line breaks would break the row apart in a spreadsheet.
void appendTsv(std::string& out, const std::string& cell)
{
    for (const char c : cell)
        out += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

void appendCsv(std::string& out, const std::string& cell)
{
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
        out += cell;
        return;
    }
    out += '"';
    for (const char c : cell) {
        if (c == '"')
            out += '"';
        out += c;
    }
    out += '"';
}

void appendMarkdown(std::string& out, const std::string& cell)
{
    for (const char c : cell) {
        if (c == '|')
            out += '\\';
        out += c == '\n' || c == '\r' ? ' ' : c;
    }
}

void writeText(json::Writer& writer, const std::string& text)
{
    writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void writeOptional(json::Writer& writer, const std::optional<double>& value)
{
    if (value)
        json::writeNumber(writer, *value);
    else
        writer.Null();
}

void writeCell(json::Writer& writer, const TriageRow& row, TriageColumn column)
{
    switch (column) {
    case TriageColumn::Gates:
        writer.StartObject();
        for (const contract::Gate gate : contract::kAllGates) {
            if (row.strip.cell(gate) == contract::StripCell::Absent)
                continue;
            writeText(writer, std::string(contract::id(gate)));
            writeText(writer, std::string(contract::name(row.strip.cell(gate))));
        }
        writer.EndObject();
        return;
    case TriageColumn::HardFailures:
        writer.Int(row.hardFailures);
        return;
    case TriageColumn::SoftFailures:
        writer.Int(row.softFailures);
        return;
    case TriageColumn::Error:
        json::writeMeasured(writer, row.error);
        return;
    case TriageColumn::Relative:
        json::writeMeasured(writer, row.relative);
        return;
    case TriageColumn::Speedup:
        writeOptional(writer, row.speedup);
        return;
    case TriageColumn::Elapsed:
        writeOptional(writer, row.elapsedSeconds);
        return;
    case TriageColumn::Flags:
        writer.StartArray();
        for (const std::string& flag : flags(row))
            writeText(writer, flag);
        writer.EndArray();
        return;
    default:
        writeText(writer, cellText(row, column));
    }
}

} // namespace

std::optional<RowFormat> rowFormatOf(const QString& path)
{
    if (path.endsWith(u".tsv"_s, Qt::CaseInsensitive))
        return RowFormat::Tsv;
    if (path.endsWith(u".csv"_s, Qt::CaseInsensitive))
        return RowFormat::Csv;
    if (path.endsWith(u".md"_s, Qt::CaseInsensitive))
        return RowFormat::Markdown;
    if (path.endsWith(u".jsonl"_s, Qt::CaseInsensitive))
        return RowFormat::JsonLines;
    return std::nullopt;
}

RowText::RowText(RowFormat format, std::vector<TriageColumn> columns)
    : m_format(format)
    , m_columns(std::move(columns))
{
}

std::vector<std::string> RowText::headers() const
{
    std::vector<std::string> headers;
    for (const TriageColumn column : m_columns) {
        if (column == TriageColumn::Gates && m_format != RowFormat::Markdown) {
            for (const contract::Gate gate : contract::kAllGates)
                headers.emplace_back(contract::id(gate));
        } else {
            headers.push_back(column == TriageColumn::Gates ? "fails" : columnInfo(column).key.latin1());
        }
    }
    return headers;
}

std::vector<std::string> RowText::cells(const TriageRow& row) const
{
    std::vector<std::string> cells;
    for (const TriageColumn column : m_columns) {
        if (column == TriageColumn::Gates && m_format != RowFormat::Markdown) {
            for (const contract::Gate gate : contract::kAllGates)
                cells.emplace_back(contract::name(row.strip.cell(gate)));
        } else {
            cells.push_back(cellText(row, column));
        }
    }
    return cells;
}

void RowText::appendLine(std::string& out, const std::vector<std::string>& cells) const
{
    const bool markdown = m_format == RowFormat::Markdown;
    if (markdown)
        out += "| ";
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (i > 0)
            out += markdown ? " | " : m_format == RowFormat::Csv ? "," : "\t";
        if (markdown)
            appendMarkdown(out, cells[i]);
        else if (m_format == RowFormat::Csv)
            appendCsv(out, cells[i]);
        else
            appendTsv(out, cells[i]);
    }
    out += markdown ? " |\n" : "\n";
}

void RowText::appendHeader(std::string& out) const
{
    if (m_format == RowFormat::JsonLines)
        return;
    appendLine(out, headers());
    if (m_format != RowFormat::Markdown)
        return;
    out += '|';
    for (const TriageColumn column : m_columns)
        out += columnInfo(column).number ? " ---: |" : " --- |";
    out += '\n';
}

void RowText::appendRow(std::string& out, const TriageRow& row) const
{
    if (m_format == RowFormat::JsonLines)
        appendJson(out, row, m_columns);
    else
        appendLine(out, cells(row));
}

void RowText::appendJson(std::string& out, const TriageRow& row, const std::vector<TriageColumn>& columns)
{
    rapidjson::StringBuffer buffer;
    json::Writer writer(buffer);
    writer.StartObject();
    for (const TriageColumn column : columns) {
        writer.Key(columnInfo(column).key.latin1());
        writeCell(writer, row, column);
    }
    writer.EndObject();
    out.append(buffer.GetString(), buffer.GetSize());
    out += '\n';
}

} // namespace assay::views
