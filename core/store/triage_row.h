// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_strip.h"
#include "core/store/records.h"
#include "core/store/statement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// How a row of the triage table follows from a kernel, its verdict and its gates: the one place that knows.
namespace assay::store {

/// verdict.membership
enum Membership : int { kAccepted = 1, kAudited = 2, kToleranceFree = 4, kAnyViolation = 8 };
int membership(const VerdictRecord& verdict);

/// What the gates and checks of one verdict come to.
class GateSummary {
public:
    void addGate(contract::Gate gate, contract::Verdict verdict, contract::Severity severity, std::string_view reasonCode);
    void addMeasurement(contract::Verdict verdict, std::string_view metric, const tensor::Measured& value,
                        const tensor::Measured& relative);
    /// Checks that ran, of those there are, where the audit counts them.
    void addExercised(std::optional<int> exercised, std::optional<int> total);
    /// How another harness judged; one failure outweighs every pass.
    void addBaseline(std::string_view verdict);

    void addAll(const VerdictRecord& verdict);

    const contract::GateStrip& strip() const { return m_strip; }
    int hardFailures() const { return m_hard; }
    int softFailures() const { return m_soft; }
    std::optional<int> exercised() const { return m_exercised; } ///< checks; nothing where no gate counts them
    std::optional<int> total() const { return m_total; }
    const std::string& leadReason() const { return m_leadReason; } ///< of the hardest failure, the first gate among equals
    std::string_view leadGate() const;
    const tensor::Measured& error() const { return m_error; }
    const tensor::Measured& relative() const { return m_relative; }
    std::string_view baseline() const; ///< 'pass', 'fail', 'none'

private:
    contract::GateStrip m_strip;
    int m_hard = 0;
    int m_soft = 0;
    std::optional<int> m_exercised;
    std::optional<int> m_total;
    int m_leadRank = 0; ///< 0: none
    std::optional<contract::Gate> m_leadGate;
    std::string m_leadReason;
    tensor::Measured m_error;
    tensor::Measured m_relative;
    bool m_baselinePass = false;
    bool m_baselineFail = false;
};

/// Sort key of a measured number: finite < Inf < NaN, nothing where absent. Errors are magnitudes, so signs do not count.
std::optional<double> errorRank(const tensor::Measured& value);

struct TriageValues {
    std::int64_t scopeId = 0;
    std::int64_t kernelId = 0;
    std::int64_t verdictId = 0; ///< 0: not judged
    std::string externalId;
    std::optional<std::int64_t> externalNumber;
    std::string title;
    std::string family;
    std::string language;
    std::string outcome = "not_judged";
    std::string status = "not_judged";
    std::string claim = "unknown";
    GateSummary gates;
    std::optional<double> speedup;
    std::optional<double> elapsedSeconds;
    int membership = 0;
    bool hasSource = false;
    bool hasNote = false;
    bool bookmarked = false;
    bool waived = false;
};

/// Number of columns that bindTriage() fills, in the order of kTriageColumns.
inline constexpr int kTriageColumnCount = 36;
extern const char* const kTriageColumns; ///< comma separated, as the INSERT names them

/// Binds @p row to parameters 1 to kTriageColumnCount; @p row must outlive the step.
void bindTriage(Statement& statement, const TriageValues& row);

/// The integer that @p externalId is, spelled without sign or leading zeros: "179", but not "0179" or "1e3".
std::optional<std::int64_t> externalNumber(std::string_view externalId);

} // namespace assay::store
