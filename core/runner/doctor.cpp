// SPDX-License-Identifier: Apache-2.0
#include "core/runner/doctor.h"

#include "core/runner/probe_process.h"
#include "core/text/error.h"
#include "core/text/json.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <utility>

namespace assay::runner {

namespace {

using namespace std::chrono_literals;

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

MachineFinding sqliteFinding()
{
    MachineFinding finding{"sqlite", false, sqlite3_libversion(), "Use an SQLite built with FTS5"};
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

MachineFinding pythonFinding(const std::string& python)
{
    const ProbeResult result = probeProcess({python, "-c", "import sys; print(sys.version.split()[0], sys.executable)"}, 20s);
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
MachineFinding moduleFinding(const std::string& python, const Module& wanted)
{
    const std::string& module = wanted.name;
    const std::string code = "import " + module + "; print(getattr(" + module + ", '__version__', 'version not stated'))";
    const ProbeResult result = probeProcess({python, "-c", code}, 120s);
    if (result.started && !result.timedOut && result.exitCode == 0)
        return {module, true, lastLine(result.output), ""};
    const std::string why = !result.started ? python + " not found"
        : result.timedOut                   ? "did not import in 120 s"
                                            : lastLine(result.errors);
    const std::string debian
        = wanted.debian.empty() ? "" : fmt::format("apt install {} for Debian's own Python, else ", wanted.debian);
    return {module, false, why, fmt::format("{} needs it: {}{} -m pip install {}", wanted.purpose, debian, python, module)};
}

MachineFinding gpuFinding()
{
    const ProbeResult result
        = probeProcess({"nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"}, 30s);
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
MachineFinding sandboxFinding()
{
    const ProbeResult version = probeProcess({"bwrap", "--version"}, 10s);
    if (!version.started)
        return {"sandbox", false, "bwrap not found", "Install bubblewrap: apt install bubblewrap"};
    const ProbeResult trial = probeProcess(
        {"bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "/bin/true"},
        20s);
    if (trial.exitCode == 0)
        return {"sandbox", true, firstLine(version.output) + ", namespaces work", ""};
    return {"sandbox", false, firstLine(version.output) + ": " + lastLine(trial.errors),
            "Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, or a container with fewer restrictions"};
}

/// Asks the worker to make a confined process as a judgement would: what is installed may still not work together.
std::vector<MachineFinding> judgingFindings(const WorkerOptions& worker, const std::string& device, const std::stop_token& stop)
{
    constexpr const char* kName = "judging";
    try {
        WorkerClient client(worker);
        const json::Document said = client.ask(fmt::format(R"("op":"doctor","device":"{}")", device), "doctor", {}, stop);
        std::vector<MachineFinding> findings;
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

} // namespace

std::vector<MachineFinding> examineMachine(const WorkerOptions& worker, const std::string& device, const DoctorSink& sink,
                                           const std::stop_token& stop)
{
    std::vector<MachineFinding> findings;
    const auto look = [&](std::string_view what) {
        if (stop.stop_requested())
            throw Cancelled();
        if (sink.looking)
            sink.looking(what);
    };
    const auto add = [&](MachineFinding finding) {
        findings.push_back(std::move(finding));
        if (sink.found)
            sink.found(findings.back());
    };
    look("sqlite");
    add(sqliteFinding());
    look("python");
    add(pythonFinding(worker.python));
    if (findings.back().present) {
        const Module modules[] = {{"pyarrow", "Importing Parquet", ""},
                                  {"torch", "Judging kernels", "python3-torch"},
                                  {"triton", "Judging Triton kernels", ""}};
        for (const Module& module : modules) {
            look(module.name);
            add(moduleFinding(worker.python, module));
        }
    }
    look("gpu");
    add(gpuFinding());
    look("sandbox");
    add(sandboxFinding());
    look("judging");
    for (MachineFinding& finding : judgingFindings(worker, device, stop))
        add(std::move(finding));
    return findings;
}

} // namespace assay::runner
