// SPDX-License-Identifier: Apache-2.0
#include "app/cli/kernel_text.h"

#include "app/cli/baseline_text.h"
#include "app/cli/replay_command.h"
#include "core/contract/thresholds.h"
#include "core/store/threshold_words.h"
#include "core/text/object_text.h"
#include "core/text/one_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace assay::cli {

namespace {

using Out = std::back_insert_iterator<std::string>;

/// oneLine() for texts of several lines.
std::string tameLines(std::string text, const std::string& indent)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n')
            out += "\n" + indent;
        else
            out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
    return out;
}

/// Four significant digits: enough to judge by; --json has every bit.
std::string shortNumber(const tensor::Measured& value)
{
    return value.isFinite() ? fmt::format("{:.4g}", value.value) : json::exactNumber(tensor::toDouble(value));
}

/// "0.0123 against 0.001 (1.2e-05 of the output's scale)", or "" where nothing was measured.
std::string numbers(const tensor::Measured& value, const tensor::Measured& threshold, const tensor::Measured& relative)
{
    std::string text;
    if (value.isPresent())
        text += shortNumber(value);
    if (threshold.isPresent())
        text += fmt::format("{}against {}", text.empty() ? "" : " ", shortNumber(threshold));
    if (relative.isFinite())
        text += fmt::format("{}({} of the output's scale)", text.empty() ? "" : " ", shortNumber(relative));
    return text;
}

std::string verdictWords(contract::Verdict verdict, contract::Severity severity)
{
    std::string words(contract::name(verdict));
    if (severity != contract::Severity::None)
        words += fmt::format(" ({})", contract::name(severity));
    return words.empty() ? "no result" : words;
}

/// What a check was asked with and the element that decided it.
void writeStimulus(Out out, const store::CheckRecord& check, const std::string& indent)
{
    if (!check.finding.empty())
        fmt::format_to(out, "{}{}\n", indent, oneLine(check.finding));
    if (!check.stimulus.empty())
        fmt::format_to(out, "{}on {}\n", indent, oneLine(check.stimulus));
    if (!check.worstIndex.empty())
        fmt::format_to(out, "{}element [{}]{}\n", indent, fmt::join(check.worstIndex, ", "),
                       check.output.value_or("").empty() ? "" : " of output " + oneLine(*check.output));
}

void writeShrunk(Out out, const runner::ShrunkCheck& shrunk)
{
    fmt::format_to(out, "            {}: {} ({} questions)\n", shrunk.isFound() ? "shrunk" : "not shrunk", oneLine(shrunk.remark),
                   shrunk.questions);
    if (shrunk.isFound())
        writeStimulus(out, shrunk.check, "              ");
}

void writeGate(Out out, const store::GateRecord& gate, const store::AuditRecord& audit, bool withChecks,
               const std::optional<runner::ShrunkCheck>& shrunk)
{
    fmt::format_to(out, "  {}  {:<14}", contract::id(gate.gate), verdictWords(gate.verdict, gate.severity));
    if (const std::string measured = numbers(gate.value, gate.threshold, gate.relative); !measured.empty())
        fmt::format_to(out, "  {} {}", gate.metric.empty() ? "measured" : oneLine(gate.metric), measured);
    if (gate.exercised && gate.total)
        fmt::format_to(out, "  exercised {}/{}", *gate.exercised, *gate.total);
    else if (gate.skipped && *gate.skipped > 0)
        fmt::format_to(out, "  {} skipped", *gate.skipped);
    fmt::format_to(out, "\n");
    if (!gate.finding.empty())
        fmt::format_to(out, "          {}\n", oneLine(gate.finding));
    if (const std::string limit = store::thresholdWords(gate, audit); !limit.empty())
        fmt::format_to(out, "          {}\n", oneLine(limit));
    if (!gate.reason.empty())
        fmt::format_to(out, "          as recorded: {}\n", oneLine(gate.reason));
    if (!gate.power.empty())
        fmt::format_to(out, "          {}\n", oneLine(gate.power));
    if (!withChecks)
        return;
    int ordinal = 0;
    for (const store::CheckRecord& check : gate.checks) {
        fmt::format_to(out, "          {}  {}  {}\n", oneLine(check.code), verdictWords(check.verdict, check.severity),
                       numbers(check.value, check.threshold, check.relative));
        if (const std::string limit = store::thresholdWords(check, audit); !limit.empty())
            fmt::format_to(out, "            {}\n", oneLine(limit));
        writeStimulus(out, check, "            ");
        if (!check.recipe.empty())
            fmt::format_to(out, "            recipe {}  sha256 {}\n", oneLine(check.recipe), oneLine(check.stimulusSha256));
        if (shrunk && shrunk->ordinal == ordinal++)
            writeShrunk(out, *shrunk);
    }
}

