// SPDX-License-Identifier: Apache-2.0
#include "core/runner/verdict_line.h"

#include "core/runner/verdict_read.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <set>
#include <span>
#include <utility>

namespace assay::runner {

namespace {

using contract::GateResult;
using contract::Verdict;

[[noreturn]] void refuse(const std::string& what)
{
    throw Error("the verdict makes no sense: " + what, "", "");
}

/// What a member has to be.
enum class Kind { Text, Name, TextOrNull, Severity, Count, Seed, Seconds, SecondsOrNull, Measured, List, Object, ObjectOrNull };

struct Member {
    const char* key;
    Kind kind;
};

constexpr std::array kLineMembers{
    Member{"id", Kind::Name},
    Member{"title", Kind::Text},
    Member{"op_family", Kind::Text},
    Member{"verdict", Kind::Name},
    Member{"contract", Kind::Object},
    Member{"contract_hash", Kind::Name},
    Member{"gates", Kind::List},
    Member{"flags", Kind::List},
    Member{"isolation", Kind::List},
    Member{"device", Kind::Name},
    Member{"seed", Kind::Seed},
    Member{"seconds", Kind::Seconds},
    Member{"alignment", Kind::Text},
    Member{"reason", Kind::Text},
    Member{"remedy", Kind::Text},
    Member{"started_at", Kind::Name},
    Member{"finished_at", Kind::TextOrNull},
    Member{"versions", Kind::ObjectOrNull},
    Member{"baseline", Kind::ObjectOrNull},
    Member{"candidate_sha256", Kind::TextOrNull},
    Member{"reference_sha256", Kind::TextOrNull},
};
constexpr std::array kGateMembers{
    Member{"id", Kind::Name},         Member{"verdict", Kind::Name}, Member{"severity", Kind::Severity},
    Member{"exercised", Kind::Count}, Member{"total", Kind::Count},  Member{"finding", Kind::Text},
    Member{"reason", Kind::Text},     Member{"power", Kind::Text},   Member{"seconds", Kind::SecondsOrNull},
    Member{"checks", Kind::List},
};
constexpr std::array kCheckMembers{
    Member{"code", Kind::Name},   Member{"verdict", Kind::Name},   Member{"severity", Kind::Severity},
    Member{"metric", Kind::Text}, Member{"value", Kind::Measured}, Member{"threshold", Kind::Measured},
    Member{"reason", Kind::Text}, Member{"sentence", Kind::Text},  Member{"stimulus", Kind::Object},
};
constexpr std::array kStimulusMembers{Member{"label", Kind::Text}, Member{"recipe", Kind::Text}, Member{"sha256", Kind::Text}};
constexpr std::array kFlagMembers{Member{"code", Kind::Name}, Member{"gate", Kind::Name}, Member{"sentence", Kind::Text}};
constexpr std::array kBaselineMembers{Member{"mode", Kind::Name}, Member{"verdict", Kind::Name}, Member{"detail", Kind::Text},
                                      Member{"trials", Kind::ObjectOrNull}};
constexpr std::array kTrialsMembers{Member{"passed", Kind::Count}, Member{"total", Kind::Count}};

bool isSeconds(const json::Value& value)
{
    return value.IsNumber() && std::isfinite(value.GetDouble()) && value.GetDouble() >= 0;
}

bool isCount(const json::Value& value)
{
    return value.IsInt() && value.GetInt() >= 0;
}

bool isMeasured(const json::Value& value)
{
    if (value.IsString()) {
        const std::string_view text(value.GetString(), value.GetStringLength());
        return text == "NaN" || text == "Infinity" || text == "-Infinity";
    }
    return value.IsNull() || (value.IsNumber() && std::isfinite(value.GetDouble()));
}

bool isSeverity(const json::Value& value)
{
    return value.IsNull()
        || (value.IsString() && value.GetStringLength() > 0
            && contract::severityFromName({value.GetString(), value.GetStringLength()}));
}

bool fits(const json::Value& value, Kind kind)
{
    switch (kind) {
    case Kind::Text:
        return value.IsString();
    case Kind::Name:
        return value.IsString() && value.GetStringLength() > 0;
    case Kind::TextOrNull:
        return value.IsString() || value.IsNull();
    case Kind::Severity:
        return isSeverity(value);
    case Kind::Count:
        return isCount(value);
    case Kind::Seed:
        return value.IsUint64();
    case Kind::Seconds:
        return isSeconds(value);
    case Kind::SecondsOrNull:
        return value.IsNull() || isSeconds(value);
    case Kind::Measured:
        return isMeasured(value);
    case Kind::List:
        return value.IsArray();
    case Kind::Object:
        return value.IsObject();
    case Kind::ObjectOrNull:
        return value.IsObject() || value.IsNull();
    }
    return false;
}

std::string_view words(Kind kind)
{
    switch (kind) {
    case Kind::Text:
        return "a text";
    case Kind::Name:
        return "a text that says something";
    case Kind::TextOrNull:
        return "a text or null";
    case Kind::Severity:
        return "a severity or null";
    case Kind::Count:
        return "a count";
    case Kind::Seed:
        return "a seed";
    case Kind::Seconds:
    case Kind::SecondsOrNull:
        return "a number of seconds";
    case Kind::Measured:
        return "a number, its text or null";
    case Kind::List:
        return "a list";
    case Kind::Object:
        return "an object";
    case Kind::ObjectOrNull:
        return "an object or null";
    }
    return "";
}

void require(const json::Value& object, const std::string& what, std::span<const Member> members)
{
    if (!object.IsObject())
        refuse(what + " is no object");
    for (const auto& [key, kind] : members) {
        const json::Value* const value = json::find(object, key);
        if (value == nullptr)
            refuse(fmt::format("{} has no \"{}\"", what, key));
        if (!fits(*value, kind))
            refuse(fmt::format("\"{}\" of {} is not {}", key, what, words(kind)));
    }
}

const json::Value& at(const json::Value& object, std::string_view key)
{
    return *json::find(object, key);
}

std::string textAt(const json::Value& object, std::string_view key)
{
    return json::stringAt(object, key).value_or("");
}

/// Where the output differs: written for checks with evidence alone.
void requireWorstIndex(const json::Value& check, const std::string& what)
{
    const json::Value* const index = json::find(check, "worst_index");
    if (index == nullptr)
        return;
    bool isIndex = index->IsArray();
    for (rapidjson::SizeType i = 0; isIndex && i < index->Size(); ++i)
        isIndex = (*index)[i].IsInt64() && (*index)[i].GetInt64() >= 0;
    if (!isIndex)
        refuse("\"worst_index\" of " + what + " is no index");
}

void requireCheck(const json::Value& check, const std::string& what)
{
    require(check, what, kCheckMembers);
    require(at(check, "stimulus"), "the stimulus of " + what, kStimulusMembers);
    requireWorstIndex(check, what);
}

void requireGates(const json::Value& gates)
{
    std::set<std::string> seen;
    for (const json::Value& gate : gates.GetArray()) {
        require(gate, "a gate", kGateMembers);
        const std::string id = textAt(gate, "id");
        if (!seen.insert(id).second)
            refuse("it has gate " + id + " twice");
        int number = 0;
        for (const json::Value& check : at(gate, "checks").GetArray())
            requireCheck(check, fmt::format("check {} of {}", number++, id));
    }
}

void requireShape(const json::Value& line)
{
    require(line, "the line", kLineMembers);
    requireGates(at(line, "gates"));
    for (const json::Value& flag : at(line, "flags").GetArray())
        require(flag, "a flag", kFlagMembers);
    for (const json::Value& word : at(line, "isolation").GetArray()) {
        if (!word.IsString())
            refuse("a word of \"isolation\" is no text");
    }
    const json::Value& baseline = at(line, "baseline");
    if (baseline.IsNull())
        return;
    require(baseline, "the baseline", kBaselineMembers);
    if (const json::Value& trials = at(baseline, "trials"); !trials.IsNull())
        require(trials, "the baseline's trials", kTrialsMembers);
}

/// What the parts say against each other.
void requireAgreement(const contract::Judgement& judgement)
{
    const Verdict verdict = judgement.verdict;
    if (verdict != Verdict::Pass && verdict != Verdict::Fail && verdict != Verdict::Inapplicable && verdict != Verdict::Error)
        refuse(fmt::format("\"{}\" is a verdict of gates alone", contract::name(verdict)));
    for (const GateResult& gate : judgement.gates) {
        if (verdict == Verdict::Pass && contract::countsAgainstCandidate(gate.verdict))
            refuse(fmt::format("it passes and {} fails", contract::id(gate.gate)));
    }
}

} // namespace

VerdictLine readVerdictLine(const json::Value& line)
{
    if (!line.IsObject() || textAt(line, "schema") != kVerdictLineSchema)
        throw Error(std::string("the line is no verdict of schema ") + kVerdictLineSchema, "", "");
    requireShape(line);
    VerdictLine read;
    try {
        ReceivedVerdict received = readVerdict(line);
        requireAgreement(received.judged.judgement);
        read.judged = std::move(received.judged);
        read.audit.key = std::move(received.key);
    } catch (const Error& error) {
        throw Error(error.problem(), "", ""); // no worker is to blame
    }
    read.audit.startedAt = textAt(line, "started_at");
    read.audit.finishedAt = textAt(line, "finished_at");
    read.kernel = {textAt(line, "id"),
                   textAt(line, "title"),
                   textAt(line, "op_family"),
                   textAt(line, "candidate_sha256"),
                   textAt(line, "reference_sha256"),
                   json::boolAt(line, "claimed_correct")};
    return read;
}

} // namespace assay::runner
