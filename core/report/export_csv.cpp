// SPDX-License-Identifier: Apache-2.0
#include "core/report/export_format.h"
#include "core/text/json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::report {

namespace {

constexpr std::string_view kLineEnd = "\r\n"; // RFC 4180

/// Quoted where RFC 4180 wants it; every byte of the text is kept.
std::string field(std::string_view text)
{
    const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos && text.find('\0') == std::string_view::npos;
    const bool edgeBlank = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (plain && !edgeBlank)
        return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c;
        if (c == '"')
            quoted += '"';
    }
    return quoted + '"';
}

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

std::string line(const std::vector<std::string>& fields)
{
    std::string text;
    for (std::size_t i = 0; i < fields.size(); ++i)
        text += (i == 0 ? "" : ",") + field(fields[i]);
    return text.append(kLineEnd);
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
