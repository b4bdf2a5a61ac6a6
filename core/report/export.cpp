// SPDX-License-Identifier: Apache-2.0
#include "core/report/export.h"

#include "core/report/export_format.h"
#include "core/report/output_file.h"
#include "core/report/report.h"
#include "core/report/sql.h"
#include "core/report/tally.h"
#include "core/store/triage.h"
#include "core/text/json.h"

#include <SQLiteCpp/Column.h>

#include <unordered_set>

namespace assay::report {

namespace {

constexpr std::int64_t kRowsBetweenProgress = 1000;

/// How the lines of the newest imported file of @p corpusId that says so ended.
std::string lineEndingOf(store::Database& database, std::int64_t corpusId)
{
    return sql::guarded(database, [&] {
        SQLite::Statement options(database.sqlite(), R"sql(
            SELECT options FROM import_file WHERE corpus_id = ? AND options LIKE '%line_ending%' ORDER BY id DESC LIMIT 1)sql");
        options.bind(1, corpusId);
        json::Document document;
        if (!options.executeStep() || json::parse(options.getColumn(0).getText(), document))
            return std::string("\n");
        return json::stringAt(document, "line_ending") == "crlf" ? std::string("\r\n") : std::string("\n");
    });
}

std::unique_ptr<RowFormat> formatFor(store::Database& database, const store::Scope& scope, const ExportOptions& options)
{
    switch (options.format) {
    case ExportFormat::JsonLines:
        return makeJsonLinesFormat(lineEndingOf(database, scope.corpusId));
    case ExportFormat::Csv:
        return makeCsvFormat();
    case ExportFormat::Markdown:
        return makeMarkdownFormat(buildReport(database, scope.id, builtInRuleSets().front()));
    case ExportFormat::Html:
        return makeHtmlFormat(buildReport(database, scope.id, builtInRuleSets().front()));
    case ExportFormat::Verdicts:
        return makeVerdictsFormat(database, scope, options.evidenceBytes);
    }
    return nullptr;
}

} // namespace

ExportFormat exportFormatFromName(const std::string& name)
{
    if (name == "jsonl")
        return ExportFormat::JsonLines;
    if (name == "csv")
        return ExportFormat::Csv;
    if (name == "md")
        return ExportFormat::Markdown;
    if (name == "html")
        return ExportFormat::Html;
    if (name == "verdicts")
        return ExportFormat::Verdicts;
    throw Error("no export format is called \"" + name + "\"", "--format", "There are jsonl, csv, md, html, verdicts");
}

RowTexts textsOf(const ExportRow& row)
{
    RowTexts texts;
    texts.id = row.kernel.externalId;
    texts.title = row.kernel.title;
    texts.family = row.kernel.family;
    if (!row.verdict) {
        texts.status = texts.outcome = "not_judged";
        return texts;
    }
    contract::GateStrip strip;
    for (const store::GateRecord& gate : row.verdict->gates)
        strip.set(gate.gate, contract::stripCell(gate.verdict, gate.severity));
    texts.status = row.verdict->status;
    texts.outcome = contract::name(contract::stripCell(row.verdict->outcome, row.verdict->severity));
    texts.failedGates = gateList(strip.failMask(), ", ");
    texts.finding = row.verdict->finding;
    return texts;
}

ExportSummary exportRows(store::Database& database, std::int64_t scopeId, const ExportOptions& options, const Sink& sink)
{
    const store::InterruptOnStop interrupt(database, options.stop);
    const store::Scope scope = sql::scopeById(database, scopeId);
    std::optional<std::unordered_set<std::int64_t>> wanted;
    std::int64_t expected = scope.kernels;
    if (!options.filter.isEmpty()) {
        const std::vector<std::int64_t> ids = store::triageIds(database, scopeId, options.filter, {});
        wanted.emplace(ids.begin(), ids.end());
        expected = static_cast<std::int64_t>(wanted->size());
    }

    ExportSummary summary;
    const auto write = [&](const std::string& bytes) {
        sink(bytes);
        summary.bytes += static_cast<std::int64_t>(bytes.size());
    };
    const std::unique_ptr<RowFormat> format = formatFor(database, scope, options);
    write(format->start(expected));
    forEachExportRow(database, scope, wanted, [&](const ExportRow& row) {
        if (options.stop.stop_requested())
            throw Cancelled();
        write(format->row(row));
        ++summary.rows;
        if (options.progress && summary.rows % kRowsBetweenProgress == 0)
            options.progress(summary.rows, expected);
    });
    write(format->end());
    if (summary.rows != expected)
        throw Error("the rows changed while they were exported", database.path().string(),
                    "Export again when nothing is being imported");
    return summary;
}

ExportSummary exportFile(store::Database& database, std::int64_t scopeId, const ExportOptions& options,
                         const std::filesystem::path& path)
{
    OutputFile file(path);
    const ExportSummary summary = exportRows(database, scopeId, options, [&file](std::string_view bytes) { file.write(bytes); });
    file.commit();
    return summary;
}

} // namespace assay::report
