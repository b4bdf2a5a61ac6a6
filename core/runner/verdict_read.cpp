// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verdict_read.h"

#include "core/runner/contract_json.h"
#include "core/runner/excess_json.h"
#include "core/runner/shrunk_check.h"
#include "core/text/base64.h"
#include "core/text/error.h"
#include "core/text/sha256.h"
#include "kernels/tensor/dtype.h"

#include <utility>

namespace assay::runner {

namespace {

using contract::CheckResult;
using contract::GateResult;

[[noreturn]] void refuse(const std::string& what)
{
    throw Error("the verdict makes no sense: " + what, "worker", "Use a worker of this version of Assay");
}

std::string textAt(const json::Value& object, std::string_view key)
{
    return json::stringAt(object, key).value_or("");
}

rapidjson::Value::ConstArray elements(const json::Value& object, std::string_view key)
{
    static const json::Value kNone(rapidjson::kArrayType);
    const json::Value* const list = json::find(object, key);
    return list != nullptr && list->IsArray() ? list->GetArray() : kNone.GetArray();
}

std::vector<std::int64_t> integersAt(const json::Value& object, std::string_view key)
{
    std::vector<std::int64_t> numbers;
    for (const json::Value& number : elements(object, key)) {
        if (!number.IsInt64())
            refuse("\"" + std::string(key) + "\" is no list of integers");
        numbers.push_back(number.GetInt64());
    }
    return numbers;
}

contract::Verdict verdictAt(const json::Value& object)
{
    const std::string word = textAt(object, "verdict");
    const auto verdict = contract::verdictFromName(word);
    if (!verdict)
        refuse("there is no verdict \"" + word.substr(0, 60) + "\"");
    return *verdict;
}

contract::Severity severityAt(const json::Value& object)
{
    return contract::severityFromName(textAt(object, "severity")).value_or(contract::Severity::None);
}

contract::Gate gateAt(const json::Value& object, std::string_view key)
{
    const std::string word = textAt(object, key);
    const auto gate = contract::gateFromId(word);
    if (!gate)
        refuse("there is no gate \"" + word.substr(0, 60) + "\"");
    return *gate;
}

tensor::Measured measuredAt(const json::Value& object, std::string_view key)
{
    const auto number = json::numberAt(object, key);
    return number ? tensor::measured(*number) : tensor::Measured{};
}

CheckResult readCheck(const json::Value& object)
{
    CheckResult check;
    check.code = textAt(object, "code");
    check.verdict = verdictAt(object);
    check.severity = severityAt(object);
    check.metric = textAt(object, "metric");
    check.value = measuredAt(object, "value");
    check.threshold = measuredAt(object, "threshold");
    if (json::boolAt(object, "calibrated").value_or(false))
        check.calibrated = {textAt(object, "calibration"), json::numberAt(object, "holdout_bound").value_or(1)};
    check.reason = textAt(object, "reason");
    check.sentence = textAt(object, "sentence");
    if (const json::Value* const stimulus = json::find(object, "stimulus"); stimulus != nullptr && stimulus->IsObject()) {
        check.stimulus.label = textAt(*stimulus, "label");
        check.stimulus.recipe = textAt(*stimulus, "recipe");
        check.stimulus.sha256 = textAt(*stimulus, "sha256");
    }
    if (const auto output = json::stringAt(object, "output")) {
        check.evidence.emplace();
        check.evidence->outputPath = *output;
        check.evidence->worstIndex = integersAt(object, "worst_index");
    }
    return check;
}

store::ArtifactRecord readArtifact(const json::Value& object)
{
    store::ArtifactRecord artifact;
    artifact.role = textAt(object, "role");
    artifact.name = textAt(object, "name");
    artifact.dtype = textAt(object, "dtype");
    const json::Value* const data = json::find(object, "data");
    if (data == nullptr || artifact.role.empty())
        refuse("a tensor of a check has no data");
    if (data->IsObject()) {
        artifact.bytes = json::toText(*data);
        return artifact;
    }
    artifact.shape = integersAt(object, "shape");
    artifact.strides = integersAt(object, "strides");
    const auto dtype = tensor::dtypeFromName(artifact.dtype);
    auto bytes = data->IsString() ? fromBase64({data->GetString(), data->GetStringLength()}) : std::nullopt;
    std::int64_t wanted = dtype ? tensor::sizeOf(*dtype) : -1;
    for (const std::int64_t size : artifact.shape)
        wanted = size < 0 || __builtin_mul_overflow(wanted, size, &wanted) ? -1 : wanted;
    if (!bytes || static_cast<std::int64_t>(bytes->size()) != wanted
        || (!artifact.strides.empty() && artifact.strides.size() != artifact.shape.size()))
        refuse("the bytes of " + artifact.role + " " + artifact.name.substr(0, 60) + " do not fit its shape");
    artifact.bytes = std::move(*bytes);
    return artifact;
}

/// @param prefix  before the roles: "" for what the judge asked, kShrunkRole and "_" for the smaller stimulus
void readArtifacts(const json::Value& check, const std::string& prefix, const GateResult& gate,
                   std::vector<store::ArtifactRecord>& artifacts)
{
    const auto add = [&](store::ArtifactRecord artifact) {
        artifact.role = prefix + artifact.role;
        artifact.gate = contract::id(gate.gate);
        artifact.ordinal = static_cast<int>(gate.checks.size()) - 1;
        artifacts.push_back(std::move(artifact));
    };
    for (const json::Value& element : elements(check, "evidence")) {
        if (!element.IsObject())
            refuse("a tensor of a check is no object");
        add(readArtifact(element));
    }
    const json::Value* const shrunk = prefix.empty() ? json::find(check, "shrunk") : nullptr;
    if (shrunk == nullptr || !shrunk->IsObject())
        return;
    json::Document told;
    told.CopyFrom(*shrunk, told.GetAllocator());
    told.EraseMember("evidence");
    store::ArtifactRecord summary;
    summary.role = kShrunkRole;
    summary.name = "check";
    summary.bytes = json::toText(told);
    add(std::move(summary));
    readArtifacts(*shrunk, std::string(kShrunkRole) + "_", gate, artifacts);
}

GateResult readGate(const json::Value& object, std::vector<store::ArtifactRecord>& artifacts)
{
    GateResult gate;
    gate.gate = gateAt(object, "id");
    gate.verdict = verdictAt(object);
    gate.severity = severityAt(object);
    gate.exercised = static_cast<int>(json::integerAt(object, "exercised").value_or(0));
    gate.total = static_cast<int>(json::integerAt(object, "total").value_or(0));
    gate.finding = textAt(object, "finding");
    gate.reason = textAt(object, "reason");
    gate.power = textAt(object, "power");
    gate.seconds = json::numberAt(object, "seconds").value_or(0);
    for (const json::Value& check : elements(object, "checks")) {
        if (!check.IsObject())
            refuse("a check is no object");
        gate.checks.push_back(readCheck(check));
        readArtifacts(check, "", gate, artifacts);
    }
    return gate;
}

void readBaseline(const json::Value& verdict, std::vector<store::BaselineRecord>& baselines)
{
    const json::Value* const baseline = json::find(verdict, "baseline");
    if (baseline == nullptr || !baseline->IsObject())
        return;
    store::BaselineRecord record{textAt(*baseline, "mode"), textAt(*baseline, "verdict"), "", textAt(*baseline, "detail")};
    if (const json::Value* const trials = json::find(*baseline, "trials"); trials != nullptr && !trials->IsNull())
        record.trials = json::toText(*trials);
    baselines.push_back(std::move(record));
}

store::JudgedAuditKey readKey(const json::Value& verdict)
{
    store::JudgedAuditKey key;
    const json::Value* const contract = json::find(verdict, "contract");
    if (contract == nullptr || !contract->IsObject())
        refuse("it names no contract");
    key.contract = contract::canonicalText(readContract(*contract));
    if (sha256Hex(key.contract) != textAt(verdict, "contract_hash"))
        refuse("its contract is not the one it was judged under");
    key.device = textAt(verdict, "device");
    if (const json::Value* const versions = json::find(verdict, "versions"); versions != nullptr && versions->IsObject())
        key.versions = json::toText(*versions);
    if (const json::Value* const seed = json::find(verdict, "seed"); seed != nullptr && seed->IsUint64())
        key.seed = seed->GetUint64();
    return key;
}

/// The time spent waiting for one party; what a worker of another version says of it is passed over.
PartyTime readTime(const json::Value& verdict, const char* who)
{
    PartyTime time;
    const json::Value* const all = json::find(verdict, "time");
    const json::Value* const party = all != nullptr && all->IsObject() ? json::find(*all, who) : nullptr;
    if (party == nullptr || !party->IsObject())
        return time;
    for (const auto& member : party->GetObject()) {
        if (member.value.IsObject())
            time[member.name.GetString()] = {static_cast<int>(json::integerAt(member.value, "requests").value_or(0)),
                                             json::numberAt(member.value, "seconds").value_or(0)};
    }
    return time;
}

} // namespace

ReceivedVerdict readVerdict(const json::Value& verdict)
{
    if (!verdict.IsObject())
        refuse("it is no object");
    ReceivedVerdict read;
    read.key = readKey(verdict);
    contract::Judgement& judgement = read.judged.judgement;
    judgement.verdict = verdictAt(verdict);
    judgement.hardFailed = textAt(verdict, "verdict_hard") == "fail";
    for (const contract::Gate gate : contract::kAllGates)
        judgement.gates[static_cast<std::size_t>(contract::indexOf(gate))].gate = gate;
    for (const json::Value& gate : elements(verdict, "gates")) {
        if (!gate.IsObject())
            refuse("a gate is no object");
        GateResult result = readGate(gate, read.judged.artifacts);
        judgement.gates[static_cast<std::size_t>(contract::indexOf(result.gate))] = std::move(result);
    }
    for (const json::Value& flag : elements(verdict, "flags")) {
        if (flag.IsObject())
            judgement.flags.push_back({textAt(flag, "code"), gateAt(flag, "gate"), textAt(flag, "sentence")});
    }
    judgement.alignment = textAt(verdict, "alignment");
    judgement.reason = textAt(verdict, "reason");
    judgement.seconds = json::numberAt(verdict, "seconds").value_or(0);
    for (const json::Value& word : elements(verdict, "isolation")) {
        if (word.IsString())
            read.judged.isolation.emplace_back(word.GetString(), word.GetStringLength());
    }
    readBaseline(verdict, read.judged.baselines);
    if (const json::Value* const facts = json::find(verdict, "device_facts"); facts != nullptr && facts->IsObject())
        read.deviceName = textAt(*facts, "name");
    read.excess = readExcess(verdict);
    read.referenceTime = readTime(verdict, "reference");
    read.candidateTime = readTime(verdict, "candidate");
    read.judged.remedy = textAt(verdict, "remedy");
    return read;
}

contract::GateResult readGateResult(const json::Value& gate)
{
    if (!gate.IsObject())
        refuse("a gate is no object");
    std::vector<store::ArtifactRecord> unused;
    return readGate(gate, unused);
}

void eraseEvidence(json::Value& verdict)
{
    const auto each = [](json::Value& object, const char* key, const auto& work) {
        const auto member = object.IsObject() ? object.FindMember(key) : object.MemberEnd();
        if (member == object.MemberEnd() || !member->value.IsArray())
            return;
        for (json::Value& element : member->value.GetArray())
            work(element);
    };
    each(verdict, "gates", [&](json::Value& gate) {
        each(gate, "checks", [](json::Value& check) {
            if (!check.IsObject())
                return;
            check.EraseMember("evidence");
            if (const auto shrunk = check.FindMember("shrunk"); shrunk != check.MemberEnd() && shrunk->value.IsObject())
                shrunk->value.EraseMember("evidence");
        });
    });
}

} // namespace assay::runner
