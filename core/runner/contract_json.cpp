// SPDX-License-Identifier: Apache-2.0
#include "core/runner/contract_json.h"

#include "core/runner/thresholds_json.h"
#include "core/text/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// The member @p key of @p object as a place: an integer from 0 on.
int place(std::string_view member, const json::Value& object, const char* key)
{
    const json::Value* const value = json::find(object, key);
    constexpr int kMost = 64; // inputs and dimensions that anybody has
    if (value == nullptr || !value->IsInt() || value->GetInt() < 0 || value->GetInt() >= kMost)
        refuse(member, fmt::format("a list of objects whose \"{}\" counts from 0", key));
    return value->GetInt();
}

/// Only members in @p known, each entry an object.
void requireObjects(std::string_view member, const json::Value& value, std::initializer_list<std::string_view> known)
{
    if (!value.IsArray())
        refuse(member, "a list of objects");
    for (const json::Value& entry : value.GetArray()) {
        if (!entry.IsObject())
            refuse(member, "a list of objects");
        for (const auto& each : entry.GetObject()) {
            const std::string_view name(each.name.GetString(), each.name.GetStringLength());
            if (std::ranges::find(known, name) == known.end())
                refuse(member, fmt::format("a list of objects with {} alone", fmt::join(known, ", ")));
        }
    }
}

std::optional<double> bound(const json::Value& object, const char* key)
{
    const json::Value* const value = json::find(object, key);
    if (value == nullptr)
        return std::nullopt;
    if (!value->IsNumber() || !std::isfinite(value->GetDouble()))
        refuse("domains", "a list of objects whose bounds are numbers");
    return value->GetDouble();
}

std::vector<contract::InputDomain> readDomains(const json::Value& value)
{
    requireObjects("domains", value, {"input", "low", "high", "row_norm"});
    std::vector<contract::InputDomain> domains;
    for (const json::Value& entry : value.GetArray()) {
        const contract::InputDomain domain{place("domains", entry, "input"), bound(entry, "low"), bound(entry, "high"),
                                           bound(entry, "row_norm")};
        if (domain.low && domain.high && !(*domain.low < *domain.high))
            refuse("domains", "a list of objects whose \"low\" is below \"high\"");
        if (domain.rowNorm && !(*domain.rowNorm > 0))
            refuse("domains", "a list of objects whose \"row_norm\" is positive");
        domains.push_back(domain);
    }
    return domains;
}

std::vector<contract::SizeDomain> readSizes(const json::Value& value)
{
    requireObjects("sizes", value, {"input", "dimension", "allowed"});
    std::vector<contract::SizeDomain> sizes;
    for (const json::Value& entry : value.GetArray()) {
        contract::SizeDomain size{place("sizes", entry, "input"), place("sizes", entry, "dimension"), {}};
        const json::Value* const allowed = json::find(entry, "allowed");
        if (allowed == nullptr || !allowed->IsArray() || allowed->Empty())
            refuse("sizes", "a list of objects whose \"allowed\" lists sizes");
        for (const json::Value& each : allowed->GetArray())
            size.allowed.push_back(positive("sizes", each));
        sizes.push_back(std::move(size));
    }
    return sizes;
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
        {"domains", [](Contract& c, const json::Value& v) { c.domains = readDomains(v); }},
        {"gates", [](Contract& c, const json::Value& v) { c.gates = readGates(v); }},
        {"memory_budget", [](Contract& c, const json::Value& v) { c.memoryBudget = positive("memory_budget", v); }},
        {"operands",
         [](Contract& c, const json::Value& v) {
             using O = Contract::Operands;
             c.operands = oneOf<O>("operands", v, {{"as-accumulator", O::AsAccumulator}, {"as-inputs", O::AsInputs}});
         }},
        {"repeats",
         [](Contract& c, const json::Value& v) {
             const std::int64_t repeats = positive("repeats", v);
             if (repeats > 1'000'000)
                 refuse("repeats", "at most a million");
             c.repeats = static_cast<int>(repeats);
         }},
        {"sizes", [](Contract& c, const json::Value& v) { c.sizes = readSizes(v); }},
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
