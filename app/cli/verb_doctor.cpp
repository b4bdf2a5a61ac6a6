// SPDX-License-Identifier: Apache-2.0
#include "app/cli/subprocess.h"
#include "app/cli/verb.h"
#include "app/cli/worker_options.h"
#include "core/text/object_text.h"

#include <CLI/CLI.hpp>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

namespace assay::cli {

namespace {

using namespace std::chrono_literals;

/// One thing this machine has or lacks, found by trying it.
struct Finding {
    std::string name;
    bool present = false;
    std::string detail; ///< version or what was tried
    std::string remedy; ///< "" where present
};

std::string firstLine(const std::string& text)
{
    const std::size_t end = text.find('\n');
    return text.substr(0, end);
}

std::string lastLine(std::string text)
{
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.substr(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
}

Finding sqliteFinding()
{
    Finding finding{"sqlite", false, sqlite3_libversion(), "Use an SQLite built with FTS5"};
    try {
        SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        memory.exec("CREATE VIRTUAL TABLE t USING fts5 (x); CREATE TABLE s (x INTEGER) STRICT");
        finding.present = true;
        finding.detail += ", full-text search and STRICT tables work";
        finding.remedy.clear();
    } catch (const SQLite::Exception& failure) {
        finding.detail += std::string(": ") + failure.what();
    }
    return finding;
}

Finding pythonFinding(const std::string& python)
{
    const ProcessResult result = runProcess({python, "-c", "import sys; print(sys.version.split()[0], sys.executable)"}, 20s);
    if (result.started && result.exitCode == 0)
        return {"python", true, firstLine(result.output), ""};
    const std::string why = !result.started ? "not found" : result.timedOut ? "did not answer in 20 s" : lastLine(result.errors);
    return {"python", false, python + ": " + why,
            "Install it (Debian: apt install python3 python3-torch), or name another (--python /path/to/python3)"};
}

/// A package and what needs it.
struct Module {
    std::string name;
    std::string purpose;
    std::string debian; ///< Debian's package; "": there is none
};

/// Imports the module for real: an installed package whose libraries are missing is not there.
Finding moduleFinding(const std::string& python, const Module& wanted)
{
    const std::string& module = wanted.name;
    const std::string code = "import " + module + "; print(getattr(" + module + ", '__version__', 'version not stated'))";
    const ProcessResult result = runProcess({python, "-c", code}, 120s);
    if (result.started && !result.timedOut && result.exitCode == 0)
        return {module, true, lastLine(result.output), ""};
    const std::string why = !result.started ? python + " not found"
        : result.timedOut                   ? "did not import in 120 s"
                                            : lastLine(result.errors);
    const std::string debian
        = wanted.debian.empty() ? "" : fmt::format("apt install {} for Debian's own Python, else ", wanted.debian);
    return {module, false, why, fmt::format("{} needs it: {}{} -m pip install {}", wanted.purpose, debian, python, module)};
}

Finding gpuFinding()
{
    const ProcessResult result
        = runProcess({"nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"}, 30s);
    if (result.started && !result.timedOut && result.exitCode == 0 && !result.output.empty()) {
        std::string list = result.output;
        while (!list.empty() && list.back() == '\n')
            list.pop_back();
        for (std::size_t at = list.find('\n'); at != std::string::npos; at = list.find('\n', at))
            list.replace(at, 1, "; ");
        return {"gpu", true, list, ""};
    }
    const std::string why = !result.started ? "nvidia-smi not found"
        : result.timedOut                   ? "nvidia-smi did not answer in 30 s"
                                            : firstLine(result.output + result.errors);
    return {"gpu", false, why,
            "Judging on the CPU needs none. Else install the NVIDIA driver (Debian: apt install nvidia-driver, from non-free), "
            "or judge "
            "on another machine (--prefix \"ssh gpu01\")"};
}

/// Starts a process in namespaces of its own, as judging foreign code will: being installed is not being allowed to.
Finding sandboxFinding()
{
    const ProcessResult version = runProcess({"bwrap", "--version"}, 10s);
    if (!version.started)
        return {"sandbox", false, "bwrap not found", "Install bubblewrap: apt install bubblewrap"};
    const ProcessResult trial = runProcess(
        {"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "/bin/true"},
        20s);
    if (trial.exitCode == 0)
        return {"sandbox", true, firstLine(version.output) + ", namespaces work", ""};
    return {"sandbox", false, firstLine(version.output) + ": " + lastLine(trial.errors),
            "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or a container with fewer restrictions"};
}

std::string toJson(const std::vector<Finding>& findings)
{
    json::ObjectText object("assay.doctor/1");
    object.objects("findings", findings, [&](const Finding& finding) {
        object.text("name", finding.name);
        object.flag("present", finding.present);
        object.text("detail", finding.detail);
        object.text("remedy", finding.remedy);
    });
    return object.finish();
}

/// A lack matters where it keeps candidates from being judged.
int exitCodeOf(const std::vector<Finding>& findings)
{
    const auto judging = std::ranges::find(findings, "judging", &Finding::name);
    return judging != findings.end() && judging->present ? kFine : kNotJudged;
}

class DoctorVerb final : public Verb {
public:
    std::string_view name() const override { return "doctor"; }
    std::string_view summary() const override { return "What this machine can do, and what to do about each lack"; }

    std::string_view help() const override
    {
        return "Everything is tried, nothing is guessed: modules are imported, the sandbox is started, the driver is asked.\n\n"
               "Exit 0: candidates can be judged here; 5: they cannot, and what to do.\n\nExample:\n  assay doctor --python "
               "~/venv/bin/python3";
    }

    void declare(CLI::App& app) override { m_worker.declare(app); }

    int run(Invocation& invocation) override
    {
        const std::vector<Finding> findings = look(invocation);
        invocation.progress.clear();
        if (invocation.json) {
            printLine(toJson(findings));
            return exitCodeOf(findings);
        }
        for (const Finding& finding : findings) {
            printLine(fmt::format("{:<9} {:<8} {}", finding.name, finding.present ? "present" : "missing", finding.detail));
            if (!finding.present)
                printLine(fmt::format("{:<18} {}", "", finding.remedy));
        }
        return exitCodeOf(findings);
    }

private:
    /// Asks the worker to make a confined process as a judgement would: what is installed may still not work together.
    std::vector<Finding> judgingFindings(const std::stop_token& stop) const
    {
        constexpr const char* kName = "judging";
        try {
            runner::WorkerClient client(m_worker.options());
            const json::Document said = client.ask(R"("op":"doctor")", "doctor", {}, stop);
            std::vector<Finding> findings;
            if (const json::Value* const list = json::find(said, "findings"); list != nullptr && list->IsArray()) {
                for (const json::Value& finding : list->GetArray())
                    findings.push_back({json::stringAt(finding, "name") == "parties" ? kName : "isolation",
                                        json::boolAt(finding, "present").value_or(false),
                                        json::stringAt(finding, "detail").value_or(""),
                                        json::stringAt(finding, "remedy").value_or("")});
            }
            return findings;
        } catch (const Error& error) {
            return {{kName, false, error.problem(), error.remedy()}};
        }
    }

    std::vector<Finding> look(Invocation& invocation) const
    {
        std::vector<Finding> findings;
        const std::string python = m_worker.interpreter();
        const auto note = [&](std::string_view what) {
            if (invocation.stop.stop_requested())
                throw Cancelled();
            invocation.progress.show(fmt::format("looking at {}", what));
        };
        note("sqlite");
        findings.push_back(sqliteFinding());
        note("python");
        findings.push_back(pythonFinding(python));
        if (findings.back().present) {
            const Module modules[] = {{"pyarrow", "Importing Parquet", ""},
                                      {"torch", "Judging kernels", "python3-torch"},
                                      {"triton", "Judging Triton kernels", ""}};
            for (const Module& module : modules) {
                note(module.name);
                findings.push_back(moduleFinding(python, module));
            }
        }
        note("gpu");
        findings.push_back(gpuFinding());
        note("sandbox");
        findings.push_back(sandboxFinding());
        note("judging");
        for (Finding& finding : judgingFindings(invocation.stop))
            findings.push_back(std::move(finding));
        return findings;
    }

    WorkerChoice m_worker;
};

} // namespace

std::unique_ptr<Verb> makeDoctorVerb()
{
    return std::make_unique<DoctorVerb>();
}

} // namespace assay::cli
