// SPDX-License-Identifier: Apache-2.0
#include "core/report/python_json.h"
#include "core/report/rule_engine.h"
#include "core/text/error.h"
#include "core/text/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

/// Reading rule sets: the JSON of a definition against the structs of the engine.
namespace assay::report {

namespace {

constexpr std::string_view kSchema = "assay.rules/1";

/// A value and the JSON pointer that leads to it, so that every complaint names its place.
struct Place {
    const json::Value* value;
    std::string pointer;
};

[[noreturn]] void complain(const Place& place, const std::string& problem, const std::string& remedy)
{
    throw Error("not a rule set: " + problem, place.pointer.empty() ? "whole document" : place.pointer, remedy);
}

void requireObject(const Place& place, std::initializer_list<std::string_view> keys)
{
    std::string known;
    for (const std::string_view key : keys)
        known += (known.empty() ? "" : ", ") + std::string(key);
    if (!place.value->IsObject())
        complain(place, "an object is wanted here", "Its members are " + known);
    for (const auto& member : place.value->GetObject()) {
        const std::string key(member.name.GetString(), member.name.GetStringLength());
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            complain({place.value, place.pointer + "/" + key}, "unknown member \"" + key + "\"", "Known members are " + known);
    }
}

std::optional<Place> member(const Place& place, std::string_view key)
{
    const json::Value* value = json::find(*place.value, key);
    if (value == nullptr)
        return std::nullopt;
    return Place{value, place.pointer + "/" + std::string(key)};
}

Place requiredMember(const Place& place, std::string_view key)
{
    if (auto found = member(place, key))
        return *found;
    complain(place, fmt::format("member \"{}\" is missing", key),
             "Start from a built-in one: assay report --print-rules as-published");
}

std::string text(const Place& place)
{
    if (!place.value->IsString())
        complain(place, "a text is wanted here", "Put it in double quotes");
    return {place.value->GetString(), place.value->GetStringLength()};
}

std::string textMember(const Place& place, std::string_view key)
{
    const auto found = member(place, key);
    return found ? text(*found) : std::string();
}

std::vector<Place> items(const Place& place)
{
    if (!place.value->IsArray())
        complain(place, "a list is wanted here", "Put it in [ ]");
    std::vector<Place> found;
    for (rapidjson::SizeType i = 0; i < place.value->Size(); ++i)
        found.push_back({&(*place.value)[i], fmt::format("{}/{}", place.pointer, i)});
    return found;
}

std::vector<Place> itemsMember(const Place& place, std::string_view key)
{
    const auto found = member(place, key);
    return found ? items(*found) : std::vector<Place>();
}

std::vector<std::string> texts(const Place& place, std::string_view key)
{
    std::vector<std::string> found;
    for (const Place& item : itemsMember(place, key))
        found.push_back(text(item));
    return found;
}

contract::Verdict verdictAt(const Place& place)
{
    const std::string name = text(place);
    const auto verdict = contract::verdictFromName(name);
    if (!verdict || *verdict == contract::Verdict::Absent)
        complain(place, "\"" + name + "\" is not a verdict",
                 "Verdicts are pass, fail, inapplicable, unsupported, not_exercised, unknown, crash, timeout, error");
    return *verdict;
}

GateCondition conditionAt(const Place& place)
{
    requireObject(place, {"gate", "verdicts", "reason_contains", "reason_code", "value_class"});
    GateCondition condition;
    const Place gatePlace = requiredMember(place, "gate");
    const std::string gate = text(gatePlace);
    condition.gate = contract::gateFromId(gate);
    if (!condition.gate && gate != "any")
        complain(gatePlace, "\"" + gate + "\" is not a gate", "Gates are CMP-01 to RES-02, or \"any\"");
    for (const Place& verdict : itemsMember(place, "verdicts"))
        condition.verdicts.push_back(verdictAt(verdict));
    condition.reasonContains = textMember(place, "reason_contains");
    condition.reasonCode = textMember(place, "reason_code");
    if (const auto valueClass = member(place, "value_class")) {
        condition.valueClass = tensor::valueClassFromName(text(*valueClass));
        if (condition.valueClass == tensor::ValueClass::Absent)
            complain(*valueClass, "\"" + text(*valueClass) + "\" is not a class of numbers",
                     "Classes are finite, nan, +inf, -inf");
    }
    return condition;
}

std::vector<GateCondition> conditions(const Place& place, std::string_view key)
{
    std::vector<GateCondition> found;
    for (const Place& item : items(requiredMember(place, key)))
        found.push_back(conditionAt(item));
    if (found.empty())
        complain(requiredMember(place, key), "at least one condition is wanted here", "Name a gate: {\"gate\": \"ORD-02\"}");
    return found;
}

Channel channelAt(const Place& place)
{
    if (place.value->IsObject() && json::find(*place.value, "gate") != nullptr)
        return {Channel::Kind::Gate, conditionAt(place), {}};
    requireObject(place, {"gate", "status", "status_not", "output_aliasing", "channel"});
    if (place.value->MemberCount() != 1)
        complain(place, "a channel has exactly one of gate, status, status_not, output_aliasing, channel",
                 "Split it into two channels");
    if (member(place, "status"))
        return {Channel::Kind::Status, {}, texts(place, "status")};
    if (member(place, "status_not"))
        return {Channel::Kind::StatusNot, {}, texts(place, "status_not")};
    if (const auto aliasing = member(place, "output_aliasing")) {
        if (!aliasing->value->IsTrue())
            complain(*aliasing, "only true means something here", "Leave the channel out to ignore aliasing");
        return {Channel::Kind::OutputAliasing, {}, {}};
    }
    const Place channel = requiredMember(place, "channel");
    if (text(channel) != "floor")
        complain(channel, "\"" + text(channel) + "\" is not a channel", "The one named channel is \"floor\"");
    return {Channel::Kind::Floor, {}, {}};
}

std::vector<Channel> channels(const Place& place, std::string_view key, bool floorMayBeNamed)
{
    std::vector<Channel> found;
    for (const Place& item : items(requiredMember(place, key))) {
        found.push_back(channelAt(item));
        if (found.back().kind == Channel::Kind::Floor && !floorMayBeNamed)
            complain(item, "the floor cannot be defined by itself", "Name gates, statuses or output_aliasing");
    }
    return found;
}

ArtifactRule artifactAt(const Place& place)
{
    requireObject(place, {"status", "error_prefixes", "error_contains"});
    return {text(requiredMember(place, "status")), texts(place, "error_prefixes"), texts(place, "error_contains")};
}

void readPopulation(const Place& place, Rules& rules)
{
    requireObject(place, {"accepted", "excluded_statuses", "artifacts"});
    const Place accepted = requiredMember(place, "accepted");
    requireObject(accepted, {"speedup_above"});
    const Place bound = requiredMember(accepted, "speedup_above");
    if (!bound.value->IsNumber())
        complain(bound, "a number is wanted here", "0 accepts every kernel with a speedup");
    rules.speedupAbove = bound.value->GetDouble();
    rules.excludedStatuses = texts(place, "excluded_statuses");
    for (const Place& artifact : itemsMember(place, "artifacts"))
        rules.artifacts.push_back(artifactAt(artifact));
}

Forgiveness forgivenessAt(const Place& place)
{
    requireObject(place, {"because", "when", "forgive"});
    return {conditions(place, "when"), conditions(place, "forgive"), text(requiredMember(place, "because"))};
}

json::Document parsed(std::string_view definition)
{
    json::Document document;
    if (const auto failure = json::parse(definition, document))
        throw Error("not a rule set: not JSON: " + failure->reason, fmt::format("byte {}", failure->byte), "Mend the file");
    return document;
}

Rules readRules(const json::Document& document)
{
    const Place root{&document, ""};
    requireObject(root, {"schema", "name", "title", "population", "floor", "violations", "forgiveness"});
    const Place schema = requiredMember(root, "schema");
    if (text(schema) != kSchema)
        complain(schema, "schema \"" + text(schema) + "\" is not read by this version", fmt::format("It reads \"{}\"", kSchema));
    const Place name = requiredMember(root, "name");
    if (text(name).empty() || text(name).find_first_of(" ,/:\"") != std::string::npos)
        complain(name, "a name is one word without space, comma, slash, colon or quote", "For example \"nan-equal\"");

    Rules rules;
    readPopulation(requiredMember(root, "population"), rules);
    rules.floor = channels(root, "floor", false);
    rules.violations = channels(root, "violations", true);
    for (const Place& item : itemsMember(root, "forgiveness"))
        rules.forgiveness.push_back(forgivenessAt(item));
    return rules;
}

} // namespace

RuleSet parseRuleSet(std::string_view definition)
{
    const json::Document document = parsed(definition);
    readRules(document);
    RuleSet ruleSet;
    ruleSet.name = *json::stringAt(document, "name");
    ruleSet.title = json::stringAt(document, "title").value_or(ruleSet.name);
    ruleSet.definition = pythonJson(document);
    ruleSet.hash = sha256Hex(ruleSet.definition);
    return ruleSet;
}

Rules compileRules(const RuleSet& ruleSet)
{
    return readRules(parsed(ruleSet.definition));
}

} // namespace assay::report
