// SPDX-License-Identifier: Apache-2.0
#include "app/cli/scope_options.h"
#include "app/cli/verb.h"
#include "core/report/export.h"
#include "core/runner/campaign.h"
#include "core/store/triage_filter.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace assay::cli {

namespace {

std::string summaryJson(const report::ExportSummary& summary, const std::string& format, const std::string& out)
{
    json::ObjectText object("assay.export/1");
    object.text("format", format);
    object.integer("rows", summary.rows);
    object.integer("bytes", summary.bytes);
    object.text("out", out);
    return object.finish();
}

class ExportVerb final : public Verb {
public:
    std::string_view name() const override { return "export"; }
    std::string_view summary() const override
    {
        return "Write the rows of an audit as JSON Lines, CSV, Markdown, HTML or verdicts";
    }

    std::string_view help() const override
    {
        return "jsonl has the row schema of the published audit; for an imported published audit it is the original, byte for "
               "byte.\n"
               "verdicts is what the judge said, a line a kernel with its evidence: `assay import` reads it back, here or "
               "elsewhere.\n"
               "csv has exact floats and RFC 4180 quoting. md and html are the report with a table of the rows. A file appears "
               "whole or\n"
               "not at all. --where takes the filter line of the window: family:scan gate:EXC-01 error>1e3 is:audited \"two "
               "words\".\n"
               "How many rows were written is said on standard error, or in the JSON object with --json (which needs --out).\n\n"
               "Exit 0: written; 1: nothing was; 2: the filter makes no sense.\n\n"
               "Examples:\n  assay export --db audit.db --format jsonl --out rows.jsonl\n"
               "  assay export --db audit.db --format csv --where \"is:audited gate:EXC-01\" > exc.csv";
    }

    void declare(CLI::App& app) override
    {
        m_scope.declare(app);
        app.add_option("--format", m_format, "jsonl, csv, md, html or verdicts")
            ->required()
            ->check(CLI::IsMember({"jsonl", "csv", "md", "html", "verdicts"}));
        app.add_option("--evidence", m_evidenceBytes,
                       "verdicts: tensors of failing checks up to so many bytes; larger ones are made again")
            ->check(CLI::NonNegativeNumber)
            ->capture_default_str();
        app.add_option("--where", m_where, "Only the rows that this filter line matches");
        app.add_option("--out", m_out, "File to write (default: standard output)");
    }

    int run(Invocation& invocation) override
    {
        if (invocation.json && m_out.empty())
            throw UsageError("--json needs --out: the rows would be mixed with the object", "assay export", "Add --out FILE");
        report::ExportOptions options;
        options.format = report::exportFormatFromName(m_format);
        options.filter = store::parseFilter(m_where);
        options.evidenceBytes = m_evidenceBytes;
        options.stop = invocation.stop;
        options.progress = [&](std::int64_t rows, std::int64_t of) { invocation.progress.showRows("export", rows, of); };

        const auto database = m_scope.open();
        const std::int64_t scope = m_scope.scope(*database);
        const report::ExportSummary summary = m_out.empty() ? report::exportRows(*database, scope, options, print)
                                                            : report::exportFile(*database, scope, options, m_out);
        flushOutput();
        invocation.progress.clear();
        if (invocation.json)
            printLine(summaryJson(summary, m_format, m_out));
        else
            fmt::print(stderr, "{} rows, {} bytes\n", summary.rows, summary.bytes);
        return kFine;
    }

private:
    ScopeOptions m_scope;
    std::string m_format;
    std::string m_where;
    std::int64_t m_evidenceBytes = runner::kStoredTensorBytes;
    std::string m_out;
};

} // namespace

std::unique_ptr<Verb> makeExportVerb()
{
    return std::make_unique<ExportVerb>();
}

} // namespace assay::cli
