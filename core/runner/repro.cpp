// SPDX-License-Identifier: Apache-2.0
#include "core/runner/repro.h"

#include "core/runner/repro_script.h"
#include "core/runner/shrunk_check.h"
#include "core/store/artifact_store.h"
#include "core/text/error.h"
#include "core/text/object_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace assay::runner {

namespace {

namespace fs = std::filesystem;

constexpr int kTimeoutSeconds = 120;

/// The failing check to show and the tensors it left.
struct Shown {
    std::optional<store::CheckRecord> check; ///< none: the candidate failed before any check, on the task's own inputs
    std::vector<store::ArtifactRecord> artifacts;
    json::Document call;  ///< null where there is no check
    bool isValue = false; ///< an output differs; else the candidate raises, dies or hangs
    std::string remark;   ///< how the stimulus became smaller than the judge's; "": it is that one
};

bool isRefusal(const store::CheckRecord& check)
{
    return check.verdict == contract::Verdict::Crash || check.verdict == contract::Verdict::Timeout
        || check.reasonCode == "exception";
}

const store::GateRecord& failingGate(const store::KernelDetails& details, contract::Gate gate)
{
    const std::string id(contract::id(gate));
    if (!details.verdict || details.audit.origin != "judged")
        throw Error("Assay has not judged this kernel in the chosen audit, so there is nothing to show", id,
                    "Judge it first: assay audit --db DB --where id:" + details.kernel.externalId);
    const auto& gates = details.verdict->gates;
    const auto it = std::ranges::find(gates, gate, &store::GateRecord::gate);
    if (it == gates.end() || !contract::countsAgainstCandidate(it->verdict))
        throw Error("the kernel does not fail " + id, details.kernel.externalId, "assay show lists the gates that it fails");
    return *it;
}

/// The call's description as it is stored. @throws Error where a tensor that it needs was too large to keep
json::Document callOf(const Shown& shown, const std::string& remedy)
{
    const auto it = std::ranges::find(shown.artifacts, "call", &store::ArtifactRecord::role);
    json::Document call;
    if (it == shown.artifacts.end() || json::parse(it->bytes, call) || !call.IsObject())
        throw Error("what the failing call was made from is not in the database", shown.check->code, remedy);
    const json::Value* const leftOut = json::find(call, "left_out");
    if (leftOut != nullptr && leftOut->IsArray() && !leftOut->Empty() && (*leftOut)[0].IsString())
        throw Error(fmt::format("the failing call's {} was too large to keep", (*leftOut)[0].GetString()), shown.check->code,
                    remedy);
    return call;
}

Shown chooseCheck(store::Database& database, const store::KernelDetails& details, const store::GateRecord& gate)
{
    Shown shown;
    shown.artifacts = store::artifactsOf(database, details.verdictId, contract::id(gate.gate));
    if (shown.artifacts.empty() && gate.checks.empty() && gate.gate == contract::Gate::Cmp01)
        return shown;
    const std::string remedy = "It replays with Assay: see the replay line of assay show --gate";
    if (shown.artifacts.empty())
        throw Error("the failing check kept no tensors", std::string(contract::id(gate.gate)), remedy);
    shown.check = gate.checks.at(static_cast<std::size_t>(shown.artifacts.front().ordinal));
    if (const auto shrunk = shrunkCheckIn(shown.artifacts); shrunk && shrunk->isFound() && !shrunk->artifacts.empty()) {
        shown.check = shrunk->check;
        shown.artifacts = shrunk->artifacts;
        shown.remark = shrunk->remark;
    }
    std::erase_if(shown.artifacts, [](const store::ArtifactRecord& one) { return one.role.starts_with(kShrunkRole); });
    const auto has = [&](std::string_view role) {
        return std::ranges::any_of(shown.artifacts, [&](const store::ArtifactRecord& one) { return one.role == role; });
    };
    shown.call = callOf(shown, remedy);
    shown.isValue = has("reference") && has("candidate");
    if (!shown.isValue && !isRefusal(*shown.check))
        throw Error("this failure is about more than one call, so one call cannot show it", shown.check->code, remedy);
    return shown;
}

void write(const fs::path& path, std::string_view content)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file)
        throw Error("cannot write", path.string(), "Check the path and the space on its disk");
}

void integers(json::Writer& writer, const std::vector<std::int64_t>& values)
{
    writer.StartArray();
    for (const std::int64_t value : values)
        writer.Int64(value);
    writer.EndArray();
}

