// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"
#include "core/text/json.h"

namespace assay::report {

namespace {

using json::Writer;

void key(Writer& writer, std::string_view name)
{
    writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void text(Writer& writer, std::string_view name, const std::string& value)
{
    key(writer, name);
    writer.String(value);
}

void count(Writer& writer, std::string_view name, std::int64_t value)
{
    key(writer, name);
    writer.Int64(value);
}

void number(Writer& writer, std::string_view name, double value)
{
    key(writer, name);
    json::writeNumber(writer, value);
}

void number(Writer& writer, std::string_view name, const std::optional<double>& value)
{
    key(writer, name);
    if (value)
        json::writeNumber(writer, *value);
    else
        writer.Null();
}

void interval(Writer& writer, std::string_view name, const sampling::Interval& value)
{
    key(writer, name);
    writer.StartArray();
    json::writeNumber(writer, value.low);
    json::writeNumber(writer, value.high);
    writer.EndArray();
}

void writeRates(Writer& writer, const Rate& toleranceFree, const Rate& any)
{
    count(writer, "tolerance_free_failures", toleranceFree.count);
    count(writer, "any_violation", any.count);
    number(writer, "tolerance_free_rate", toleranceFree.value());
    number(writer, "any_violation_rate", any.value());
    key(writer, "wilson95");
    writer.StartObject();
    interval(writer, "tolerance_free", toleranceFree.wilson95);
    interval(writer, "any", any.wilson95);
    writer.EndObject();
}

void writeFunnel(Writer& writer, const AuditReport& report)
{
    key(writer, "funnel");
    writer.StartArray();
    for (const FunnelStep& step : report.funnel) {
        writer.StartObject();
        text(writer, "key", step.key);
        text(writer, "label", step.label);
        count(writer, "count", step.count);
        text(writer, "filter", step.filter);
        writer.EndObject();
    }
    writer.EndArray();
}

void writeGates(Writer& writer, const AuditReport& report)
{
    key(writer, "per_gate");
    writer.StartObject();
    for (const contract::Gate gate : contract::kAllGates) {
        const GateCounts& counts = report.perGate[static_cast<std::size_t>(gate)];
        key(writer, contract::id(gate));
        writer.StartObject();
        count(writer, "fail", counts.fail);
        count(writer, "pass", counts.pass);
        count(writer, "inapplicable", counts.inapplicable);
        count(writer, "error", counts.error);
        count(writer, "unsupported", counts.unsupported);
        count(writer, "not_exercised", counts.notExercised);
        count(writer, "unknown", counts.unknown);
        count(writer, "crash", counts.crash);
        count(writer, "timeout", counts.timeout);
        count(writer, "absent", counts.absent);
        count(writer, "exercised_checks", counts.exercisedChecks);
        count(writer, "total_checks", counts.totalChecks);
        writer.EndObject();
    }
    writer.EndObject();
}

void writeFamilies(Writer& writer, const AuditReport& report)
{
    key(writer, "per_family");
    writer.StartObject();
    for (const FamilyCounts& family : report.perFamily) {
        key(writer, family.family);
        writer.StartObject();
        count(writer, "audited", family.audited);
        count(writer, "tolerance_free", family.toleranceFree);
        count(writer, "any", family.any);
        key(writer, "failures");
        writer.StartObject();
        for (const contract::Gate gate : contract::kAllGates)
            count(writer, contract::id(gate), family.failures[static_cast<std::size_t>(gate)]);
        writer.EndObject();
        writer.EndObject();
    }
    writer.EndObject();
}

void writeFailSets(Writer& writer, const AuditReport& report)
{
    key(writer, "fail_sets");
    writer.StartArray();
    for (const FailSet& set : report.failSets) {
        writer.StartObject();
        key(writer, "gates");
        writer.StartArray();
        for (const contract::Gate gate : contract::kAllGates) {
            if ((set.mask >> contract::indexOf(gate)) & 1)
                writer.String(std::string(contract::id(gate)));
        }
        writer.EndArray();
        count(writer, "count", set.count);
        text(writer, "filter", set.filter);
        writer.EndObject();
    }
    writer.EndArray();
}

void writeTable(Writer& writer, const CrossTable& table)
{
    writer.StartObject();
    count(writer, "pass_pass", table.passPass);
    count(writer, "pass_fail", table.passFail);
    count(writer, "fail_pass", table.failPass);
    count(writer, "fail_fail", table.failFail);
    text(writer, "mode", table.mode);
    key(writer, "published");
    writer.Bool(!table.source.empty());
    text(writer, "source", table.source);
    writer.EndObject();
}

void writeBaselines(Writer& writer, const AuditReport& report)
{
    key(writer, "baseline");
    if (report.baselines.empty())
        writer.Null();
    else
        writeTable(writer, report.baselines.front());
    key(writer, "baselines");
    writer.StartArray();
    for (const CrossTable& table : report.baselines)
        writeTable(writer, table);
    writer.EndArray();
}

void writeWhatIf(Writer& writer, const AuditReport& report)
{
    key(writer, "what_if");
    writer.StartArray();
    for (const WhatIf& result : report.whatIf) {
        writer.StartObject();
        text(writer, "rule_set", result.ruleSet);
        text(writer, "title", result.title);
        text(writer, "hash", result.hash);
        count(writer, "audited", result.audited);
        writeRates(writer, result.toleranceFree, result.anyViolation);
        count(writer, "forgiven", result.forgiven);
        writer.EndObject();
    }
    writer.EndArray();
}

} // namespace

std::string toJson(const AuditReport& report)
{
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writer.StartObject();
    text(writer, "schema", "assay.report/1");
    text(writer, "corpus", report.corpus);
    text(writer, "corpus_origin", report.corpusOrigin);
    text(writer, "audit", report.audit);
    text(writer, "rule_set", report.ruleSet);
    text(writer, "rule_set_hash", report.ruleSetHash);
    count(writer, "rows", report.rows);
    count(writer, "accepted", report.accepted);
    count(writer, "audited", report.audited);
    writeRates(writer, report.toleranceFree, report.anyViolation);
    count(writer, "forgiven", report.forgiven);
    writeFunnel(writer, report);
    writeGates(writer, report);
    writeFamilies(writer, report);
    writeFailSets(writer, report);
    writeBaselines(writer, report);
    writeWhatIf(writer, report);
    key(writer, "elapsed");
    writer.StartObject();
    number(writer, "median_seconds", report.elapsedMedianSeconds);
    number(writer, "p95_seconds", report.elapsedP95Seconds);
    number(writer, "total_hours", report.elapsedTotalHours);
    writer.EndObject();
    writer.EndObject();
    return {buffer.GetString(), buffer.GetSize()};
}

} // namespace assay::report
