// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stored_launch.h"

#include "core/store/verdict_reader.h"
#include "core/text/json.h"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <array>

namespace assay::launch {

namespace {

/// "[1,64,2,16,16]"; nothing where it is no such array.
std::optional<gdn::Shape> shapeFrom(const std::string& text)
{
    json::Document document;
    if (json::parse(text, document) || !document.IsArray() || document.Size() != 5)
        return std::nullopt;
    std::array<std::int64_t, 5> sizes{};
    for (rapidjson::SizeType i = 0; i < 5; ++i) {
        if (!document[i].IsInt64())
            return std::nullopt;
        sizes[i] = document[i].GetInt64();
    }
    return gdn::Shape{sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]};
}

std::optional<LaunchTiming> timingFrom(const std::string& text)
{
    json::Document object;
    if (text.empty() || json::parse(text, object))
        return std::nullopt;
    LaunchTiming timing;
    timing.device = json::stringAt(object, "device").value_or("");
    timing.kernel = json::stringAt(object, "kernel").value_or("");
    timing.forwardMilliseconds = json::numberAt(object, "forward_ms");
    timing.backwardMilliseconds = json::numberAt(object, "backward_ms");
    timing.bytesMinimum = json::numberAt(object, "bytes_min").value_or(0);
    timing.operations = json::numberAt(object, "flops").value_or(0);
    timing.floorMilliseconds = json::numberAt(object, "floor_ms");
    timing.floorWithStatesMilliseconds = json::numberAt(object, "floor_with_states_ms");
    timing.floorSource = json::stringAt(object, "floor_source").value_or("");
    timing.samples = static_cast<int>(json::integerAt(object, "samples").value_or(0));
    return timing;
}

std::vector<LaunchError> errorsFrom(const std::string& text)
{
    std::vector<LaunchError> errors;
    json::Document object;
    if (text.empty() || json::parse(text, object))
        return errors;
    const json::Value* const found = json::find(object, "errors");
    const json::Value* const allowed = json::find(object, "tolerance");
    if (found == nullptr || !found->IsObject() || allowed == nullptr)
        return errors;
    for (auto member = found->MemberBegin(); member != found->MemberEnd(); ++member) {
        const std::string name(member->name.GetString(), member->name.GetStringLength());
        const auto error = json::numberAt(*found, name);
        const auto tolerance = json::numberAt(*allowed, name);
        if (error && tolerance)
            errors.push_back({name, *error, *tolerance, *error <= *tolerance});
    }
    return errors;
}

/// The gate as it was told, with one check: the one that decided.
contract::GateResult gateFrom(const store::GateRecord& stored)
{
    contract::GateResult gate;
    gate.gate = stored.gate;
    gate.verdict = stored.verdict;
    gate.severity = stored.severity;
    gate.exercised = stored.exercised.value_or(0);
    gate.total = stored.total.value_or(0);
    gate.finding = stored.finding;
    gate.reason = stored.reasonCode;
    gate.power = stored.power;
    contract::CheckResult decided;
    decided.verdict = stored.verdict;
    decided.severity = stored.severity;
    decided.metric = stored.metric;
    decided.value = stored.value;
    decided.threshold = stored.threshold;
    gate.checks.push_back(std::move(decided));
    return gate;
}

contract::Judgement judgementFrom(const store::VerdictRecord& verdict)
{
    contract::Judgement judgement;
    judgement.verdict = verdict.outcome;
    judgement.hardFailed = verdict.severity == contract::Severity::Hard;
    judgement.reason = verdict.finding;
    judgement.seconds = verdict.elapsedSeconds.value_or(0);
    for (const contract::Gate gate : contract::kAllGates)
        judgement.gates[std::size_t(contract::indexOf(gate))].gate = gate;
    for (const store::GateRecord& gate : verdict.gates)
        judgement.gates[std::size_t(contract::indexOf(gate.gate))] = gateFrom(gate);
    return judgement;
}

} // namespace

std::optional<StoredLaunch> newestLaunch(store::Database& database)
{
    SQLite::Statement rows(database.sqlite(),
                           "SELECT r.verdict_id, v.kernel_id, r.family, r.shape, r.dtype, r.device, ifnull(r.timings, ''), "
                           "ifnull(r.errors, ''), r.created_at FROM gdn_run r JOIN verdict v ON v.id = r.verdict_id "
                           "ORDER BY r.id DESC LIMIT 1");
    if (!rows.executeStep())
        return std::nullopt;
    StoredLaunch launch;
    launch.verdictId = rows.getColumn(0).getInt64();
    launch.kernelId = rows.getColumn(1).getInt64();
    const auto family = gdn::familyNamed(rows.getColumn(2).getString());
    const auto shape = shapeFrom(rows.getColumn(3).getString());
    const auto dtype = tensor::dtypeFromName(rows.getColumn(4).getString());
    if (!family || !shape || !dtype)
        return std::nullopt; // of a build that knows more
    launch.request.family = *family;
    launch.request.shape = *shape;
    launch.request.dtype = *dtype;
    launch.request.device = rows.getColumn(5).getString();
    launch.timing = timingFrom(rows.getColumn(6).getString());
    launch.errors = errorsFrom(rows.getColumn(7).getString());
    launch.createdAt = rows.getColumn(8).getString();
    const auto verdict = store::readVerdict(database.sqlite(), launch.verdictId);
    if (!verdict)
        return std::nullopt;
    launch.judgement = judgementFrom(*verdict);
    launch.seconds = launch.judgement.seconds;
    return launch;
}

std::optional<LaunchRow> rowOf(store::Database& database, std::int64_t verdictId)
{
    SQLite::Statement rows(database.sqlite(),
                           "SELECT s.id, EXISTS (SELECT 1 FROM artifact a WHERE a.verdict_id = v.id AND a.role = 'candidate') "
                           "FROM scope s JOIN verdict v ON v.audit_id = s.audit_id WHERE v.id = ?1 LIMIT 1");
    rows.bind(1, verdictId);
    if (!rows.executeStep())
        return std::nullopt;
    return LaunchRow{rows.getColumn(0).getInt64(), rows.getColumn(1).getInt() != 0};
}

} // namespace assay::launch