/// Writes the tensors and tells case.json about them. Names come from foreign code, so files are numbered.
void writeTensors(json::ObjectText& out, const Shown& shown, const fs::path& folder)
{
    std::vector<const store::ArtifactRecord*> tensors;
    for (const store::ArtifactRecord& artifact : shown.artifacts) {
        if (!artifact.dtype.empty())
            tensors.push_back(&artifact);
    }
    int number = 0;
    out.objects("tensors", tensors, [&](const store::ArtifactRecord* artifact) {
        const std::string file = fmt::format("tensors/{:02}_{}.bin", number++, artifact->role);
        write(folder / file, artifact->bytes);
        out.text("role", artifact->role);
        out.text("name", artifact->name);
        out.text("file", file);
        out.text("dtype", artifact->dtype);
        integers(out.key("shape"), artifact->shape);
        if (!artifact->strides.empty())
            integers(out.key("strides"), artifact->strides);
    });
}

std::string caseText(const store::KernelDetails& details, const store::GateRecord& gate, const Shown& shown,
                     const fs::path& folder)
{
    json::ObjectText out;
    out.text("check", shown.check ? shown.check->code : std::string(contract::id(gate.gate)));
    out.text("finding", shown.check ? shown.check->finding : gate.finding);
    out.text("stimulus", shown.check ? shown.check->stimulus : "the task's own inputs");
    out.text("recipe", shown.check ? shown.check->recipe : "");
    out.text("shrunk", shown.remark);
    out.text("sha256", shown.check ? shown.check->stimulusSha256 : "");
    out.text("kind", shown.isValue ? "value" : "failure");
    out.text("device", details.audit.device);
    out.text("versions", details.audit.versions);
    out.text("alignment", details.verdict->alignment);
    std::uint64_t seed = 0;
    try {
        seed = std::stoull(details.audit.seed);
    } catch (const std::exception&) {
        throw Error("the audit's seed is no number", details.audit.name, "Judge the kernel again");
    }
    out.key("seed").Uint64(seed);
    out.integer("timeout", kTimeoutSeconds);
    out.text("cast", shown.call.IsObject() ? json::stringAt(shown.call, "cast").value_or("") : "");
    out.text("output", shown.check ? shown.check->output.value_or("") : "");
    integers(out.key("worst_index"), shown.check ? shown.check->worstIndex : std::vector<std::int64_t>());
    const std::string call = json::toText(shown.call);
    out.key("call").RawValue(call.data(), call.size(), shown.call.GetType());
    writeTensors(out, shown, folder);
    return out.finish();
}

std::string readmeText(const store::KernelDetails& details, const ReproFolder& made)
{
    return fmt::format("# {}: {}\n\n{}\n\nRun it with any Python that has torch:\n\n    {}\n\n"
                       "Exit status 1: the failure shows; 0: it does not; 2: it could not be run.\n\n"
                       "* `reference.py`: the task, with `Model`, `get_inputs` and `get_init_inputs`\n"
                       "* `candidate.py`: the kernel that is judged, with `ModelNew`\n"
                       "* `tensors/`: inputs, parameters, the fp64 result and what the candidate returned, raw and row-major\n"
                       "* `case.json`: what each tensor is and how both sides are called\n\n"
                       "{}Found on {} with {} and seed {}. Both Python files are foreign code: read them before you run them.\n",
                       made.check, details.kernel.title, made.finding, made.command,
                       made.remark.empty() ? "" : "Shrunk: " + made.remark + ".\n\n", details.audit.device,
                       details.audit.versions, details.audit.seed);
}

void makeFolder(const fs::path& folder)
{
    std::error_code problem;
    if (fs::exists(folder, problem) && !fs::is_empty(folder, problem))
        throw Error("the folder is not empty", folder.string(), "Name a folder that does not exist yet");
    fs::create_directories(folder / "tensors", problem);
    if (problem)
        throw Error("cannot make the folder: " + problem.message(), folder.string(), "Check the path");
}

} // namespace

ReproFolder writeRepro(store::Database& database, const store::KernelDetails& details, contract::Gate gate,
                       const fs::path& folder)
{
    const store::GateRecord& record = failingGate(details, gate);
    if (details.referenceSourceId == 0 || details.candidateSourceId == 0)
        throw Error("the database does not have both sources", details.kernel.externalId, "Import them into the same database");
    const Shown shown = chooseCheck(database, details, record);
    const std::string reference = store::readSource(database, details.referenceSourceId);
    const std::string candidate = store::readSource(database, details.candidateSourceId);
    makeFolder(folder);
    write(folder / "case.json", caseText(details, record, shown, folder));
    write(folder / "reference.py", reference);
    write(folder / "candidate.py", candidate);
    write(folder / "run_repro.py", kReproScript);
    ReproFolder made{folder, shown.check ? shown.check->code : std::string(contract::id(gate)),
                     shown.check ? shown.check->finding : record.finding, "python3 run_repro.py", shown.remark};
    write(folder / "README.md", readmeText(details, made));
    return made;
}

} // namespace assay::runner
