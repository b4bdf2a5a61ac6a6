// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_json.h"

#include "core/runner/thresholds_json.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>

namespace assay::runner {

namespace {

using contract::Contract;

[[noreturn]] void refuse(std::string_view member, std::string_view wanted)
{
    throw Error(fmt::format("the contract's \"{}\" is not {}", member, wanted), "contract", "See `assay verify --help`");
}

template <typename E>
E oneOf(std::string_view member, const json::Value& value, std::initializer_list<std::pair<std::string_view, E>> choices)
{
    std::string names;
    for (const auto& [name, choice] : choices) {
        if (value.IsString() && name == value.GetString())
            return choice;
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    refuse(member, "one of " + names);
}

std::int64_t positive(std::string_view member, const json::Value& value)
{
    if (!value.IsInt64() || value.GetInt64() <= 0)
        refuse(member, "a positive integer");
    return value.GetInt64();
}

std::set<contract::Gate> readGates(const json::Value& value)
{
    if (!value.IsArray())
        refuse("gates", "a list of gates");
    std::set<contract::Gate> gates;
    for (const json::Value& element : value.GetArray()) {
        const auto gate = element.IsString() ? contract::gateFromId(element.GetString()) : std::nullopt;
        if (!gate)
            refuse("gates", "a list of gates such as \"CMP-01\"");
        gates.insert(*gate);
    }
    return gates;
}

using Setter = std::function<void(Contract&, const json::Value&)>;

const std::map<std::string_view, Setter>& setters()
{
    static const std::map<std::string_view, Setter> kSetters = {
        {"profile", [](Contract&, const json::Value&) {}},
        {"atomics",
         [](Contract& c, const json::Value& v) {
             c.atomicsAllowed = oneOf<bool>("atomics", v, {{"allow", true}, {"forbid", false}});
         }},
        {"bitwise_order",
         [](Contract& c, const json::Value& v) {
             if (!v.IsBool())
                 refuse("bitwise_order", "true or false");
             c.bitwiseOrder = v.GetBool();
         }},
        {"cpu_budget_seconds",
         [](Contract& c, const json::Value& v) {
             if (!v.IsNumber() || !std::isfinite(v.GetDouble()) || v.GetDouble() <= 0)
                 refuse("cpu_budget_seconds", "a positive number");
             c.cpuBudgetSeconds = v.GetDouble();
         }},
        {"gates", [](Contract& c, const json::Value& v) { c.gates = readGates(v); }},
        {"memory_budget", [](Contract& c, const json::Value& v) { c.memoryBudget = positive("memory_budget", v); }},
        {"repeats",
         [](Contract& c, const json::Value& v) {
             const std::int64_t repeats = positive("repeats", v);
             if (repeats > 1'000'000)
                 refuse("repeats", "at most a million");
             c.repeats = static_cast<int>(repeats);
         }},
        {"soft_failures",
         [](Contract& c, const json::Value& v) {
             using S = Contract::SoftFailures;
             c.softFailures = oneOf<S>("soft_failures", v, {{"fail", S::Fail}, {"report", S::Report}});
         }},
        {"subnormals",
         [](Contract& c, const json::Value& v) {
             using S = Contract::Subnormals;
             c.subnormals = oneOf<S>(
                 "subnormals", v,
                 {{"as-reference", S::AsReference}, {"preserve", S::Preserve}, {"flush", S::Flush}, {"either", S::Either}});
         }},
        {"tf32",
         [](Contract& c, const json::Value& v) {
             using T = Contract::Tf32;
             c.tf32 = oneOf<T>("tf32", v, {{"as-reference", T::AsReference}, {"forbid", T::Forbid}, {"allow", T::Allow}});
         }},
        {"thresholds", [](Contract& c, const json::Value& v) { c.thresholds = readThresholdTableName(v); }},
        {"training",
         [](Contract& c, const json::Value& v) {
             using T = Contract::Training;
             c.training = oneOf<T>("training", v, {{"auto", T::Auto}, {"required", T::Required}, {"off", T::Off}});
         }},
    };
    return kSetters;
}

Contract namedProfile(std::string_view name)
{
    const auto found = contract::profile(name);
    if (!found)
        throw Error(fmt::format("no contract profile is called \"{}\"", name.substr(0, 60)), "contract",
                    "Profiles are strict, training, inference, kernelbench");
    return *found;
}

} // namespace

Contract readContract(const json::Value& value)
{
    if (value.IsString())
        return namedProfile({value.GetString(), value.GetStringLength()});
    if (!value.IsObject())
        throw Error("a contract is a profile's name or an object", "contract",
                    "Profiles are strict, training, inference, kernelbench");
    Contract contract = namedProfile(json::stringAt(value, "profile").value_or("strict"));
    for (const auto& member : value.GetObject()) {
        const std::string_view name(member.name.GetString(), member.name.GetStringLength());
        const auto setter = setters().find(name);
        if (setter == setters().end())
            throw Error(fmt::format("a contract has no member \"{}\"", name.substr(0, 60)), "contract",
                        "See `assay verify --help`");
        setter->second(contract, member.value);
    }
    return contract;
}

} // namespace assay::runner
