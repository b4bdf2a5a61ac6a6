// SPDX-License-Identifier: Apache-2.0
#include "core/report/export_format.h"
#include "core/report/python_json.h"
#include "core/text/raw_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

namespace assay::report {

namespace {

/// Members by name: Python sorts them the same way.
using Members = std::map<std::string, std::string, std::less<>>;

std::string object(const Members& members)
{
    std::string text = "{";
    for (const auto& [key, value] : members)
        text += (text.size() == 1 ? "" : ", ") + pythonString(key) + ": " + value;
    return text + "}";
}

std::string flag(bool value)
{
    return value ? "true" : "false";
}

std::string number(const std::optional<double>& value)
{
    return value ? pythonFloat(*value) : "null";
}

/// The schema knows pass, fail, na and error.
std::string_view publishedStatus(contract::Verdict verdict)
{
    using contract::Verdict;
    switch (verdict) {
    case Verdict::Pass:
        return "pass";
    case Verdict::Fail:
        return "fail";
    case Verdict::Inapplicable:
    case Verdict::Unsupported:
    case Verdict::NotExercised:
        return "na";
    case Verdict::Absent:
    case Verdict::Unknown:
    case Verdict::Crash:
    case Verdict::Timeout:
    case Verdict::Error:
        return "error";
    }
    return "error";
}

std::string gateObject(const store::GateRecord& gate)
{
    const int skipped = gate.skipped ? *gate.skipped : gate.total && gate.exercised ? *gate.total - *gate.exercised : 0;
    const std::string status = gate.legacyStatus.empty() ? std::string(publishedStatus(gate.verdict)) : gate.legacyStatus;
    return object(
        {{"reason", pythonString(gate.reason)}, {"skipped", fmt::format("{}", skipped)}, {"status", pythonString(status)}});
}

/// What the import could not keep in columns it kept as written; that goes over what the columns give. Gates one by one.
void addExtra(Members& members, Members& gates, const std::string& extra)
{
    for (const json::RawMember& member : json::rawMembers(extra)) {
        if (member.key != "gates" || !member.value.starts_with("{")) {
            members[member.key] = member.value;
            continue;
        }
        for (const json::RawMember& gate : json::rawMembers(member.value))
            gates[gate.key] = gate.value;
    }
}

void addVerdict(Members& members, const store::VerdictRecord& verdict)
{
    members["status"] = pythonString(verdict.status);
    members["elapsed_s"] = number(verdict.elapsedSeconds);
    if (verdict.nativeShape)
        members["native_shape"] = fmt::format("[{}]", fmt::join(*verdict.nativeShape, ", "));
    if (verdict.primaryIndex)
        members["primary_idx"] = fmt::format("{}", *verdict.primaryIndex);
    if (verdict.multiOutput)
        members["multi_output"] = flag(*verdict.multiOutput);
    if (verdict.outputAliasing)
        members["output_aliasing"] = flag(*verdict.outputAliasing);
    if (verdict.error)
        members["error"] = pythonString(*verdict.error);
    Members gates;
    for (const store::GateRecord& gate : verdict.gates)
        gates.emplace(contract::id(gate.gate), gateObject(gate));
    addExtra(members, gates, verdict.extra);
    if (!gates.empty())
        members["gates"] = object(gates);
}

class JsonLinesFormat final : public RowFormat {
public:
    explicit JsonLinesFormat(std::string lineEnding)
        : m_lineEnding(std::move(lineEnding))
    {
    }

    std::string start(std::int64_t) const override { return {}; }
    std::string end() const override { return {}; }

    std::string row(const ExportRow& row) const override
    {
        Members members;
        members["id"] = pythonString(row.kernel.externalId);
        members["op_class"] = pythonString(row.kernel.family);
        members["final_speedup"] = number(row.speedup());
        if (row.verdict)
            addVerdict(members, *row.verdict);
        else
            members["status"] = pythonString("not_judged");
        return object(members) + m_lineEnding;
    }

private:
    std::string m_lineEnding;
};

} // namespace

std::unique_ptr<RowFormat> makeJsonLinesFormat(std::string lineEnding)
{
    return std::make_unique<JsonLinesFormat>(std::move(lineEnding));
}

} // namespace assay::report
