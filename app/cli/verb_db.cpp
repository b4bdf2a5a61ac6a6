// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verb.h"
#include "core/store/maintenance.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace assay::cli {

namespace {

std::string infoText(const store::DatabaseInfo& info)
{
    std::string text = fmt::format("{}\nschema {} (this program reads and writes {}), {} bytes, {} bytes waiting in the WAL\n",
                                   info.path.string(), info.schemaVersion, info.programSchemaVersion, info.bytes, info.walBytes);
    if (!info.banner.empty())
        text += info.banner + "\n";
    for (const store::CorpusFacts& corpus : info.corpora)
        text += fmt::format("corpus {} ({}, {}): {} kernels, imported {}\n", corpus.name, corpus.origin, corpus.format,
                            corpus.kernels, corpus.importedAt);
    for (const store::AuditFacts& audit : info.audits)
        text += fmt::format("audit {}/{} ({}): {} verdicts{}\n", audit.corpus, audit.name, audit.origin, audit.verdicts,
                            audit.device.empty() ? "" : ", " + audit.device);
    for (const auto& [table, rows] : info.counts)
        text += fmt::format("{:>12} {}\n", rows, table);
    return text;
}

std::string checkText(const store::CheckReport& report)
{
    std::string text = report.path.string() + "\n";
    for (const std::string& check : report.checks)
        text += "looked at " + check + "\n";
    for (const std::string& skipped : report.skipped)
        text += "could not look at " + skipped + "\n";
    for (const store::CheckFinding& finding : report.findings)
        text += fmt::format("{}: {}\n", finding.check, finding.problem);
    if (report.rebuilt)
        text += "derived tables and indexes were written anew\n";
    return text + (report.ok() ? "sound\n" : fmt::format("{} problems\n", report.problems));
}

std::string salvageText(const store::SalvageResult& result)
{
    std::string text = fmt::format("{}\n", result.target.string());
    for (const store::TableRescue& table : result.tables)
        text += fmt::format("{:>12} {}{}\n", table.rows, table.table, table.problem.empty() ? "" : ": " + table.problem);
    return text + fmt::format("{} rows dropped because what they belong to is lost\n", result.dropped);
}

std::string mergeText(const store::MergeResult& result)
{
    std::string text = fmt::format(
        "{}: {} kernels, {} sources, {} verdicts, {} notes, {} waivers, {} labels, {} documents added\n", result.source.string(),
        result.kernels, result.sources, result.verdicts, result.notes, result.waivers, result.labels, result.documents);
    for (const std::string& renamed : result.renamedAudits)
        text += "audit renamed: " + renamed + "\n";
    for (const std::string& conflict : result.conflicts)
        text += "not kept: " + conflict + "\n";
    return text;
}

class DbVerb final : public Verb {
public:
    std::string_view name() const override { return "db"; }
    std::string_view summary() const override { return "The store itself: info, check, backup, merge"; }

    std::string_view help() const override
    {
        return "check looks at damage, broken references, sources against their hashes and derived tables; --rebuild writes what "
               "is derived\n"
               "anew, --salvage writes every row that can still be read into a new file. backup copies a database that may be in "
               "use. merge\n"
               "brings results home from another machine; merging twice adds nothing.\n\n"
               "Exit 0: done, and sound; 1: nothing changed; 3: merged, some verdicts were not kept; 4: check found problems.\n\n"
               "Examples:\n  assay db info --db audit.db\n  assay db check --db audit.db --json\n"
               "  assay db backup --db audit.db copy.db\n  assay db merge --db audit.db from-gpu01.db";
    }

    void declare(CLI::App& app) override
    {
        app.require_subcommand(1);
        app.add_option("--db", m_database, "Database that `assay import` wrote")->required();
        m_info = action(app, "info", "What is in it");
        m_check = action(app, "check", "Whether it is sound");
        m_check->add_flag("--rebuild", m_rebuild, "Write derived tables and indexes anew first");
        m_check->add_option("--salvage", m_salvage, "Write what can still be read into this new file");
        m_backup = action(app, "backup", "Copy it, also while it is in use");
        m_backup->add_option("TARGET", m_other, "New file; must not exist")->required();
        m_merge = action(app, "merge", "Bring in what another database holds");
        m_merge->add_option("OTHER", m_other, "Database to bring in; it is only read")->required();
    }

    int run(Invocation& invocation) override
    {
        if (m_info->parsed())
            return info(invocation);
        if (m_check->parsed())
            return m_salvage.empty() ? check(invocation) : salvage(invocation);
        return m_backup->parsed() ? backup(invocation) : merge(invocation);
    }

private:
    static CLI::App* action(CLI::App& app, const std::string& name, const std::string& summary)
    {
        CLI::App* sub = app.add_subcommand(name, summary);
        sub->fallthrough(); // --db and --json may stand behind it
        return sub;
    }

    static void say(const Invocation& invocation, const std::string& json, const std::string& text)
    {
        print(invocation.json ? json + "\n" : text);
    }

    int info(const Invocation& invocation) const
    {
        const auto database = store::Database::open(m_database, store::OpenMode::ReadOnly);
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        const store::DatabaseInfo facts = store::databaseInfo(*database);
        say(invocation, store::infoToJson(facts), infoText(facts));
        return kFine;
    }

    int check(const Invocation& invocation) const
    {
        const store::CheckReport report = store::checkFile(m_database, {m_rebuild}, invocation.stop);
        say(invocation, store::checkToJson(report), checkText(report));
        return report.ok() ? kFine : kAnswerIsNo;
    }

    int salvage(const Invocation& invocation) const
    {
        const store::SalvageResult result = store::salvageDatabase(m_database, m_salvage, invocation.stop);
        say(invocation, store::salvageToJson(result), salvageText(result));
        return kFine;
    }

    int backup(const Invocation& invocation) const
    {
        const auto database = store::Database::open(m_database, store::OpenMode::ReadOnly);
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        const store::BackupResult result = store::backupDatabase(*database, m_other);
        say(invocation, store::backupToJson(result), fmt::format("{}: {} bytes\n", result.target.string(), result.bytes));
        return kFine;
    }

    int merge(const Invocation& invocation) const
    {
        const auto database = store::Database::open(m_database, store::OpenMode::ReadWrite);
        const store::MergeResult result = store::mergeDatabase(*database, m_other, invocation.stop);
        say(invocation, store::mergeToJson(result), mergeText(result));
        return result.conflicts.empty() ? kFine : kRejections;
    }

    CLI::App* m_info = nullptr;
    CLI::App* m_check = nullptr;
    CLI::App* m_backup = nullptr;
    CLI::App* m_merge = nullptr;
    std::string m_database;
    std::string m_other;
    std::string m_salvage;
    bool m_rebuild = false;
};

} // namespace

std::unique_ptr<Verb> makeDbVerb()
{
    return std::make_unique<DbVerb>();
}

} // namespace assay::cli
