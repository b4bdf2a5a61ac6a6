// SPDX-License-Identifier: Apache-2.0
#include "core/store/sample_label.h"

#include "core/store/statement.h"
#include "core/store/writing.h"
#include "core/text/json.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace assay::store {

namespace {

struct LabelWords {
    AuditLabel label;
    std::string_view name;
    std::string_view title;
};

constexpr std::array kWords = {LabelWords{AuditLabel::Confirmed, "confirmed", "confirmed defect"},
                               LabelWords{AuditLabel::FalsePositive, "false_positive", "harness false positive"},
                               LabelWords{AuditLabel::Ambiguous, "ambiguous", "contract-ambiguous"},
                               LabelWords{AuditLabel::Inconclusive, "inconclusive", "inconclusive"}};

constexpr std::array<std::string_view, 3> kSeverityNames = {"critical", "major", "minor"};

constexpr std::array<std::string_view, 14> kReasons = {"nan_swallowed",       "inf_swallowed",      "nondeterministic",
                                                       "shape_hardcoded",     "boundary_unmasked",  "precision_loss",
                                                       "wrong_result",        "aliases_input",      "crash",
                                                       "tolerance_too_tight", "reference_at_fault", "contract_silent",
                                                       "cannot_reproduce",    "needs_other_device"};

/// Milliseconds, because two labels may be given in one second.
constexpr std::string_view kNow = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

const char* const kRowSql
    = "SELECT l.id, l.item_id, l.kind, l.label, l.reason, l.note, l.evidence, l.reviewer, l.created_at, "
      "l.blinded, l.undoes, l.severity FROM label l JOIN sample_item i ON i.id = l.item_id WHERE i.plan_id = ?1 "
      "ORDER BY l.id";

std::string evidenceJson(const std::vector<std::string>& links)
{
    rapidjson::StringBuffer buffer;
    json::Writer writer(buffer);
    writer.StartArray();
    for (const std::string& link : links)
        writer.String(link.data(), static_cast<rapidjson::SizeType>(link.size()));
    writer.EndArray();
    return {buffer.GetString(), buffer.GetSize()};
}

std::vector<std::string> evidenceFrom(std::string_view text)
{
    std::vector<std::string> links;
    json::Document document;
    if (text.empty() || json::parse(text, document) || !document.IsArray())
        return links;
    for (const json::Value& link : document.GetArray()) {
        if (link.IsString())
            links.emplace_back(link.GetString(), link.GetStringLength());
    }
    return links;
}

LabelRow rowFrom(const Statement& query)
{
    LabelRow row;
    row.id = query.integerAt(0);
    row.itemId = query.integerAt(1);
    row.kind = query.textAt(2);
    row.label = auditLabelFromName(query.textAt(3));
    row.reason = query.textAt(4);
    row.note = query.textAt(5);
    row.evidence = evidenceFrom(query.textAt(6));
    row.reviewer = query.textAt(7);
    row.createdAt = query.textAt(8);
    row.blinded = query.integerAt(9) != 0;
    row.undoes = query.integerAt(10);
    row.severity = defectSeverityFromName(query.textAt(11));
    return row;
}

void requireReviewer(const std::string& reviewer)
{
    if (reviewer.find_first_not_of(" \t\r\n") == std::string::npos)
        throw Error("the reviewer has no name", "", "Say who is labelling");
}

void requireReason(const std::string& reason)
{
    const bool isCode = std::ranges::all_of(
        reason, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
    if (!isCode)
        throw Error("a reason is a code of small letters, digits, '_' and '-'", reason, "Put the sentence into the note");
}

void requireDefect(const NewLabel& label)
{
    if (label.severity && label.label != AuditLabel::Confirmed)
        throw Error("only a confirmed defect has a severity", std::string(name(label.label)), "Leave the severity out");
}

bool exists(SQLite::Database& database, const char* sql, std::int64_t itemId, const std::string& reviewer)
{
    Statement query(database, sql);
    return singleInteger(query.integer(1, itemId).text(2, reviewer)).has_value();
}

bool hasRevealed(SQLite::Database& database, std::int64_t itemId, const std::string& reviewer)
{
    return exists(database, "SELECT 1 FROM label WHERE item_id = ?1 AND reviewer = ?2 AND kind = 'reveal'", itemId, reviewer);
}

void requireItem(SQLite::Database& database, std::int64_t itemId)
{
    if (!exists(database, "SELECT 1 FROM sample_item WHERE id = ?1 AND ?2 IS NOT NULL", itemId, ""))
        throw Error("there is no such kernel in a sample", "row " + std::to_string(itemId), "Reload the sample");
}

std::vector<LabelRow> historyOf(SQLite::Database& database, std::int64_t planId)
{
    std::vector<LabelRow> rows;
    Statement query(database, kRowSql);
    query.integer(1, planId);
    while (query.step())
        rows.push_back(rowFrom(query));
    return rows;
}

bool isLabel(const LabelRow& row)
{
    return row.label && (row.kind == "label" || row.kind == "adjudication");
}

} // namespace

std::string_view name(AuditLabel label)
{
    return std::ranges::find(kWords, label, &LabelWords::label)->name;
}

std::string_view title(AuditLabel label)
{
    return std::ranges::find(kWords, label, &LabelWords::label)->title;
}

std::optional<AuditLabel> auditLabelFromName(std::string_view text)
{
    const auto found = std::ranges::find(kWords, text, &LabelWords::name);
    return found == kWords.end() ? std::nullopt : std::optional(found->label);
}

std::string_view name(DefectSeverity severity)
{
    return kSeverityNames[static_cast<std::size_t>(severity)];
}

std::optional<DefectSeverity> defectSeverityFromName(std::string_view text)
{
    const auto found = std::ranges::find(kSeverityNames, text);
    return found == kSeverityNames.end() ? std::nullopt
                                         : std::optional(static_cast<DefectSeverity>(found - kSeverityNames.begin()));
}

bool isDecided(AuditLabel label)
{
    return label == AuditLabel::Confirmed || label == AuditLabel::FalsePositive;
}

std::int64_t addLabel(Database& database, const NewLabel& label)
{
    requireReviewer(label.reviewer);
    requireReason(label.reason);
    requireDefect(label);
    return writing(database, [&](SQLite::Database& sqlite) {
        requireItem(sqlite, label.itemId);
        const bool blinded = label.kind == LabelKind::Label && !hasRevealed(sqlite, label.itemId, label.reviewer);
        Statement insert(sqlite,
                         "INSERT INTO label (item_id, label, reason, note, reviewer, created_at, kind, evidence, blinded, "
                         "severity) "
                         "VALUES (?1, ?2, ?3, ?4, ?5, "
                             + std::string(kNow) + ", ?6, ?7, ?8, ?9)");
        const std::string evidence = label.evidence.empty() ? std::string() : evidenceJson(label.evidence);
        insert.integer(1, label.itemId).text(2, name(label.label)).textOrNull(3, label.reason).textOrNull(4, label.note);
        insert.text(5, label.reviewer).text(6, label.kind == LabelKind::Label ? "label" : "adjudication");
        insert.textOrNull(7, evidence).integer(8, std::int64_t{blinded});
        insert.textOrNull(9, label.severity ? name(*label.severity) : std::string_view()).run();
        return std::int64_t{sqlite.getLastInsertRowid()};
    });
}

std::optional<LabelRow> undoLabel(Database& database, std::int64_t planId, const std::string& reviewer)
{
    requireReviewer(reviewer);
    return writing(database, [&](SQLite::Database& sqlite) -> std::optional<LabelRow> {
        const std::vector<LabelRow> holding = holdingLabels(historyOf(sqlite, planId));
        const auto last
            = std::find_if(holding.rbegin(), holding.rend(), [&](const LabelRow& row) { return row.reviewer == reviewer; });
        if (last == holding.rend())
            return std::nullopt;
        Statement insert(sqlite,
                         "INSERT INTO label (item_id, label, reviewer, created_at, kind, undoes) VALUES (?1, '', ?2, "
                             + std::string(kNow) + ", 'undo', ?3)");
        insert.integer(1, last->itemId).text(2, reviewer).integer(3, last->id).run();
        return *last;
    });
}

void recordReveal(Database& database, std::int64_t itemId, const std::string& reviewer)
{
    requireReviewer(reviewer);
    writing(database, [&](SQLite::Database& sqlite) {
        requireItem(sqlite, itemId);
        if (hasRevealed(sqlite, itemId, reviewer))
            return;
        Statement insert(sqlite,
                         "INSERT INTO label (item_id, label, reviewer, created_at, kind) VALUES (?1, '', ?2, " + std::string(kNow)
                             + ", 'reveal')");
        insert.integer(1, itemId).text(2, reviewer).run();
    });
}

std::vector<LabelRow> labelHistory(Database& database, std::int64_t planId)
{
    return guarded(database, [&] { return historyOf(database.sqlite(), planId); });
}

std::vector<LabelRow> holdingLabels(std::span<const LabelRow> history)
{
    std::set<std::int64_t> undone;
    for (const LabelRow& row : history) {
        if (row.kind == "undo")
            undone.insert(row.undoes);
    }
    std::map<std::tuple<std::int64_t, std::string, std::string>, const LabelRow*> last;
    for (const LabelRow& row : history) {
        if (isLabel(row) && !undone.contains(row.id))
            last[{row.itemId, row.reviewer, row.kind}] = &row;
    }
    std::vector<LabelRow> holding;
    for (const auto& [key, row] : last)
        holding.push_back(*row);
    std::ranges::sort(holding, {}, &LabelRow::id);
    return holding;
}

std::map<std::int64_t, FinalLabel> finalLabels(std::span<const LabelRow> history)
{
    std::map<std::int64_t, FinalLabel> finals;
    for (const LabelRow& row : holdingLabels(history)) {
        const auto [it, isFirst] = finals.try_emplace(row.itemId);
        FinalLabel& final = it->second;
        if (row.kind == "adjudication") {
            final.label = row.label;
            final.severity = row.severity;
            final.adjudicated = true;
            final.rowId = row.id;
            continue;
        }
        ++final.reviewers;
        if (final.adjudicated)
            continue;
        if (final.reviewers == 1) {
            final.label = row.label;
            final.severity = row.severity;
            final.rowId = row.id;
        } else if (final.label != row.label) {
            final.label = std::nullopt;
            final.severity = std::nullopt;
        } else if (row.severity && (!final.severity || *row.severity < *final.severity)) {
            final.severity = row.severity;
        }
    }
    return finals;
}

std::map<std::int64_t, FinalLabel> finalLabels(Database& database, std::int64_t planId)
{
    return finalLabels(labelHistory(database, planId));
}

std::vector<std::string> reasonCodes(Database& database)
{
    return guarded(database, [&] {
        std::vector<std::string> codes(kReasons.begin(), kReasons.end());
        Statement query(database.sqlite(), "SELECT DISTINCT reason FROM label WHERE reason IS NOT NULL ORDER BY reason");
        while (query.step()) {
            if (std::ranges::find(codes, query.textAt(0)) == codes.end())
                codes.emplace_back(query.textAt(0));
        }
        return codes;
    });
}

} // namespace assay::store
