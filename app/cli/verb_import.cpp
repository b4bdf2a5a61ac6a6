// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "core/ingest/import.h"
#include "core/text/json.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace assay::cli {

namespace {

constexpr std::size_t kShownRejections = 10;

void add(store::WriterTotals& sum, const store::WriterTotals& part)
{
    sum.rows += part.rows;
    sum.kept += part.kept;
    sum.alreadyPresent += part.alreadyPresent;
    sum.rejected += part.rejected;
    sum.kernels += part.kernels;
    sum.results += part.results;
}

/// Several paths: the members of one import summed up, and every path's own object under "files".
std::string combinedJson(const std::vector<ingest::ImportSummary>& summaries)
{
    store::WriterTotals sum;
    std::string files;
    std::string rejections;
    double seconds = 0;
    for (const ingest::ImportSummary& summary : summaries) {
        add(sum, summary.totals);
        seconds += summary.seconds;
        files += (files.empty() ? "" : ",") + ingest::toJson(summary);
        for (const store::Rejection& rejection : summary.totals.rejections) {
            if (sum.rejections.size() < store::WriterTotals::kMaxListed)
                sum.rejections.push_back(rejection);
        }
    }
    ingest::ImportSummary all;
    if (!summaries.empty()) {
        all.corpus = summaries.front().corpus;
        all.format = summaries.front().format;
    }
    for (const ingest::ImportSummary& summary : summaries) {
        if (summary.format != all.format)
            all.format = "several";
        if (summary.corpus != all.corpus)
            all.corpus = "several";
    }
    all.totals = sum;
    all.seconds = seconds;
    std::string text = ingest::toJson(all);
    text.pop_back();
    return text + ",\"files\":[" + files + "]}";
}

std::string sentence(const ingest::ImportSummary& summary, const std::string& path)
{
    const store::WriterTotals& totals = summary.totals;
    std::string text
        = fmt::format("{}: {} rows of {} into corpus {}: {} kept, {} already present, {} rejected; {} new kernels, {} results, "
                      "{:.2f} s\n",
                      path, totals.rows, summary.format, summary.corpus, totals.kept, totals.alreadyPresent, totals.rejected,
                      totals.kernels, totals.results, summary.seconds);
    for (std::size_t i = 0; i < std::min(totals.rejections.size(), kShownRejections); ++i) {
        const store::Rejection& rejection = totals.rejections[i];
        text += "  rejected";
        if (rejection.line > 0)
            text += fmt::format(" line {}", rejection.line);
        if (rejection.byte >= 0)
            text += fmt::format(" byte {}", rejection.byte);
        text += fmt::format(" {}: {}\n", rejection.item, rejection.reason);
    }
    if (totals.rejected > static_cast<std::int64_t>(kShownRejections))
        text += fmt::format("  and {} more; --json lists the first {}, the database all\n",
                            totals.rejected - static_cast<std::int64_t>(kShownRejections), store::WriterTotals::kMaxListed);
    return text;
}

class ImportVerb final : public Verb {
public:
    std::string_view name() const override { return "import"; }
    std::string_view summary() const override { return "Import audits and kernel corpora into a database"; }

    std::string_view help() const override
    {
        m_help = "The format is recognised by content. Each file or corpus folder is one transaction: all of it is kept or\n"
                 "nothing; in a folder of files each file is. rows = kept + already_present + rejected, always; importing a file "
                 "twice\nadds nothing. Nothing that is imported is ever executed.\n\nFormats:\n";
        for (const auto& importer : ingest::importers())
            m_help += fmt::format("  {:<22}{}\n", importer->format(), importer->description());
        m_help += "\nExit 0: everything kept; 1: nothing changed; 3: imported, some rows rejected; 6: stopped after some paths, "
                  "or some files of a folder, were kept.\n\n"
                  "Example:\n  assay import audit_rows.jsonl.gz crossval_kernelbench.json --db audit.db --corpus published";
        return m_help;
    }

