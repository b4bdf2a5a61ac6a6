// SPDX-License-Identifier: Apache-2.0
#include "core/store/judgement_reader.h"

#include "core/store/artifact_store.h"
#include "core/store/guarded.h"
#include "core/store/statement.h"
#include "core/store/threshold_words.h"
#include "core/store/verdict_reader.h"
#include "core/text/error.h"

#include <charconv>
#include <iterator>
#include <utility>

namespace assay::store {

namespace {

using contract::CheckResult;
using contract::GateResult;

/// The version of the table of thresholds that the audit of @p verdictId was held to; "" where it was held to none.
std::string tableVersionOf(Database& database, std::int64_t verdictId)
{
    Statement query(database.sqlite(), "SELECT gate_config FROM audit WHERE id = (SELECT audit_id FROM verdict WHERE id = ?1)");
    AuditRecord audit;
    if (query.integer(1, verdictId).step() && !query.isNull(0))
        audit.gateConfig = query.textAt(0);
    return thresholdTableOf(audit).version;
}

CheckResult checkOf(CheckRecord record, const std::string& tableVersion)
{
    CheckResult check;
    check.code = std::move(record.code);
    check.verdict = record.verdict;
    check.severity = record.severity;
    check.stimulus.label = std::move(record.stimulus);
    check.stimulus.recipe = std::move(record.recipe);
    check.stimulus.sha256 = std::move(record.stimulusSha256);
    check.metric = std::move(record.metric);
    check.value = record.value;
    check.threshold = record.threshold;
    if (record.holdOutBound)
        check.calibrated = {tableVersion, *record.holdOutBound};
    check.reason = std::move(record.reasonCode);
    check.sentence = std::move(record.finding);
    if (record.output) {
        check.evidence.emplace();
        check.evidence->outputPath = std::move(*record.output);
        check.evidence->worstIndex = std::move(record.worstIndex);
    }
    return check;
}

GateResult gateOf(GateRecord record, const std::string& tableVersion)
{
    GateResult gate;
    gate.gate = record.gate;
    gate.verdict = record.verdict;
    gate.severity = record.severity;
    gate.exercised = record.exercised.value_or(0);
    gate.total = record.total.value_or(0);
    gate.finding = std::move(record.finding);
    gate.reason = std::move(record.reasonCode);
    gate.power = std::move(record.power);
    for (CheckRecord& check : record.checks)
        gate.checks.push_back(checkOf(std::move(check), tableVersion));
    return gate;
}

/// The error text of a verdict is its reason with the remedy behind it.
std::string remedyIn(const VerdictRecord& record)
{
    const std::string before = record.finding + ". ";
    return record.error && record.error->starts_with(before) ? record.error->substr(before.size()) : std::string();
}

} // namespace

JudgedAudit readJudgedAudit(Database& database, std::int64_t auditId)
{
    return guarded(database, [&] {
        Statement query(database.sqlite(),
                        "SELECT gate_config, coalesce(device, ''), coalesce(versions, ''), coalesce(seed, ''), "
                        "coalesce(started_at, ''), coalesce(finished_at, '') FROM audit "
                        "WHERE id = ?1 AND origin = 'judged' AND gate_config IS NOT NULL");
        if (!query.integer(1, auditId).step())
            throw Error("the audit was not made by the judge", database.path().string(), "Export it as jsonl");
        JudgedAudit audit;
        audit.key.contract = query.textAt(0);
        audit.key.device = query.textAt(1);
        audit.key.versions = query.textAt(2);
        const std::string_view seed = query.textAt(3);
        std::from_chars(seed.data(), seed.data() + seed.size(), audit.key.seed);
        audit.startedAt = query.textAt(4);
        audit.finishedAt = query.textAt(5);
        return audit;
    });
}

JudgedKernel readJudgedKernel(Database& database, std::int64_t verdictId)
{
    std::optional<VerdictRecord> record = guarded(database, [&] { return readVerdict(database.sqlite(), verdictId); });
    if (!record)
        throw Error("there is no verdict " + std::to_string(verdictId), database.path().string(), "Export again");
    const std::string tableVersion = guarded(database, [&] { return tableVersionOf(database, verdictId); });
    JudgedKernel judged;
    contract::Judgement& judgement = judged.judgement;
    judgement.verdict = record->outcome;
    judgement.hardFailed = record->severity == contract::Severity::Hard;
    judgement.reason = record->finding;
    judgement.alignment = record->alignment;
    judgement.seconds = record->elapsedSeconds.value_or(0);
    judged.remedy = remedyIn(*record);
    for (const contract::Gate gate : contract::kAllGates)
        judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))].gate = gate;
    for (GateRecord& gate : record->gates) {
        std::vector<ArtifactRecord> artifacts = artifactsOf(database, verdictId, contract::id(gate.gate));
        std::move(artifacts.begin(), artifacts.end(), std::back_inserter(judged.artifacts));
        judgement.gates[static_cast<std::size_t>(contract::indexOf(gate.gate))] = gateOf(std::move(gate), tableVersion);
    }
    for (FlagRecord& flag : record->flags) {
        if (const auto gate = contract::gateFromId(flag.gate))
            judgement.flags.push_back({std::move(flag.code), *gate, std::move(flag.sentence)});
    }
    judged.isolation = std::move(record->isolation);
    judged.baselines = std::move(record->baselines);
    return judged;
}

} // namespace assay::store
