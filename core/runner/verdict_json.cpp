// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verdict_json.h"

#include "core/contract/shrink.h"
#include "core/runner/evidence_json.h"
#include "core/runner/excess_json.h"
#include "core/text/sha256.h"

namespace assay::runner {

namespace {

using contract::GateResult;
using contract::Severity;
using contract::Verdict;

void severity(json::ObjectText& out, Severity value)
{
    if (value == Severity::None)
        out.null("severity");
    else
        out.text("severity", contract::name(value));
}

void raw(json::ObjectText& out, std::string_view key, const std::string& object)
{
    if (object.empty())
        out.null(key);
    else
        out.key(key).RawValue(object.data(), object.size(), rapidjson::kObjectType);
}

void writeCheck(json::ObjectText& out, const contract::CheckResult& check)
{
    out.text("code", check.code);
    out.text("verdict", contract::name(check.verdict));
    severity(out, check.severity);
    out.text("metric", check.metric);
    out.measured("value", check.value);
    out.measured("threshold", check.threshold);
    if (contract::isMatterOfDegree(check.threshold)) {
        out.flag("calibrated", check.calibrated.has_value());
        if (check.calibrated) {
            out.text("calibration", check.calibrated->version);
            out.number("holdout_bound", check.calibrated->holdOutBound);
        }
    }
    out.text("reason", check.reason);
    out.text("sentence", check.sentence);
    out.object("stimulus", [&] {
        out.text("label", check.stimulus.label);
        out.text("recipe", check.stimulus.recipe);
        out.text("sha256", check.stimulus.sha256);
    });
    if (!check.evidence)
        return;
    out.text("output", check.evidence->outputPath);
    json::Writer& worst = out.key("worst_index");
    worst.StartArray();
    for (const std::int64_t index : check.evidence->worstIndex)
        worst.Int64(index);
    worst.EndArray();
}

std::vector<std::string_view> failuresOf(const contract::Judgement& judgement, bool hard)
{
    std::vector<std::string_view> ids;
    for (const GateResult& gate : judgement.gates) {
        if (contract::countsAgainstCandidate(gate.verdict) && (gate.severity == Severity::Hard) == hard)
            ids.push_back(contract::id(gate.gate));
    }
    return ids;
}

void writeShrunk(json::ObjectText& out, const contract::Shrunk& shrunk, std::int64_t evidenceBytes)
{
    out.text("remark", shrunk.remark);
    out.integer("questions", shrunk.questions);
    out.flag("found", shrunk.check != nullptr);
    if (!shrunk.check)
        return;
    writeCheck(out, *shrunk.check);
    if (evidenceBytes > 0)
        writeEvidence(out, *shrunk.check, evidenceBytes);
}

void writeBaseline(json::ObjectText& out, const std::optional<BaselineClaim>& claim)
{
    if (!claim) {
        out.null("baseline");
        return;
    }
    out.object("baseline", [&] {
        out.text("mode", claim->mode);
        out.text("verdict", claim->verdict);
        if (claim->total == 0)
            out.null("trials");
        else
            out.object("trials", [&] {
                out.integer("passed", claim->passed);
                out.integer("total", claim->total);
            });
        out.text("detail", claim->detail);
    });
}

/// `"who":{"build":{"requests":2,"seconds":0.1},...}`
void writeTime(json::ObjectText& out, const char* who, const PartyTime& time)
{
    out.object(who, [&] {
        for (const auto& [request, spent] : time)
            out.object(request.c_str(), [&] {
                out.integer("requests", spent.requests);
                out.number("seconds", spent.seconds);
            });
    });
}

} // namespace

void writeGate(json::ObjectText& out, const GateResult& gate, std::int64_t evidenceBytes, const CheckExtras& extras)
{
    out.text("id", contract::id(gate.gate));
    out.text("verdict", contract::name(gate.verdict));
    severity(out, gate.severity);
    out.integer("exercised", gate.exercised);
    out.integer("total", gate.total);
    out.text("finding", gate.finding);
    out.text("reason", gate.reason);
    out.text("power", gate.power);
    if (gate.seconds > 0)
        out.number("seconds", gate.seconds);
    else
        out.null("seconds");
    const contract::CheckResult* const worst = evidenceBytes > 0 ? contract::decidingCheck(gate) : nullptr;
    out.objects("checks", gate.checks, [&](const contract::CheckResult& check) {
        writeCheck(out, check);
        if (extras)
            return extras(out, gate, static_cast<std::size_t>(&check - gate.checks.data()));
        if (&check == worst)
            writeEvidence(out, check, evidenceBytes);
        if (check.shrunk)
            out.object("shrunk", [&] { writeShrunk(out, *check.shrunk, evidenceBytes); });
    });
}

void writeVerdict(json::ObjectText& out, const contract::Judgement& judgement, const VerdictContext& context)
{
    out.text("verdict", contract::name(judgement.verdict));
    // Where nothing was judged nothing is clean either.
    if (judgement.verdict == Verdict::Error || judgement.verdict == Verdict::Inapplicable)
        out.null("verdict_hard");
    else
        out.text("verdict_hard", judgement.hardFailed ? "fail" : "pass");
    out.text("profile", context.contract.profile);
    const std::string contractText = contract::canonicalText(context.contract);
    out.text("contract_hash", sha256Hex(contractText));
    raw(out, "contract", contractText);
    out.texts("hard_failures", failuresOf(judgement, true));
    out.texts("soft_failures", failuresOf(judgement, false));
    out.objects("flags", judgement.flags, [&](const contract::Flag& flag) {
        out.text("code", flag.code);
        out.text("gate", contract::id(flag.gate));
        out.text("sentence", flag.sentence);
    });
    out.text("alignment", judgement.alignment);
    out.text("reason", judgement.reason);
    writeBaseline(out, context.baseline);
    std::vector<const GateResult*> asked;
    for (const GateResult& gate : judgement.gates) {
        if (gate.verdict != Verdict::Absent)
            asked.push_back(&gate);
    }
    out.objects("gates", asked, [&](const GateResult* gate) { writeGate(out, *gate, context.evidenceBytes, context.extras); });
    if (context.excess)
        writeExcess(out, *context.excess);
    out.texts("isolation", context.isolation);
    out.text("device", context.device);
    raw(out, "device_facts", context.deviceFacts);
    raw(out, "versions", context.versions);
    out.key("seed").Uint64(context.seed);
    out.number("seconds", judgement.seconds);
    out.object("time", [&] {
        writeTime(out, "reference", context.referenceTime);
        writeTime(out, "candidate", context.candidateTime);
    });
}

} // namespace assay::runner