void writeVerdict(Out out, const store::KernelDetails& details, std::optional<contract::Gate> wanted,
                  const std::optional<runner::ShrunkCheck>& shrunk)
{
    const store::VerdictRecord& verdict = *details.verdict;
    fmt::format_to(out, "audit {} ({})  status {}  verdict {}\n", oneLine(details.audit.name), oneLine(details.audit.origin),
                   oneLine(verdict.status), verdictWords(verdict.outcome, verdict.severity));
    if (!details.audit.importedFrom.empty())
        fmt::format_to(out, "imported from {}, judged on {} at {}\n", oneLine(details.audit.importedFrom),
                       oneLine(store::deviceName(details.audit)), oneLine(details.audit.startedAt));
    if (!verdict.finding.empty())
        fmt::format_to(out, "{}\n", oneLine(verdict.finding));
    if (verdict.error && !verdict.error->empty())
        fmt::format_to(out, "error as recorded: {}\n", tameLines(*verdict.error, "  "));
    if (verdict.elapsedSeconds)
        fmt::format_to(out, "judged in {} s\n", json::exactNumber(*verdict.elapsedSeconds));
    if (verdict.nativeShape)
        fmt::format_to(out, "native shape [{}]\n", fmt::join(*verdict.nativeShape, ", "));
    if (verdict.outputAliasing.value_or(false))
        fmt::format_to(out, "the output shares memory with an input\n");
    if (!verdict.alignment.empty())
        fmt::format_to(out, "parameters aligned: {}\n", oneLine(verdict.alignment));
    for (const store::FlagRecord& flag : verdict.flags)
        fmt::format_to(out, "note {} {}: {}\n", oneLine(flag.gate), oneLine(flag.code), oneLine(flag.sentence));
    for (const std::string& word : verdict.isolation)
        fmt::format_to(out, "not isolated: {}\n", oneLine(word));
    for (const store::BaselineRecord& baseline : verdict.baselines)
        fmt::format_to(out, "{}\n", baselineText(baseline));
    fmt::format_to(out, "\ngates\n");
    bool any = false;
    for (const store::GateRecord& gate : verdict.gates) {
        if (wanted && gate.gate != *wanted)
            continue;
        writeGate(out, gate, details.audit, wanted.has_value(), shrunk);
        any = true;
    }
    if (!any)
        fmt::format_to(out, "  {}\n", wanted ? "this gate has no result" : "none ran");
}

void writePeople(Out out, const store::KernelDetails& details)
{
    for (const store::WaiverRow& waiver : details.waivers) {
        const std::string gate = waiver.gate.empty() ? "the whole kernel" : waiver.gate;
        fmt::format_to(out, "waiver for {} by {} at {}{}: {}\n", oneLine(gate), oneLine(waiver.author), waiver.createdAt,
                       waiver.withdrawnAt.empty() ? "" : ", withdrawn " + waiver.withdrawnAt, oneLine(waiver.reason));
    }
    for (const store::NoteRow& note : details.notes)
        fmt::format_to(out, "note by {} at {}:\n  {}\n", oneLine(note.author), note.createdAt, tameLines(note.body, "  "));
}

void writeCheckJson(json::ObjectText& object, const store::CheckRecord& check)
{
    object.text("code", check.code);
    object.text("verdict", contract::name(check.verdict));
    object.text("severity", contract::name(check.severity));
    object.text("stimulus", check.stimulus);
    object.text("metric", check.metric);
    object.measured("value", check.value);
    object.measured("threshold", check.threshold);
    if (contract::isMatterOfDegree(check.threshold))
        object.optional("holdout_bound", check.holdOutBound);
    object.measured("relative", check.relative);
    object.text("reason_code", check.reasonCode);
    object.text("finding", check.finding);
    object.text("recipe", check.recipe);
    object.text("stimulus_sha256", check.stimulusSha256);
    object.optional("output", check.output);
    json::Writer& index = object.key("worst_index");
    index.StartArray();
    for (const std::int64_t place : check.worstIndex)
        index.Int64(place);
    index.EndArray();
}

void writeGateJson(json::ObjectText& object, const store::GateRecord& gate, const std::optional<runner::ShrunkCheck>& shrunk)
{
    object.text("id", contract::id(gate.gate));
    object.text("verdict", contract::name(gate.verdict));
    object.text("severity", contract::name(gate.severity));
    object.optional("skipped", gate.skipped);
    object.optional("exercised", gate.exercised);
    object.optional("total", gate.total);
    object.text("metric", gate.metric);
    object.measured("value", gate.value);
    object.measured("threshold", gate.threshold);
    object.measured("relative", gate.relative);
    object.text("reason_code", gate.reasonCode);
    object.text("reason", gate.reason);
    object.text("finding", gate.finding);
    object.text("power", gate.power);
    int ordinal = 0;
    object.objects("checks", gate.checks, [&](const store::CheckRecord& check) {
        writeCheckJson(object, check);
        if (!shrunk || shrunk->ordinal != ordinal++)
            return;
        object.object("shrunk", [&] {
            object.text("remark", shrunk->remark);
            object.integer("questions", shrunk->questions);
            object.flag("found", shrunk->isFound());
            if (shrunk->isFound())
                writeCheckJson(object, shrunk->check);
        });
    });
}

