// SPDX-License-Identifier: Apache-2.0
#include "core/report/csv_text.h"
#include "core/report/export_format.h"
#include "core/text/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::report {

namespace {

using csv::line;

std::string number(const std::optional<double>& value)
{
    return value ? json::exactNumber(*value) : "";
}

std::string number(const tensor::Measured& value)
{
    return value.isPresent() ? json::exactNumber(tensor::toDouble(value)) : "";
}

template <typename T> std::string integer(const std::optional<T>& value)
{
    return value ? fmt::format("{}", *value) : "";
}

std::string flag(const std::optional<bool>& value)
{
    return value ? (*value ? "true" : "false") : "";
}

void addGate(std::vector<std::string>& fields, const store::GateRecord* gate)
{
    if (gate == nullptr) {
        fields.resize(fields.size() + 9);
        return;
    }
    const std::initializer_list<std::string> values = {std::string(contract::name(gate->verdict)),
                                                       std::string(contract::name(gate->severity)),
                                                       number(gate->value),
                                                       number(gate->threshold),
                                                       number(gate->relative),
                                                       integer(gate->skipped),
                                                       integer(gate->exercised),
                                                       integer(gate->total),
                                                       gate->reason};
    fields.insert(fields.end(), values);
}

class CsvFormat final : public RowFormat {
public:
    std::string start(std::int64_t) const override
    {
        std::vector<std::string> names = {
            "id",      "title",           "family",       "language",      "claim_status", "claimed_correct", "claimed_speedup",
            "status",  "outcome",         "severity",     "accepted",      "audited",      "tolerance_free",  "any_violation",
            "speedup", "elapsed_seconds", "native_shape", "primary_index", "multi_output", "output_aliasing", "error",
            "finding"};
        for (const contract::Gate gate : contract::kAllGates) {
            for (const std::string_view column :
                 {"verdict", "severity", "value", "threshold", "relative", "skipped", "exercised", "total", "reason"})
                names.push_back(fmt::format("{} {}", contract::id(gate), column));
        }
        return line(names);
    }

    std::string row(const ExportRow& row) const override
    {
        const store::KernelRecord& kernel = row.kernel;
        // A kernel that no audit judged has the same columns, empty.
        const store::VerdictRecord verdict = row.verdict.value_or(store::VerdictRecord{});
        const bool judged = row.verdict.has_value();
        const auto ifJudged = [judged](bool value) { return judged ? std::optional(value) : std::nullopt; };
        const std::string shape = verdict.nativeShape ? fmt::format("[{}]", fmt::join(*verdict.nativeShape, ", ")) : "";
        std::vector<std::string> fields = {kernel.externalId,
                                           kernel.title,
                                           kernel.family,
                                           kernel.language,
                                           kernel.claimStatus,
                                           flag(kernel.claimedCorrect),
                                           number(kernel.claimedSpeedup),
                                           judged ? verdict.status : "not_judged",
                                           judged ? std::string(contract::name(verdict.outcome)) : "not_judged",
                                           std::string(contract::name(verdict.severity)),
                                           flag(ifJudged(verdict.accepted)),
                                           flag(ifJudged(verdict.audited)),
                                           flag(ifJudged(verdict.toleranceFree)),
                                           flag(ifJudged(verdict.anyViolation)),
                                           number(row.speedup()),
                                           number(verdict.elapsedSeconds),
                                           shape,
                                           integer(verdict.primaryIndex),
                                           flag(verdict.multiOutput),
                                           flag(verdict.outputAliasing),
                                           verdict.error.value_or(""),
                                           verdict.finding};
        for (const contract::Gate gate : contract::kAllGates)
            addGate(fields, row.gate(gate));
        return line(fields);
    }

    std::string end() const override { return {}; }
};

} // namespace

std::unique_ptr<RowFormat> makeCsvFormat()
{
    return std::make_unique<CsvFormat>();
}

} // namespace assay::report
