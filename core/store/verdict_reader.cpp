// SPDX-License-Identifier: Apache-2.0
#include "core/store/verdict_reader.h"

#include "core/store/columns.h"
#include "core/store/triage_row.h"
#include "core/text/json.h"

#include <map>
#include <utility>
#include <vector>

namespace assay::store {

namespace {

std::optional<std::vector<std::int64_t>> shapeFrom(const std::optional<std::string>& text)
{
    json::Document document;
    if (!text || json::parse(*text, document) || !document.IsArray())
        return std::nullopt;
    std::vector<std::int64_t> shape;
    for (const json::Value& size : document.GetArray()) {
        if (!size.IsInt64())
            return std::nullopt;
        shape.push_back(size.GetInt64());
    }
    return shape;
}

std::vector<FlagRecord> flagsFrom(const std::string& text)
{
    json::Document document;
    std::vector<FlagRecord> flags;
    if (json::parse(text, document) || !document.IsArray())
        return flags;
    for (const json::Value& flag : document.GetArray()) {
        const auto member = [&](std::string_view key) { return json::stringAt(flag, key).value_or(""); };
        if (flag.IsObject())
            flags.push_back({member("code"), member("gate"), member("sentence")});
    }
    return flags;
}

std::vector<std::string> wordsFrom(const std::string& text)
{
    json::Document document;
    std::vector<std::string> words;
    if (json::parse(text, document) || !document.IsArray())
        return words;
    for (const json::Value& word : document.GetArray()) {
        if (word.IsString())
            words.emplace_back(word.GetString(), word.GetStringLength());
    }
    return words;
}

std::vector<CheckRecord> readChecks(SQLite::Database& db, std::int64_t verdictId, const std::string& gate)
{
    SQLite::Statement query(
        db,
        "SELECT code, verdict, severity, stimulus, metric, value, value_class, threshold, threshold_class, relative,"
        " relative_class, reason_code, finding, recipe, stimulus_sha256, output, worst_index, holdout_bound FROM check_result "
        "WHERE verdict_id "
        "= ? AND gate = ? ORDER BY ordinal");
    query.bind(1, verdictId);
    query.bind(2, gate);
    std::vector<CheckRecord> checks;
    while (query.executeStep()) {
        Columns columns(query);
        CheckRecord check;
        check.code = columns.text();
        check.verdict = columns.verdict();
        check.severity = columns.severity();
        check.stimulus = columns.text();
        check.metric = columns.text();
        check.value = columns.measured();
        check.threshold = columns.measured();
        check.relative = columns.measured();
        check.reasonCode = columns.text();
        check.finding = columns.text();
        check.recipe = columns.text();
        check.stimulusSha256 = columns.text();
        check.output = columns.maybe<std::string>();
        check.worstIndex = shapeFrom(columns.maybe<std::string>()).value_or(std::vector<std::int64_t>());
        check.holdOutBound = columns.maybe<double>();
        checks.push_back(std::move(check));
    }
    return checks;
}

/// Gates in the order of the strip. A row whose gate this build does not know cannot be shown and is left out.
void readGates(SQLite::Database& db, std::int64_t verdictId, VerdictRecord& verdict)
{
    SQLite::Statement query(
        db,
        "SELECT gate, verdict, severity, legacy_status, skipped, exercised, total, metric, value, value_class, threshold,"
        " threshold_class, relative, relative_class, reason_code, reason, finding, power FROM gate_result WHERE verdict_id = ?");
    query.bind(1, verdictId);
    std::map<int, GateRecord> gates;
    while (query.executeStep()) {
        Columns columns(query);
        const std::string gateId = columns.text();
        const auto gate = contract::gateFromId(gateId);
        if (!gate)
            continue;
        GateRecord record;
        record.gate = *gate;
        record.verdict = columns.verdict();
        record.severity = columns.severity();
        record.legacyStatus = columns.text();
        record.skipped = columns.maybe<int>();
        record.exercised = columns.maybe<int>();
        record.total = columns.maybe<int>();
        record.metric = columns.text();
        record.value = columns.measured();
        record.threshold = columns.measured();
        record.relative = columns.measured();
        record.reasonCode = columns.text();
        record.reason = columns.text();
        record.finding = columns.text();
        record.power = columns.text();
        record.checks = readChecks(db, verdictId, gateId);
        gates.insert_or_assign(contract::indexOf(*gate), std::move(record));
    }
    for (auto& [index, record] : gates)
        verdict.gates.push_back(std::move(record));
}

void readBaselines(SQLite::Database& db, std::int64_t verdictId, VerdictRecord& verdict)
{
    SQLite::Statement query(db, "SELECT mode, verdict, trials, detail FROM baseline_verdict WHERE verdict_id = ? ORDER BY mode");
    query.bind(1, verdictId);
    while (query.executeStep()) {
        Columns columns(query);
        BaselineRecord record;
        for (std::string* text : {&record.mode, &record.verdict, &record.trials, &record.detail})
            *text = columns.text();
        verdict.baselines.push_back(std::move(record));
    }
}

} // namespace

std::optional<VerdictRecord> readVerdict(SQLite::Database& db, std::int64_t verdictId)
{
    SQLite::Statement query(
        db,
        "SELECT v.status, v.outcome, v.severity, v.elapsed_seconds, v.native_shape, v.primary_index, v.multi_output,"
        " v.output_aliasing, v.speedup, v.error, v.finding, v.extra, v.alignment, v.flags, v.isolation, v.membership"
        " FROM verdict v WHERE v.id = ?");
    query.bind(1, verdictId);
    if (!query.executeStep())
        return std::nullopt;
    Columns columns(query);
    VerdictRecord verdict;
    verdict.status = columns.text();
    verdict.outcome = columns.verdict();
    verdict.severity = columns.severity();
    verdict.elapsedSeconds = columns.maybe<double>();
    verdict.nativeShape = shapeFrom(columns.maybe<std::string>());
    verdict.primaryIndex = columns.maybe<std::int64_t>();
    verdict.multiOutput = columns.maybe<bool>();
    verdict.outputAliasing = columns.maybe<bool>();
    verdict.speedup = columns.maybe<double>();
    verdict.error = columns.maybe<std::string>();
    verdict.finding = columns.text();
    verdict.extra = columns.text();
    verdict.alignment = columns.text();
    verdict.flags = flagsFrom(columns.text());
    verdict.isolation = wordsFrom(columns.text());
    const std::int64_t member = columns.integer();
    verdict.accepted = (member & kAccepted) != 0;
    verdict.audited = (member & kAudited) != 0;
    verdict.toleranceFree = (member & kToleranceFree) != 0;
    verdict.anyViolation = (member & kAnyViolation) != 0;
    readGates(db, verdictId, verdict);
    readBaselines(db, verdictId, verdict);
    return verdict;
}

} // namespace assay::store
