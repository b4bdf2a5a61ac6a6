// SPDX-License-Identifier: Apache-2.0
#include "core/runner/control.h"

#include "core/sampling/clopper_pearson.h"
#include "core/text/error.h"
#include "core/text/json.h"

#include <algorithm>

namespace assay::runner {

namespace fs = std::filesystem;

namespace {

using contract::Gate;
using contract::Verdict;

void requireSome(std::vector<Control>& controls, const fs::path& folder, const std::error_code& failure)
{
    if (controls.empty())
        throw Error("no controls" + (failure ? ": " + failure.message() : std::string()), folder.string(),
                    "Install Assay with its data");
    std::sort(controls.begin(), controls.end(), [](const Control& a, const Control& b) { return a.name < b.name; });
}

/// What FOLDER/@p name says of controls by kind of device, where there is such a file.
/// @param tell  (control, kind of device, what is said)
template <typename Tell>
void readByDevice(std::vector<Control>& controls, const fs::path& folder, const char* name, const Tell& tell)
{
    const fs::path file = folder / name;
    if (!fs::exists(file))
        return;
    const Source source = readSource(file, "what controls are on devices");
    json::Document document;
    if (const auto failure = json::parse(source.text, document))
        throw Error("no JSON: " + failure->reason, file.string() + " at byte " + std::to_string(failure->byte),
                    "Install Assay with its data");
    for (Control& control : controls) {
        for (const auto& [device, names] : document.GetObject()) {
            if (const json::Value* const said = json::find(names, control.name))
                tell(control, device.GetString(), *said);
        }
    }
}

void readDevices(std::vector<Control>& controls, const fs::path& folder)
{
    readByDevice(controls, folder, "only_on.json", [](Control& control, const char* device, const json::Value& because) {
        control.onlyOn = device;
        control.because = because.GetString();
    });
    readByDevice(controls, folder, "contracts.json", [](Control& control, const char* device, const json::Value& said) {
        if (const json::Value* const contract = json::find(said, "contract"))
            control.contracts[device] = json::toText(*contract);
    });
}

std::string kindOf(std::string_view device)
{
    return std::string(device.substr(0, device.find(':')));
}

void count(GateAlarms& alarms, const GateSummary& gate)
{
    alarms.exercised += gate.exercised;
    alarms.planned += gate.total;
    const bool failed = contract::countsAgainstCandidate(gate.verdict);
    if (gate.exercised == 0 && !failed)
        return;
    ++alarms.kernels;
    if (failed)
        ++(gate.severity == contract::Severity::Soft ? alarms.soft : alarms.hard);
}

} // namespace

std::vector<Control> loadControls(const fs::path& folder)
{
    std::vector<Control> controls;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
        const fs::path reference = entry.path() / "reference.py";
        if (fs::exists(reference))
            controls.push_back({entry.path().filename().string(), readSource(reference, "the reference"),
                                readSource(entry.path() / "candidate.py", "the candidate")});
    }
    requireSome(controls, folder, failure);
    readDevices(controls, folder);
    return controls;
}

std::vector<Control> loadCompiledControls(const fs::path& folder)
{
    const Source wrapper = readSource(folder / "compiled_candidate.py", "the compiled candidate");
    const fs::path references = folder / "torch_compile";
    std::vector<Control> controls;
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(references, failure)) {
        if (entry.path().extension() != ".py")
            continue;
        const Source reference = readSource(entry.path(), "the reference");
        const std::string name = "torch_compile/" + entry.path().stem().string();
        controls.push_back({name, reference, {reference.text + "\n\n" + wrapper.text, name}, true});
    }
    requireSome(controls, references, failure);
    readDevices(controls, folder);
    return controls;
}

std::optional<VerdictSummary> outcomeElsewhere(const Control& control, std::string_view device)
{
    if (control.onlyOn.empty() || kindOf(device) == control.onlyOn)
        return std::nullopt;
    VerdictSummary none;
    none.verdict = Verdict::Unsupported;
    none.reason = "a control on the " + control.onlyOn + " alone: " + control.because;
    return none;
}

std::optional<std::string> contractOn(const Control& control, std::string_view device)
{
    const auto it = control.contracts.find(kindOf(device));
    return it == control.contracts.end() ? std::nullopt : std::optional(it->second);
}

VerdictSummary outcomeOf(const Control& control, VerdictSummary summary)
{
    if (control.needsCompiler && (summary.torch.starts_with("1.") || summary.torch.starts_with("0."))) {
        VerdictSummary none;
        none.verdict = Verdict::Unsupported;
        none.reason = "torch " + summary.torch + " has no torch.compile: it came with 2.0";
        none.torch = summary.torch;
        return none;
    }
    return summary;
}

ControlTally tallyOf(const std::vector<ControlRow>& rows)
{
    ControlTally tally;
    for (const ControlRow& row : rows) {
        if (row.isElsewhere) {
            ++tally.elsewhere;
            continue;
        }
        const bool judged = row.summary.verdict == Verdict::Pass || row.summary.verdict == Verdict::Fail;
        ++(judged ? tally.judged : tally.notJudged);
        tally.passed += row.summary.verdict == Verdict::Pass ? 1 : 0;
        for (std::size_t g = 0; judged && g < tally.gates.size(); ++g)
            count(tally.gates[g], row.summary.gates[g]);
    }
    tally.upperBound = sampling::upperBound(tally.judged - tally.passed, tally.judged);
    for (GateAlarms& alarms : tally.gates)
        alarms.upperBound = sampling::upperBound(alarms.hard + alarms.soft, alarms.kernels);
    return tally;
}

double ruleOfThree(int n)
{
    return n > 3 ? 3.0 / n : 1.0;
}

} // namespace assay::runner
