// SPDX-License-Identifier: Apache-2.0
#include "core/contract/contract.h"

#include <fmt/format.h>

namespace assay::contract {

namespace {

constexpr std::string_view text(Contract::Tf32 value)
{
    switch (value) {
    case Contract::Tf32::AsReference:
        return "as-reference";
    case Contract::Tf32::Forbid:
        return "forbid";
    case Contract::Tf32::Allow:
        return "allow";
    }
    return "";
}

constexpr std::string_view text(Contract::Subnormals value)
{
    switch (value) {
    case Contract::Subnormals::AsReference:
        return "as-reference";
    case Contract::Subnormals::Preserve:
        return "preserve";
    case Contract::Subnormals::Flush:
        return "flush";
    case Contract::Subnormals::Either:
        return "either";
    }
    return "";
}

constexpr std::string_view text(Contract::Training value)
{
    switch (value) {
    case Contract::Training::Auto:
        return "auto";
    case Contract::Training::Required:
        return "required";
    case Contract::Training::Off:
        return "off";
    }
    return "";
}

} // namespace

std::optional<Contract> profile(std::string_view name)
{
    Contract contract;
    contract.profile = name;
    if (name == "strict")
        return contract;
    if (name == "training") {
        contract.training = Contract::Training::Required;
        return contract;
    }
    if (name == "inference" || name == "kernelbench") {
        contract.training = Contract::Training::Off;
        return contract;
    }
    return std::nullopt;
}

std::string canonicalText(const Contract& contract)
{
    std::string gates;
    for (const Gate gate : contract.gates)
        gates += fmt::format("{}\"{}\"", gates.empty() ? "" : ",", id(gate));
    const ThresholdTableName& table = contract.thresholds;
    const std::string thresholds
        = table.isEmpty() ? "" : fmt::format(R"("thresholds":{{"device":"{}","version":"{}"}},)", table.device, table.version);
    return fmt::format(
        R"({{"atomics":"{}","bitwise_order":{},"cpu_budget_seconds":{},"gates":[{}],"memory_budget":{},"profile":"{}","repeats":{},)"
        R"("soft_failures":"{}","subnormals":"{}","tf32":"{}",{}"training":"{}"}})",
        contract.atomicsAllowed ? "allow" : "forbid", contract.bitwiseOrder, contract.cpuBudgetSeconds, gates,
        contract.memoryBudget, contract.profile, contract.repeats,
        contract.softFailures == Contract::SoftFailures::Fail ? "fail" : "report", text(contract.subnormals), text(contract.tf32),
        thresholds, text(contract.training));
}

} // namespace assay::contract
