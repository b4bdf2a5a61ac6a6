// SPDX-License-Identifier: Apache-2.0
#include "core/report/compare.h"

#include "core/report/numbers_text.h"
#include "core/text/object_text.h"
#include "core/text/one_line.h"

#include <fmt/format.h>

#include <iterator>

namespace assay::report {

namespace {

using contract::name;

void writeFlip(json::ObjectText& object, const KernelFlip& flip)
{
    object.text("id", flip.externalId);
    object.text("title", flip.title);
    object.text("before", name(flip.before));
    object.text("after", name(flip.after));
    object.text("finding_before", flip.findingBefore);
    object.text("finding_after", flip.findingAfter);
    object.objects("gates", flip.gates, [&](const GateFlip& gate) {
        object.text("gate", contract::id(gate.gate));
        object.text("before", name(gate.before));
        object.text("after", name(gate.after));
        object.text("reason_before", gate.reasonBefore);
        object.text("reason_after", gate.reasonAfter);
    });
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
    json::ObjectText object("assay.compare/1");
    object.text("before", comparison.before);
    object.text("after", comparison.after);
    object.integer("joined", comparison.joined);
    object.integer("only_before", comparison.onlyBefore);
    object.integer("only_after", comparison.onlyAfter);
    object.integer("verdict_flips", comparison.verdictFlips);
    object.object("gate_flips", [&] {
        for (const contract::Gate gate : contract::kAllGates) {
            const GateFlipCounts& counts = comparison.perGate[static_cast<std::size_t>(gate)];
            object.object(contract::id(gate), [&] {
                object.integer("fail_to_pass", counts.failToPass);
                object.integer("pass_to_fail", counts.passToFail);
                object.integer("other", counts.other);
            });
        }
    });
    std::vector<std::string_view> gatesOfOneAudit;
    for (const contract::Gate gate : comparison.gatesOfOneAudit)
        gatesOfOneAudit.push_back(contract::id(gate));
    object.texts("gates_of_one_audit", gatesOfOneAudit);
    object.objects("kernels", comparison.flips, [&](const KernelFlip& flip) { writeFlip(object, flip); });
    return object.finish();
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
