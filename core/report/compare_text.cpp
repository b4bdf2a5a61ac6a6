// SPDX-License-Identifier: Apache-2.0
#include "core/report/compare.h"

#include "core/report/numbers_text.h"
#include "core/text/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace assay::report {

namespace {

using contract::name;
using json::Writer;

void text(Writer& writer, const char* key, std::string_view value)
{
    writer.Key(key);
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void count(Writer& writer, const char* key, std::int64_t value)
{
    writer.Key(key);
    writer.Int64(value);
}

void writeFlip(Writer& writer, const KernelFlip& flip)
{
    writer.StartObject();
    text(writer, "id", flip.externalId);
    text(writer, "title", flip.title);
    text(writer, "before", name(flip.before));
    text(writer, "after", name(flip.after));
    text(writer, "finding_before", flip.findingBefore);
    text(writer, "finding_after", flip.findingAfter);
    writer.Key("gates");
    writer.StartArray();
    for (const GateFlip& gate : flip.gates) {
        writer.StartObject();
        text(writer, "gate", contract::id(gate.gate));
        text(writer, "before", name(gate.before));
        text(writer, "after", name(gate.after));
        text(writer, "reason_before", gate.reasonBefore);
        text(writer, "reason_after", gate.reasonAfter);
        writer.EndObject();
    }
    writer.EndArray();
    writer.EndObject();
}

/// One line for a terminal whatever the reason holds.
std::string oneLine(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return text;
}

std::string gateLine(const GateFlip& gate)
{
    std::string line = fmt::format("    {}  {} -> {}", contract::id(gate.gate), name(gate.before), name(gate.after));
    if (!gate.reasonBefore.empty())
        line += "; before: " + oneLine(gate.reasonBefore);
    if (!gate.reasonAfter.empty())
        line += "; after: " + oneLine(gate.reasonAfter);
    return line + "\n";
}

} // namespace

std::string toJson(const Comparison& comparison)
{
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writer.StartObject();
    text(writer, "schema", "assay.compare/1");
    text(writer, "before", comparison.before);
    text(writer, "after", comparison.after);
    count(writer, "joined", comparison.joined);
    count(writer, "only_before", comparison.onlyBefore);
    count(writer, "only_after", comparison.onlyAfter);
    count(writer, "verdict_flips", comparison.verdictFlips);
    writer.Key("gate_flips");
    writer.StartObject();
    for (const contract::Gate gate : contract::kAllGates) {
        const GateFlipCounts& counts = comparison.perGate[static_cast<std::size_t>(gate)];
        writer.Key(std::string(contract::id(gate)).c_str());
        writer.StartObject();
        count(writer, "fail_to_pass", counts.failToPass);
        count(writer, "pass_to_fail", counts.passToFail);
        count(writer, "other", counts.other);
        writer.EndObject();
    }
    writer.EndObject();
    writer.Key("gates_of_one_audit");
    writer.StartArray();
    for (const contract::Gate gate : comparison.gatesOfOneAudit)
        writer.String(std::string(contract::id(gate)));
    writer.EndArray();
    writer.Key("kernels");
    writer.StartArray();
    for (const KernelFlip& flip : comparison.flips)
        writeFlip(writer, flip);
    writer.EndArray();
    writer.EndObject();
    return {buffer.GetString(), buffer.GetSize()};
}

std::string toText(const Comparison& comparison)
{
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "{} -> {}\n{} kernels in both, {} only in the first, {} only in the second\n", comparison.before,
                   comparison.after, grouped(comparison.joined), grouped(comparison.onlyBefore), grouped(comparison.onlyAfter));
    if (comparison.joined == 0) {
        text += "Nothing to compare: kernels without sources are the same only inside one corpus (assay import --corpus NAME "
                "--audit NAME).\n";
        return text;
    }
    fmt::format_to(out, "{} verdicts flipped\n", grouped(comparison.verdictFlips));
    for (const contract::Gate gate : contract::kAllGates) {
        const GateFlipCounts& counts = comparison.perGate[static_cast<std::size_t>(gate)];
        if (counts.failToPass + counts.passToFail + counts.other > 0)
            fmt::format_to(out, "  {}  {} fail -> pass, {} pass -> fail, {} other\n", contract::id(gate),
                           grouped(counts.failToPass), grouped(counts.passToFail), grouped(counts.other));
    }
    for (const contract::Gate gate : comparison.gatesOfOneAudit)
        fmt::format_to(out, "  {}  ran in one of the audits only\n", contract::id(gate));
    for (const KernelFlip& flip : comparison.flips) {
        fmt::format_to(out, "\n{}  {}\n", oneLine(flip.externalId), oneLine(flip.title));
        if (flip.verdictFlipped())
            fmt::format_to(out, "    {} -> {}\n", name(flip.before), name(flip.after));
        for (const GateFlip& gate : flip.gates)
            text += gateLine(gate);
    }
    return text;
}

} // namespace assay::report
