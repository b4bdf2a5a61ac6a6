// SPDX-License-Identifier: Apache-2.0
#include "app/cli/scope_options.h"
#include "app/cli/verb.h"
#include "core/report/output_file.h"
#include "core/report/report.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace assay::cli {

namespace {

std::string readWhole(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file)
        throw Error("cannot read the rule set", path.string(), "Check the path and its permissions");
    return text.str();
}

class ReportVerb final : public Verb {
public:
    std::string_view name() const override { return "report"; }
    std::string_view summary() const override
    {
        return "Funnel, rates with Wilson intervals, gates, families, baselines of one audit";
    }

    std::string_view help() const override
    {
        return "Rates are shares of the audited rows. --rules re-scores the same rows under another rule set: as-published, "
               "nan-equal,\n"
               "nan-equal-loose, union, or a file with your own (start from --print-rules NAME). The built-in ones are always "
               "shown side by\n"
               "side under \"what if\"; --no-what-if leaves that pass over every gate result out.\n\n"
               "Exit 0: reported; 1: could not.\n\n"
               "Examples:\n  assay report --db audit.db\n  assay report --db audit.db --rules nan-equal --json\n"
               "  assay report --db audit.db --format html --out report.html";
    }

    void declare(CLI::App& app) override
    {
        app.add_option("--db", m_scope.database, "Database that `assay import` wrote");
        app.add_option("--corpus", m_scope.corpus, "Corpus (default: the only one, else the newest)");
        app.add_option("--audit", m_scope.audit, "Audit, as NAME or CORPUS/NAME (default: the only one, else the newest)");
        app.add_option("--rules", m_rules, "Rule set: a name or a file");
        app.add_option("--print-rules", m_printRules, "Write the definition of a built-in rule set and exit");
        app.add_option("--format", m_format, "text, md or html")->check(CLI::IsMember({"text", "md", "html"}));
        app.add_option("--out", m_out, "File to write (default: standard output)");
        app.add_flag("--no-what-if", m_noWhatIf, "Leave the other rule sets out");
    }

    int run(Invocation& invocation) override
    {
        if (!m_printRules.empty())
            return printRules();
        if (m_scope.database.empty())
            throw UsageError("--db is required", "assay report", "See assay report --help");
        const auto database = m_scope.open();
        const store::InterruptOnStop interrupt(*database, invocation.stop);
        const report::RuleSet rules = chosenRules(*database);
        const std::int64_t scope = m_scope.scope(*database);
        report::AuditReport audit = report::buildReport(*database, scope, rules);
        if (!m_noWhatIf)
            audit.whatIf = report::whatIf(*database, scope, report::builtInRuleSets());
        write(rendered(audit, invocation.json));
        return kFine;
    }

private:
    int printRules() const
    {
        const auto& known = report::builtInRuleSets();
        const auto found
            = std::find_if(known.begin(), known.end(), [this](const auto& rules) { return rules.name == m_printRules; });
        if (found == known.end())
            throw UsageError("no built-in rule set is called \"" + m_printRules + "\"", "--print-rules",
                             "There are as-published, nan-equal, nan-equal-loose, union");
        printLine(found->definition);
        return kFine;
    }

    report::RuleSet chosenRules(store::Database& database) const
    {
        std::error_code failure;
        if (std::filesystem::is_regular_file(m_rules, failure)) {
            try {
                return report::parseRuleSet(readWhole(m_rules));
            } catch (const Error& error) {
                throw Error(error.problem(), m_rules + ", " + error.where(), error.remedy());
            }
        }
        return report::ruleSetByName(database, m_rules);
    }

    std::string rendered(const report::AuditReport& audit, bool json) const
    {
        if (json)
            return report::toJson(audit) + "\n";
        if (m_format == "md")
            return report::toMarkdown(audit);
        return m_format == "html" ? report::toHtml(audit) : report::toText(audit);
    }

    void write(const std::string& text) const
    {
        if (m_out.empty())
            return print(text);
        report::OutputFile file(m_out);
        file.write(text);
        file.commit();
    }

    ScopeOptions m_scope;
    std::string m_rules = "as-published";
    std::string m_printRules;
    std::string m_format = "text";
    std::string m_out;
    bool m_noWhatIf = false;
};

} // namespace

std::unique_ptr<Verb> makeReportVerb()
{
    return std::make_unique<ReportVerb>();
}

} // namespace assay::cli
