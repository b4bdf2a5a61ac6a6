// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What reviewers say of the kernels of a sample. Rows are only ever added: a label is taken back by an undo that names it.
namespace assay::store {

/// The keys 1 to 4, in this order.
enum class AuditLabel { Confirmed, FalsePositive, Ambiguous, Inconclusive };

inline constexpr std::array kAuditLabels
    = {AuditLabel::Confirmed, AuditLabel::FalsePositive, AuditLabel::Ambiguous, AuditLabel::Inconclusive};

/// "confirmed", "false_positive", "ambiguous", "inconclusive": the spelling of the database and the command line.
std::string_view name(AuditLabel label);
/// "confirmed defect", "harness false positive", "contract-ambiguous", "inconclusive": the spelling of reports.
std::string_view title(AuditLabel label);
std::optional<AuditLabel> auditLabelFromName(std::string_view text);
/// Whether a label answers the question; ambiguous and inconclusive leave it open.
bool isDecided(AuditLabel label);

/// How much a confirmed defect matters to who uses the kernel. The keys Q, W and E, in this order.
enum class DefectSeverity {
    Critical, ///< ordinary inputs give wrong results
    Major,    ///< inputs that the contract allows give wrong results
    Minor,    ///< wrong, and hardly anybody will meet it
};

inline constexpr std::array kDefectSeverities = {DefectSeverity::Critical, DefectSeverity::Major, DefectSeverity::Minor};

/// "critical", "major", "minor": the spelling of the database, the command line and reports.
std::string_view name(DefectSeverity severity);
std::optional<DefectSeverity> defectSeverityFromName(std::string_view text);

enum class LabelKind { Label, Adjudication };

struct NewLabel {
    std::int64_t itemId = 0;
    AuditLabel label = AuditLabel::Inconclusive;
    LabelKind kind = LabelKind::Label;
    std::optional<DefectSeverity> severity; ///< of a confirmed defect alone; may be left out
    std::string reason;                     ///< code: letters, digits, '_' and '-'; may be ""
    std::string note;
    std::vector<std::string> evidence; ///< links or paths
    std::string reviewer;
};

struct LabelRow {
    std::int64_t id = 0;
    std::int64_t itemId = 0;
    std::string kind; ///< "label", "adjudication", "undo", "reveal"
    std::optional<AuditLabel> label;
    std::optional<DefectSeverity> severity;
    std::string reason;
    std::string note;
    std::vector<std::string> evidence;
    std::string reviewer;
    std::string createdAt;
    bool blinded = false;
    std::int64_t undoes = 0; ///< row that an undo takes back, else 0
};

/// Adds a label; whether it was given blind follows from the reveals of its reviewer. On disk when it returns.
/// @return the row's id @throws Error where the reviewer is empty, the reason is no code, what is weighed is no confirmed defect
/// or the item does not exist
std::int64_t addLabel(Database& database, const NewLabel& label);

/// Takes back the last label or adjudication that @p reviewer gave in the plan and that still holds. @return that row, or nothing
std::optional<LabelRow> undoLabel(Database& database, std::int64_t planId, const std::string& reviewer);

/// Notes that @p reviewer looked at the verdict of an item; a second look is no second row.
void recordReveal(Database& database, std::int64_t itemId, const std::string& reviewer);

/// Every row of a plan in the order it was added.
std::vector<LabelRow> labelHistory(Database& database, std::int64_t planId);

/// The labels that hold: per item, reviewer and kind the last one that was not taken back. Ascending by id.
std::vector<LabelRow> holdingLabels(std::span<const LabelRow> history);

/// What counts for an item.
struct FinalLabel {
    std::optional<AuditLabel> label;        ///< nothing where reviewers differ and nobody has adjudicated
    std::optional<DefectSeverity> severity; ///< the graver one where reviewers agree on the defect and not on its weight
    bool adjudicated = false;
    int reviewers = 0;
    std::int64_t rowId = 0; ///< the row it comes from; the first of several that agree
};

/// By item id; an item without a label that holds is missing. Adjudication wins, then labels that agree.
std::map<std::int64_t, FinalLabel> finalLabels(std::span<const LabelRow> history);
std::map<std::int64_t, FinalLabel> finalLabels(Database& database, std::int64_t planId);

/// Reason codes to offer: those of the program, then others in use in the database.
std::vector<std::string> reasonCodes(Database& database);

} // namespace assay::store
