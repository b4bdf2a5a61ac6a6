// SPDX-License-Identifier: Apache-2.0
#include "core/store/threshold_words.h"

#include "core/contract/thresholds.h"
#include "core/text/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::store {

namespace {

std::optional<double> boundOf(const GateRecord& gate)
{
    const auto it = std::ranges::find_if(gate.checks, [&](const CheckRecord& check) {
        return check.verdict == gate.verdict && check.value == gate.value && check.threshold == gate.threshold
            && check.metric == gate.metric;
    });
    return it == gate.checks.end() ? std::nullopt : it->holdOutBound;
}

} // namespace

contract::ThresholdTableName thresholdTableOf(const AuditRecord& audit)
{
    json::Document config;
    if (audit.gateConfig.empty() || json::parse(audit.gateConfig, config) || !config.IsObject())
        return {};
    const json::Value* const table = json::find(config, "thresholds");
    if (table == nullptr || !table->IsObject())
        return {};
    return {json::stringAt(*table, "version").value_or(""), json::stringAt(*table, "device").value_or("")};
}

std::string calibratedWords(double holdOutBound, const std::string& device)
{
    const double percent = 100 * holdOutBound;
    return fmt::format("calibrated ({}hold-out false alarms at most {:.{}f} %)", device.empty() ? "" : device + ", ", percent,
                       percent < 10 ? 1 : 0);
}

std::string thresholdWords(const tensor::Measured& threshold, const std::optional<double>& holdOutBound, const AuditRecord& audit)
{
    if (!contract::isMatterOfDegree(threshold) || !threshold.isFinite())
        return {};
    const std::string number = fmt::format("threshold {:.3g}, ", threshold.value);
    if (holdOutBound)
        return number + calibratedWords(*holdOutBound, thresholdTableOf(audit).device);
    if (audit.origin == "judged")
        return number + "not calibrated";
    return number + (audit.origin == "published" ? "as published" : "as recorded");
}

std::string thresholdWords(const CheckRecord& check, const AuditRecord& audit)
{
    return thresholdWords(check.threshold, check.holdOutBound, audit);
}

std::string thresholdWords(const GateRecord& gate, const AuditRecord& audit)
{
    return thresholdWords(gate.threshold, boundOf(gate), audit);
}

} // namespace assay::store
