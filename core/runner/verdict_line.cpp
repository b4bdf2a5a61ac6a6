// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verdict_line.h"

#include "core/runner/contract_json.h"
#include "core/runner/shrunk_check.h"
#include "core/runner/verdict_json.h"
#include "core/text/base64.h"
#include "core/text/error.h"
#include "core/text/raw_json.h"

#include <algorithm>
#include <vector>

namespace assay::runner {

namespace {

using Artifacts = std::vector<const store::ArtifactRecord*>;

constexpr const char* kCallRole = "call";

void integers(json::Writer& writer, const std::vector<std::int64_t>& values)
{
    writer.StartArray();
    for (const std::int64_t value : values)
        writer.Int64(value);
    writer.EndArray();
}

/// The call's object with @p more named among what is left out.
std::string callNaming(const std::string& text, const std::vector<std::string>& more)
{
    json::Document call;
    if (json::parse(text, call) || !call.IsObject())
        throw Error("the record of a call is no JSON object", "artifact", "Check the database: assay db check");
    auto& pool = call.GetAllocator();
    if (!call.HasMember("left_out") || !call["left_out"].IsArray())
        call.AddMember("left_out", json::Value(rapidjson::kArrayType), pool);
    for (const std::string& name : more)
        call["left_out"].PushBack(json::Value(name, pool), pool);
    return json::toText(call);
}

/// @param prefix  before the roles in the database, not in the line
void writeEvidence(json::ObjectText& out, const Artifacts& all, const std::string& prefix, std::int64_t limit)
{
    Artifacts kept;
    std::vector<std::string> leftOut;
    for (const store::ArtifactRecord* artifact : all) {
        const std::string role = artifact->role.substr(prefix.size());
        if (role == kCallRole || static_cast<std::int64_t>(artifact->bytes.size()) <= limit)
            kept.push_back(artifact);
        else
            leftOut.push_back(role + " " + artifact->name);
    }
    if (kept.empty())
        return;
    out.objects("evidence", kept, [&](const store::ArtifactRecord* artifact) {
        out.text("role", artifact->role.substr(prefix.size()));
        out.text("name", artifact->name);
        if (artifact->role == prefix + kCallRole) {
            const std::string call = callNaming(artifact->bytes, leftOut);
            out.key("data").RawValue(call.data(), call.size(), rapidjson::kObjectType);
            return;
        }
        out.text("dtype", artifact->dtype);
        integers(out.key("shape"), artifact->shape);
        if (!artifact->strides.empty())
            integers(out.key("strides"), artifact->strides);
        out.text("data", toBase64(artifact->bytes));
    });
}

/// What one check left behind, as the worker had written it beside the check.
void writeExtras(json::ObjectText& out, const std::vector<store::ArtifactRecord>& artifacts, std::string_view gate,
                 std::size_t ordinal, std::int64_t limit)
{
    const std::string shrunkPrefix = std::string(kShrunkRole) + "_";
    const store::ArtifactRecord* shrunk = nullptr;
    Artifacts own;
    Artifacts ofShrunk;
    for (const store::ArtifactRecord& artifact : artifacts) {
        if (artifact.gate != gate || artifact.ordinal != static_cast<int>(ordinal))
            continue;
        if (artifact.role == kShrunkRole)
            shrunk = &artifact;
        else
            (artifact.role.starts_with(shrunkPrefix) ? ofShrunk : own).push_back(&artifact);
    }
    writeEvidence(out, own, "", limit);
    if (shrunk == nullptr)
        return;
    out.object("shrunk", [&] {
        for (const json::RawMember& member : json::rawMembers(shrunk->bytes))
            out.key(member.key).RawValue(member.value.data(), member.value.size(), rapidjson::kObjectType);
        writeEvidence(out, ofShrunk, shrunkPrefix, limit);
    });
}

contract::Contract contractIn(const std::string& text)
{
    json::Document document;
    if (json::parse(text, document))
        throw Error("the audit's contract is no JSON", "audit", "Check the database: assay db check");
    contract::Contract contract = readContract(document);
    if (contract::canonicalText(contract) != text)
        throw Error("the audit was held to a contract that this version writes otherwise", "audit",
                    "Export it with the version that judged it");
    return contract;
}

std::optional<BaselineClaim> claimIn(const std::vector<store::BaselineRecord>& baselines)
{
    if (baselines.empty())
        return std::nullopt;
    const store::BaselineRecord& record = baselines.front();
    BaselineClaim claim;
    claim.mode = record.mode;
    claim.verdict = record.verdict;
    claim.detail = record.detail;
    json::Document trials;
    if (!json::parse(record.trials, trials) && trials.IsObject()) {
        claim.passed = static_cast<int>(json::integerAt(trials, "passed").value_or(0));
        claim.total = static_cast<int>(json::integerAt(trials, "total").value_or(0));
    }
    return claim;
}

void textOrNull(json::ObjectText& out, std::string_view key, const std::string& value)
{
    out.optional(key, value.empty() ? std::nullopt : std::optional(value));
}

} // namespace

std::string verdictLine(const VerdictLineKernel& kernel, const store::JudgedAudit& audit, const store::JudgedKernel& judged,
                        std::int64_t evidenceBytes)
{
    json::ObjectText out(kVerdictLineSchema);
    out.text("id", kernel.externalId);
    out.text("title", kernel.title);
    out.text("op_family", kernel.family);
    textOrNull(out, "candidate_sha256", kernel.candidateSha256);
    textOrNull(out, "reference_sha256", kernel.referenceSha256);
    if (kernel.claimedCorrect)
        out.flag("claimed_correct", *kernel.claimedCorrect);
    else
        out.null("claimed_correct");
    out.text("started_at", audit.startedAt);
    textOrNull(out, "finished_at", audit.finishedAt);
    VerdictContext context;
    context.contract = contractIn(audit.key.contract);
    context.device = audit.key.device;
    context.versions = audit.key.versions;
    context.seed = audit.key.seed;
    context.isolation = judged.isolation;
    context.baseline = claimIn(judged.baselines);
    context.extras = [&](json::ObjectText& check, const contract::GateResult& gate, std::size_t ordinal) {
        writeExtras(check, judged.artifacts, contract::id(gate.gate), ordinal, evidenceBytes);
    };
    writeVerdict(out, judged.judgement, context);
    out.text("remedy", judged.remedy);
    return out.finish();
}

} // namespace assay::runner
