// SPDX-License-Identifier: Apache-2.0
#include "app/cli/interruption.h"
#include "app/cli/verb.h"
#include "core/ingest/import.h"
#include "core/store/triage_filter.h"
#include "core/text/object_text.h"

#include "assay_version.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

namespace assay::cli {

namespace {

std::vector<std::unique_ptr<Verb>> makeVerbs()
{
    std::vector<std::unique_ptr<Verb>> verbs;
    verbs.push_back(makeImportVerb());
    verbs.push_back(makeReportVerb());
    verbs.push_back(makeShowVerb());
    verbs.push_back(makeCompareVerb());
    verbs.push_back(makeDiffVerb());
    verbs.push_back(makeExportVerb());
    verbs.push_back(makeDbVerb());
    verbs.push_back(makeDoctorVerb());
    verbs.push_back(makeVerifyVerb());
    verbs.push_back(makeAuditVerb());
    verbs.push_back(makeReproVerb());
    verbs.push_back(makeMutantsVerb());
    verbs.push_back(makeControlsVerb());
    verbs.push_back(makeCalibrateVerb());
    verbs.push_back(makeFigureVerb());
    verbs.push_back(makeSampleVerb());
    verbs.push_back(makeGdnVerb());
    verbs.push_back(makeVersionVerb());
    return verbs;
}

std::string verbNames(const std::vector<std::unique_ptr<Verb>>& verbs)
{
    std::string names;
    for (const auto& verb : verbs)
        names += (names.empty() ? "" : ", ") + std::string(verb->name());
    return names;
}

/// CLI11 would call a misspelled verb a stray argument.
void requireKnownVerb(const std::vector<std::unique_ptr<Verb>>& verbs, const std::vector<std::string>& arguments)
{
    const auto first = std::find_if(arguments.begin(), arguments.end(), [](const std::string& a) { return !a.starts_with("-"); });
    if (first == arguments.end())
        return;
    const bool known = std::any_of(verbs.begin(), verbs.end(), [&](const auto& verb) { return verb->name() == *first; });
    if (!known)
        throw UsageError("no verb is called \"" + *first + "\"", "command line", "Verbs are " + verbNames(verbs));
}

std::string errorJson(const Error& error, int exitCode)
{
    json::ObjectText object("assay.error/1");
    object.text("what", error.problem());
    object.text("where", error.where());
    object.text("remedy", error.remedy());
    object.integer("exit", exitCode);
    return object.finish();
}

std::string onOneLine(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::replace(text.begin(), text.end(), '\r', ' ');
    return text;
}

int complain(const Error& error, int exitCode, bool asJson)
{
    // A verb that stopped part-way has already said on standard output what it kept.
    if (asJson && exitCode != kStoppedPartWay) {
        fmt::print("{}\n", errorJson(error, exitCode));
        std::fflush(stdout);
    }
    fmt::print(stderr, "assay: {}\n", onOneLine(error.what()));
    return exitCode;
}

/// What `assay` and its verbs know, parsed from the command line.
class CommandLine {
public:
    explicit CommandLine(std::vector<std::unique_ptr<Verb>>& verbs)
    {
        m_app.set_version_flag("--version", "assay " ASSAY_VERSION);
        m_app.set_help_flag("-h,--help", "Say what there is and exit");
        m_app.require_subcommand(1);
        m_app.footer(
            "`assay VERB --help` describes a verb. Exit codes: 0 fine, 1 failed with nothing changed, 2 usage,\n"
            "3 done with rejections, 4 ran and the answer is no, 5 could not be judged, 6 stopped part-way and resumable.\n\n"
            "Example:\n  assay import audit_rows.jsonl.gz --db audit.db && assay report --db audit.db");
        for (auto& verb : verbs) {
            CLI::App* sub = m_app.add_subcommand(std::string(verb->name()), std::string(verb->summary()));
            sub->add_flag("--json", m_json, "One JSON object on standard output");
            sub->add_flag("--progress", m_progress, "Progress on standard error although it is no terminal");
            sub->footer(std::string(verb->help()));
            verb->declare(*sub);
            m_verbs.emplace_back(sub, verb.get());
        }
    }

    CLI::App& app() { return m_app; }
    bool json() const { return m_json; }
    bool progress() const { return m_progress; }

    Verb* chosen() const
    {
        for (const auto& [sub, verb] : m_verbs) {
            if (sub->parsed())
                return verb;
        }
        return nullptr;
    }

private:
    CLI::App m_app{"Tells whether a machine-written GPU kernel is really right: imports audits, reports and drills into them.",
                   "assay"};
    std::vector<std::pair<CLI::App*, Verb*>> m_verbs;
    bool m_json = false;
    bool m_progress = false;
};

int runVerb(Verb& verb, const CommandLine& line)
{
    Interruption interruption;
    Invocation invocation{line.json(), interruption.token(), Progress(Progress::styleFor(line.progress()))};
    try {
        const int code = verb.run(invocation);
        invocation.progress.clear();
        flushOutput();
        return code;
    } catch (...) {
        invocation.progress.clear();
        throw;
    }
}

int run(std::vector<std::string> arguments)
{
    std::vector<std::unique_ptr<Verb>> verbs = makeVerbs();
    CommandLine line(verbs);
    if (arguments.empty()) {
        fmt::print(stderr, "{}", line.app().help());
        return kUsage;
    }
    requireKnownVerb(verbs, arguments);
    try {
        std::reverse(arguments.begin(), arguments.end()); // CLI11 takes them from the back
        line.app().parse(arguments);
    } catch (const CLI::Success& wanted) { // help or version
        return line.app().exit(wanted);
    } catch (const CLI::ParseError& mistake) {
        const Verb* verb = line.chosen();
        const std::string where = verb == nullptr ? "assay" : "assay " + std::string(verb->name());
        throw UsageError(mistake.what(), where, "See " + where + " --help");
    }
    return runVerb(*line.chosen(), line);
}

int guardedRun(const std::vector<std::string>& arguments)
{
    const bool asJson = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
    try {
        return run(arguments);
    } catch (const UsageError& error) {
        return complain(error, kUsage, asJson);
    } catch (const ingest::UnknownChoice& error) {
        return complain(error, kUsage, asJson);
    } catch (const store::FilterError& error) {
        return complain(error, kUsage, asJson);
    } catch (const StoppedPartWay& error) {
        return complain(error, kStoppedPartWay, asJson);
    } catch (const NotJudged& error) {
        return complain(error, kNotJudged, asJson);
    } catch (const Cancelled&) {
        return complain(Error("stopped", "nothing of this run was kept", "Run it again when you like"), kFailed, asJson);
    } catch (const Error& error) {
        return complain(error, kFailed, asJson);
    } catch (const std::exception& error) {
        return complain(
            Error(std::string("unexpected failure: ") + error.what(), "assay", "Please report it with the command line"), kFailed,
            asJson);
    }
}

} // namespace

} // namespace assay::cli

int main(int argc, char** argv)
{
    return assay::cli::guardedRun({argv + 1, argv + argc});
}
