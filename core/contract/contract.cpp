// SPDX-License-Identifier: Apache-2.0
#include "core/contract/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// "domains":[...], or nothing where there are none.
std::string text(const std::vector<InputDomain>& domains)
{
    std::string entries;
    for (const InputDomain& domain : domains) {
        entries += entries.empty() ? "" : ",";
        entries += domain.high ? fmt::format(R"({{"high":{},)", *domain.high) : "{";
        entries += fmt::format(R"("input":{})", domain.input);
        entries += domain.low ? fmt::format(R"(,"low":{})", *domain.low) : "";
        entries += domain.rowNorm ? fmt::format(R"(,"row_norm":{}}})", *domain.rowNorm) : "}";
    }
    return entries.empty() ? "" : fmt::format(R"("domains":[{}],)", entries);
}

/// "sizes":[...], or nothing where all are free.
std::string text(const std::vector<SizeDomain>& sizes)
{
    std::string entries;
    for (const SizeDomain& size : sizes)
        entries += fmt::format(R"({}{{"allowed":[{}],"dimension":{},"input":{}}})", entries.empty() ? "" : ",",
                               fmt::join(size.allowed, ","), size.dimension, size.input);
    return entries.empty() ? "" : fmt::format(R"("sizes":[{}],)", entries);
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
        R"({{"atomics":"{}","bitwise_order":{},"cpu_budget_seconds":{},{}"gates":[{}],"memory_budget":{},{}"profile":"{}","repeats":{},)"
        R"({}"soft_failures":"{}","subnormals":"{}","tf32":"{}",{}"training":"{}"}})",
        contract.atomicsAllowed ? "allow" : "forbid", contract.bitwiseOrder, contract.cpuBudgetSeconds, text(contract.domains),
        gates, contract.memoryBudget, contract.operands == Contract::Operands::AsInputs ? R"("operands":"as-inputs",)" : "",
        contract.profile, contract.repeats, text(contract.sizes),
        contract.softFailures == Contract::SoftFailures::Fail ? "fail" : "report", text(contract.subnormals), text(contract.tf32),
        thresholds, text(contract.training));
}

} // namespace assay::contract
