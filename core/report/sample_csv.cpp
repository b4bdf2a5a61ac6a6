// SPDX-License-Identifier: Apache-2.0
#include "core/report/csv_text.h"
#include "core/report/sample_words.h"
#include "core/text/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::report {

namespace {

/// N_h / n_h: how many kernels of the frame each drawn one stands for.
std::string weightOf(const SampleEstimate& estimate, const std::string& name)
{
    for (const StratumEstimate& one : estimate.strata) {
        if (one.stratum.name == name && one.stratum.drawn > 0)
            return json::exactNumber(static_cast<double>(one.stratum.population) / static_cast<double>(one.stratum.drawn));
    }
    return {};
}

std::vector<std::string> labelFields(const store::LabelRow& row)
{
    return {row.kind,
            std::string(store::name(*row.label)),
            row.severity ? std::string(store::name(*row.severity)) : std::string(),
            row.reason,
            row.note,
            fmt::format("{}", fmt::join(row.evidence, " ")),
            row.reviewer,
            row.createdAt,
            row.blinded ? "true" : "false"};
}

} // namespace

std::string toCsv(const SampleReport& report)
{
    std::string text = csv::line({"plan",    "position", "draw",     "id",   "kernel",  "family",       "identity",
                                  "stratum", "weight",   "final",    "kind", "label",   "severity",     "reason",
                                  "note",    "evidence", "reviewer", "time", "blinded", "failed_gates", "finding"});
    for (const ReportItem& item : report.items) {
        std::vector<std::string> gates;
        for (const QuotedGate& gate : item.gates)
            gates.push_back(gate.gate);
        const std::vector<std::string> front
            = {report.estimate.plan.name,
               std::to_string(item.item.position),
               std::to_string(item.item.draw),
               item.item.externalId,
               item.item.title,
               item.item.family,
               item.item.identity,
               item.item.stratum,
               weightOf(report.estimate, item.item.stratum),
               item.final && item.final->label ? std::string(store::name(*item.final->label)) : finalWord(item)};
        const std::vector<std::string> back = {fmt::format("{}", fmt::join(gates, " ")), item.finding};
        const auto add = [&](const std::vector<std::string>& middle) {
            std::vector<std::string> fields = front;
            fields.insert(fields.end(), middle.begin(), middle.end());
            fields.insert(fields.end(), back.begin(), back.end());
            text += csv::line(fields);
        };
        for (const store::LabelRow& row : item.labels)
            add(labelFields(row));
        if (item.labels.empty())
            add(std::vector<std::string>(9));
    }
    return text;
}

} // namespace assay::report