    void declare(CLI::App& app) override
    {
        app.add_option("PATH", m_paths, "Files or folders")->required();
        app.add_option("--db", m_database, "Database, created where it does not exist")->required();
        app.add_option("--format", m_format, "Format, where its content does not tell");
        app.add_option("--corpus", m_options.corpusName, "Corpus the rows belong to (default: the file's name)");
        app.add_option("--audit", m_options.auditName,
                       "Audit the results belong to (default: the file's name; the folder's for its files of one row)");
        app.add_option("--option", m_values, "A choice of the format as KEY=VALUE, stored with the corpus; may be repeated");
        app.add_flag("--illustrative", m_illustrative, "Mark corpus and audit as written for demonstration, not measured");
    }

    int run(Invocation& invocation) override
    {
        readOptions();
        refuseEarly();
        auto database = store::Database::open(m_database, store::OpenMode::ReadWriteCreate);
        warn(*database, invocation);
        std::vector<ingest::ImportSummary> summaries;
        try {
            for (const std::string& path : m_paths)
                summaries.push_back(importOne(*database, path, invocation));
        } catch (const ingest::PartlyImported& failure) {
            summaries.push_back(failure.kept());
            report(summaries, invocation);
            throw StoppedPartWay(failure.problem(), failure.where(), failure.remedy());
        } catch (const std::runtime_error& failure) {
            if (summaries.empty()) {
                store::discardUnused(std::move(database));
                throw;
            }
            report(summaries, invocation);
            const std::string where = m_paths[summaries.size()];
            const bool stopped = dynamic_cast<const Cancelled*>(&failure) != nullptr;
            const std::string problem = stopped ? "stopped at " + where : failure.what();
            throw StoppedPartWay(problem, fmt::format("{} of {} paths were imported before", summaries.size(), m_paths.size()),
                                 "Run the same command again: what is there already is not added twice");
        }
        report(summaries, invocation);
        for (const ingest::ImportSummary& summary : summaries) {
            if (summary.totals.rejected > 0)
                return kRejections;
        }
        return kFine;
    }

private:
    void readOptions()
    {
        for (const std::string& value : m_values) {
            const std::size_t at = value.find('=');
            if (at == std::string::npos || at == 0)
                throw UsageError("\"" + value + "\" is not KEY=VALUE", "--option", "For example --option turn=best");
            m_options.values[value.substr(0, at)] = value.substr(at + 1);
        }
        if (m_illustrative)
            m_options.corpusOrigin = "illustrative";
    }

    /// What can be told without a database is told before one is created.
    void refuseEarly() const
    {
        for (const std::string& path : m_paths) {
            std::error_code failure;
            if (!std::filesystem::exists(path, failure))
                throw Error("no such file or folder", path, "Check the path");
        }
        ingest::requireKnownOptions(ingest::chooseImporter(m_paths.front(), m_format), m_options);
        // Without options a later path may still fail on its own, after what came before it was kept.
        for (std::size_t i = 1; i < m_paths.size() && !m_options.values.empty(); ++i)
            ingest::requireKnownOptions(ingest::chooseImporter(m_paths[i], m_format), m_options);
    }

    static void warn(const store::Database& database, Invocation& invocation)
    {
        if (!database.banner().empty() && !invocation.json)
            fmt::print(stderr, "assay: {}\n", database.banner());
    }

    ingest::ImportSummary importOne(store::Database& database, const std::string& path, Invocation& invocation) const
    {
        const ingest::JobControl control{invocation.stop, [&](std::int64_t bytes, std::int64_t total, std::int64_t rows) {
                                             invocation.progress.showBytes(path, bytes, total, rows);
                                         }};
        ingest::ImportSummary summary = ingest::importPath(database, path, m_format, m_options, control);
        invocation.progress.clear();
        return summary;
    }

    void report(const std::vector<ingest::ImportSummary>& summaries, const Invocation& invocation) const
    {
        if (invocation.json) {
            printLine(m_paths.size() == 1 ? ingest::toJson(summaries.front()) : combinedJson(summaries));
            return;
        }
        for (std::size_t i = 0; i < summaries.size(); ++i)
            print(sentence(summaries[i], m_paths[i]));
    }

    mutable std::string m_help;
    std::vector<std::string> m_paths;
    std::vector<std::string> m_values;
    std::string m_database;
    std::string m_format;
    bool m_illustrative = false;
    ingest::ImportOptions m_options;
};

} // namespace

std::unique_ptr<Verb> makeImportVerb()
{
    return std::make_unique<ImportVerb>();
}

} // namespace assay::cli