void writeVerdictJson(json::ObjectText& object, const store::VerdictRecord& verdict, std::optional<contract::Gate> wanted,
                      const std::optional<runner::ShrunkCheck>& shrunk)
{
    object.text("status", verdict.status);
    object.text("verdict", contract::name(verdict.outcome));
    object.text("severity", contract::name(verdict.severity));
    object.text("finding", verdict.finding);
    object.optional("error", verdict.error);
    object.optional("elapsed_seconds", verdict.elapsedSeconds);
    object.optional("speedup", verdict.speedup);
    object.text("alignment", verdict.alignment);
    object.texts("isolation", verdict.isolation);
    object.objects("flags", verdict.flags, [&](const store::FlagRecord& flag) {
        object.text("code", flag.code);
        object.text("gate", flag.gate);
        object.text("sentence", flag.sentence);
    });
    object.objects("baselines", verdict.baselines, [&](const store::BaselineRecord& baseline) {
        object.text("mode", baseline.mode);
        object.text("verdict", baseline.verdict);
        if (json::Document trials; json::parse(baseline.trials, trials) || !trials.IsObject())
            object.text("trials", baseline.trials);
        else
            object.key("trials").RawValue(baseline.trials.data(), baseline.trials.size(), rapidjson::kObjectType);
        object.text("detail", baseline.detail);
    });
    std::vector<store::GateRecord> gates = verdict.gates;
    std::erase_if(gates, [&](const store::GateRecord& gate) { return wanted && gate.gate != *wanted; });
    object.objects("gates", gates, [&](const store::GateRecord& gate) { writeGateJson(object, gate, shrunk); });
}

} // namespace

std::string kernelText(const store::KernelDetails& details, std::optional<contract::Gate> gate, const std::string& database,
                       const std::optional<runner::ShrunkCheck>& shrunk)
{
    std::string text;
    const Out out = std::back_inserter(text);
    const store::KernelRecord& kernel = details.kernel;
    fmt::format_to(out, "{}  {}  ({}, {})\n", oneLine(kernel.externalId), oneLine(kernel.title), oneLine(kernel.family),
                   oneLine(kernel.language));
    if (details.corpusOrigin == "illustrative")
        fmt::format_to(out, "illustrative: written for demonstration, results not measured\n");
    if (details.verdict)
        writeVerdict(out, details, gate, shrunk);
    else
        fmt::format_to(out, "no audit judged this kernel\n");
    if (const std::string replay = gate ? replayCommand(details, *gate, database) : std::string(); !replay.empty())
        fmt::format_to(out, "replay: {}\n", oneLine(replay));
    fmt::format_to(out, "\nclaim {}\n", oneLine(kernel.claimStatus));
    if (!kernel.claim.empty())
        fmt::format_to(out, "  as recorded: {}\n", oneLine(kernel.claim));
    const auto source = [&](std::string_view role, const std::string& sha) {
        fmt::format_to(out, "{} source {}\n", role, sha.empty() ? "not in the database" : "sha256 " + sha);
    };
    source("candidate", details.candidateSha256);
    source("reference", details.referenceSha256);
    for (const store::OriginRow& origin : details.origins)
        fmt::format_to(out, "origin {} {} {}{}\n", oneLine(origin.corpus), oneLine(origin.externalId), oneLine(origin.path),
                       origin.inferred ? " (a guess from order)" : "");
    writePeople(out, details);
    return text;
}

std::string kernelJson(const store::KernelDetails& details, std::optional<contract::Gate> gate, const std::string& database,
                       const std::optional<runner::ShrunkCheck>& shrunk)
{
    json::ObjectText object("assay.show/1");
    object.text("id", details.kernel.externalId);
    object.text("title", details.kernel.title);
    object.text("family", details.kernel.family);
    object.text("language", details.kernel.language);
    object.text("corpus_origin", details.corpusOrigin);
    object.text("audit", details.audit.name);
    object.text("device", store::deviceName(details.audit));
    object.text("imported_from", details.audit.importedFrom);
    object.text("claim_status", details.kernel.claimStatus);
    object.text("claim", details.kernel.claim);
    object.text("candidate_sha256", details.candidateSha256);
    object.text("reference_sha256", details.referenceSha256);
    if (gate)
        object.text("replay", replayCommand(details, *gate, database));
    if (details.verdict) {
        writeVerdictJson(object, *details.verdict, gate, shrunk);
    } else {
        object.text("status", "not_judged");
        object.texts("gates", std::vector<std::string>());
    }
    object.objects("notes", details.notes, [&](const store::NoteRow& note) {
        object.text("body", note.body);
        object.text("author", note.author);
        object.text("created_at", note.createdAt);
    });
    object.objects("waivers", details.waivers, [&](const store::WaiverRow& waiver) {
        object.text("gate", waiver.gate);
        object.text("reason", waiver.reason);
        object.text("author", waiver.author);
        object.text("created_at", waiver.createdAt);
        object.text("withdrawn_at", waiver.withdrawnAt);
    });
    return object.finish();
}

} // namespace assay::cli
