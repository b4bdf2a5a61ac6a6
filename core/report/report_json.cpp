// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"
#include "core/text/object_text.h"

namespace assay::report {

namespace {

using json::ObjectText;

void writeInterval(ObjectText& object, std::string_view name, const sampling::Interval& value)
{
    json::Writer& writer = object.key(name);
    writer.StartArray();
    json::writeNumber(writer, value.low);
    json::writeNumber(writer, value.high);
    writer.EndArray();
}

void writeRates(ObjectText& object, const Rate& toleranceFree, const Rate& any)
{
    object.integer("tolerance_free_failures", toleranceFree.count);
    object.integer("any_violation", any.count);
    object.number("tolerance_free_rate", toleranceFree.value());
    object.number("any_violation_rate", any.value());
    object.object("wilson95", [&] {
        writeInterval(object, "tolerance_free", toleranceFree.wilson95);
        writeInterval(object, "any", any.wilson95);
    });
}

void writeFunnel(ObjectText& object, const AuditReport& report)
{
    object.objects("funnel", report.funnel, [&](const FunnelStep& step) {
        object.text("key", step.key);
        object.text("label", step.label);
        object.integer("count", step.count);
        object.text("filter", step.filter);
    });
}

void writeGate(ObjectText& object, const GateCounts& counts)
{
    object.integer("fail", counts.fail);
    object.integer("pass", counts.pass);
    object.integer("inapplicable", counts.inapplicable);
    object.integer("error", counts.error);
    object.integer("unsupported", counts.unsupported);
    object.integer("not_exercised", counts.notExercised);
    object.integer("unknown", counts.unknown);
    object.integer("crash", counts.crash);
    object.integer("timeout", counts.timeout);
    object.integer("absent", counts.absent);
    object.integer("exercised_checks", counts.exercisedChecks);
    object.integer("total_checks", counts.totalChecks);
}

void writeGates(ObjectText& object, const AuditReport& report)
{
    object.object("per_gate", [&] {
        for (const contract::Gate gate : contract::kAllGates)
            object.object(contract::id(gate), [&] { writeGate(object, report.perGate[static_cast<std::size_t>(gate)]); });
    });
}

void writeFamily(ObjectText& object, const FamilyCounts& family)
{
    object.integer("audited", family.audited);
    object.integer("tolerance_free", family.toleranceFree);
    object.integer("any", family.any);
    object.object("failures", [&] {
        for (const contract::Gate gate : contract::kAllGates)
            object.integer(contract::id(gate), family.failures[static_cast<std::size_t>(gate)]);
    });
}

void writeFamilies(ObjectText& object, const AuditReport& report)
{
    object.object("per_family", [&] {
        for (const FamilyCounts& family : report.perFamily)
            object.object(family.family, [&] { writeFamily(object, family); });
    });
}

void writeFailSets(ObjectText& object, const AuditReport& report)
{
    object.objects("fail_sets", report.failSets, [&](const FailSet& set) {
        std::vector<std::string_view> gates;
        for (const contract::Gate gate : contract::kAllGates) {
            if ((set.mask >> contract::indexOf(gate)) & 1)
                gates.push_back(contract::id(gate));
        }
        object.texts("gates", gates);
        object.integer("count", set.count);
        object.text("filter", set.filter);
    });
}

void writeTable(ObjectText& object, const CrossTable& table)
{
    object.integer("pass_pass", table.passPass);
    object.integer("pass_fail", table.passFail);
    object.integer("fail_pass", table.failPass);
    object.integer("fail_fail", table.failFail);
    object.text("mode", table.mode);
    object.flag("published", !table.source.empty());
    object.text("source", table.source);
}

void writeBaselines(ObjectText& object, const AuditReport& report)
{
    if (report.baselines.empty())
        object.null("baseline");
    else
        object.object("baseline", [&] { writeTable(object, report.baselines.front()); });
    object.objects("baselines", report.baselines, [&](const CrossTable& table) { writeTable(object, table); });
}

void writeWhatIf(ObjectText& object, const AuditReport& report)
{
    object.objects("what_if", report.whatIf, [&](const WhatIf& result) {
        object.text("rule_set", result.ruleSet);
        object.text("title", result.title);
        object.text("hash", result.hash);
        object.integer("audited", result.audited);
        writeRates(object, result.toleranceFree, result.anyViolation);
        object.integer("forgiven", result.forgiven);
    });
}

} // namespace

std::string toJson(const AuditReport& report)
{
    ObjectText object("assay.report/1");
    object.text("corpus", report.corpus);
    object.text("corpus_origin", report.corpusOrigin);
    object.text("audit", report.audit);
    object.text("rule_set", report.ruleSet);
    object.text("rule_set_hash", report.ruleSetHash);
    object.text("thresholds", report.thresholds);
    object.integer("rows", report.rows);
    object.integer("accepted", report.accepted);
    object.integer("audited", report.audited);
    writeRates(object, report.toleranceFree, report.anyViolation);
    object.integer("forgiven", report.forgiven);
    writeFunnel(object, report);
    writeGates(object, report);
    writeFamilies(object, report);
    writeFailSets(object, report);
    writeBaselines(object, report);
    writeWhatIf(object, report);
    object.object("elapsed", [&] {
        object.optional("median_seconds", report.elapsedMedianSeconds);
        object.optional("p95_seconds", report.elapsedP95Seconds);
        object.optional("total_hours", report.elapsedTotalHours);
    });
    return object.finish();
}

} // namespace assay::report
