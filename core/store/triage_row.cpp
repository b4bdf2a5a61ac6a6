// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_row.h"

#include "core/store/facet_code.h"

#include <charconv>
#include <cmath>
#include <limits>

namespace assay::store {

namespace {

using contract::Severity;
using contract::Verdict;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How much a gate's outcome leads: crashes and hangs, then failures that need no tolerance, then the others, then what the
// harness could not judge.
int leadRank(Verdict verdict, Severity severity)
{
    switch (verdict) {
    case Verdict::Crash:
        return 5;
    case Verdict::Timeout:
        return 4;
    case Verdict::Fail:
        return severity == Severity::Hard ? 3 : 2;
    case Verdict::Error:
        return 1;
    default:
        return 0;
    }
}

void keepLarger(tensor::Measured& kept, const tensor::Measured& candidate)
{
    const auto rank = errorRank(candidate);
    const auto keptRank = errorRank(kept);
    if (rank && (!keptRank || *rank > *keptRank))
        kept = candidate;
}

bool isError(std::string_view metric)
{
    return metric.empty() || metric.find("err") != std::string_view::npos;
}

std::int64_t facetCodeOf(const TriageValues& row)
{
    const GateSummary& gates = row.gates;
    FacetColumns columns;
    columns.family = row.family;
    columns.language = row.language;
    columns.outcome = row.outcome;
    columns.status = row.status;
    columns.claim = row.claim;
    columns.baseline = gates.baseline();
    columns.leadReason = gates.leadReason();
    columns.strip = gates.strip().packed();
    columns.hardFailures = gates.hardFailures();
    columns.softFailures = gates.softFailures();
    columns.accepted = (row.membership & kAccepted) != 0;
    columns.audited = (row.membership & kAudited) != 0;
    columns.toleranceFree = (row.membership & kToleranceFree) != 0;
    columns.anyViolation = (row.membership & kAnyViolation) != 0;
    columns.hasSource = row.hasSource;
    return facetCode(columns);
}

} // namespace

int membership(const VerdictRecord& verdict)
{
    return (verdict.accepted ? kAccepted : 0) | (verdict.audited ? kAudited : 0) | (verdict.toleranceFree ? kToleranceFree : 0)
        | (verdict.anyViolation ? kAnyViolation : 0);
}

void GateSummary::addGate(contract::Gate gate, Verdict verdict, Severity severity, std::string_view reasonCode)
{
    const contract::StripCell cell = contract::stripCell(verdict, severity);
    m_strip.set(gate, cell);
    if (contract::countsAgainstCandidate(verdict)) {
        // A crash or a hang needs no tolerance either.
        const bool soft = cell == contract::StripCell::FailSoft;
        ++(soft ? m_soft : m_hard);
    }
    const int rank = leadRank(verdict, severity);
    const bool earlier = m_leadGate && contract::indexOf(gate) < contract::indexOf(*m_leadGate);
    if (rank > m_leadRank || (rank == m_leadRank && rank > 0 && earlier)) {
        m_leadRank = rank;
        m_leadGate = gate;
        m_leadReason = reasonCode;
    }
}

void GateSummary::addMeasurement(Verdict verdict, std::string_view metric, const tensor::Measured& value,
                                 const tensor::Measured& relative)
{
    if (!contract::countsAgainstCandidate(verdict) || !isError(metric))
        return;
    keepLarger(m_error, value);
    keepLarger(m_relative, relative);
}

void GateSummary::addExercised(std::optional<int> exercised, std::optional<int> total)
{
    if (exercised)
        m_exercised = m_exercised.value_or(0) + *exercised;
    if (total)
        m_total = m_total.value_or(0) + *total;
}

void GateSummary::addBaseline(std::string_view verdict)
{
    m_baselinePass = m_baselinePass || verdict == "pass";
    m_baselineFail = m_baselineFail || verdict == "fail";
}

void GateSummary::addAll(const VerdictRecord& verdict)
{
    for (const GateRecord& gate : verdict.gates) {
        addGate(gate.gate, gate.verdict, gate.severity, gate.reasonCode);
        addMeasurement(gate.verdict, gate.metric, gate.value, gate.relative);
        addExercised(gate.exercised, gate.total);
        for (const CheckRecord& check : gate.checks)
            addMeasurement(check.verdict, check.metric, check.value, check.relative);
    }
    for (const BaselineRecord& baseline : verdict.baselines)
        addBaseline(baseline.verdict);
}

std::string_view GateSummary::leadGate() const
{
    return m_leadGate ? contract::id(*m_leadGate) : std::string_view();
}

std::string_view GateSummary::baseline() const
{
    if (m_baselineFail)
        return "fail";
    return m_baselinePass ? "pass" : "none";
}

std::optional<double> errorRank(const tensor::Measured& value)
{
    switch (value.valueClass) {
    case tensor::ValueClass::Absent:
        return std::nullopt;
    case tensor::ValueClass::Finite:
        return std::fabs(value.value);
    case tensor::ValueClass::PosInf:
    case tensor::ValueClass::NegInf:
        return std::numeric_limits<double>::max();
    case tensor::ValueClass::NaN:
        return kInfinity;
    }
    return std::nullopt;
}

const char* const kTriageColumns
    = "scope_id, kernel_id, verdict_id, external_id, external_number, title, family, language, outcome, status, claim, baseline, "
      "lead_reason, lead_gate, strip, fail_mask, hard_failures, soft_failures, exercised, total, error, error_class, error_rank, "
      "relative, relative_class, speedup, elapsed_seconds, accepted, audited, tolerance_free, any_violation, has_source, "
      "has_note, "
      "bookmarked, waived, facet_code";

void bindTriage(Statement& statement, const TriageValues& row)
{
    const GateSummary& gates = row.gates;
    statement.integer(1, row.scopeId).integer(2, row.kernelId).idOrNull(3, row.verdictId);
    statement.text(4, row.externalId).integer(5, row.externalNumber).text(6, row.title).text(7, row.family).text(8, row.language);
    statement.text(9, row.outcome).text(10, row.status).text(11, row.claim).text(12, gates.baseline());
    statement.text(13, gates.leadReason()).text(14, gates.leadGate());
    statement.integer(15, gates.strip().packed()).integer(16, std::int64_t{gates.strip().failMask()});
    statement.integer(17, std::int64_t{gates.hardFailures()}).integer(18, std::int64_t{gates.softFailures()});
    statement.integer(19, gates.exercised()).integer(20, gates.total());
    statement.measured(21, gates.error()).real(23, errorRank(gates.error())).measured(24, gates.relative());
    statement.real(26, row.speedup).real(27, row.elapsedSeconds);
    statement.flag(28, (row.membership & kAccepted) != 0).flag(29, (row.membership & kAudited) != 0);
    statement.flag(30, (row.membership & kToleranceFree) != 0).flag(31, (row.membership & kAnyViolation) != 0);
    statement.flag(32, row.hasSource).flag(33, row.hasNote).flag(34, row.bookmarked).flag(35, row.waived);
    statement.integer(36, facetCodeOf(row));
}

std::optional<std::int64_t> externalNumber(std::string_view externalId)
{
    if (externalId.empty() || (externalId.size() > 1 && externalId.front() == '0'))
        return std::nullopt;
    if (externalId.front() < '0' || externalId.front() > '9')
        return std::nullopt;
    std::int64_t number = 0;
    const auto [end, problem] = std::from_chars(externalId.data(), externalId.data() + externalId.size(), number);
    if (problem != std::errc() || end != externalId.data() + externalId.size())
        return std::nullopt;
    return number;
}

} // namespace assay::store
