// SPDX-License-Identifier: Apache-2.0
#include "core/report/export_format.h"
#include "core/runner/verdict_line.h"
#include "core/store/kernel_details.h"
#include "core/text/error.h"

namespace assay::report {

namespace {

class VerdictsFormat final : public RowFormat {
public:
    VerdictsFormat(store::Database& database, const store::Scope& scope, std::int64_t evidenceBytes)
        : m_database(database)
        , m_scopeId(scope.id)
        , m_evidenceBytes(evidenceBytes)
        , m_audit(store::readJudgedAudit(database, scope.auditId.value_or(0)))
    {
    }

    std::string start(std::int64_t) const override { return {}; }
    std::string end() const override { return {}; }

    std::string row(const ExportRow& row) const override
    {
        const auto details = store::kernelDetails(m_database, m_scopeId, row.kernelId);
        if (!details)
            throw Error("a kernel is gone", m_database.path().string(), "Export again");
        const runner::VerdictLineKernel kernel{row.kernel.externalId,    row.kernel.title,         row.kernel.family,
                                               details->candidateSha256, details->referenceSha256, row.kernel.claimedCorrect};
        return runner::verdictLine(kernel, m_audit, store::readJudgedKernel(m_database, row.verdictId), m_evidenceBytes) + "\n";
    }

private:
    store::Database& m_database;
    std::int64_t m_scopeId;
    std::int64_t m_evidenceBytes;
    store::JudgedAudit m_audit;
};

} // namespace

std::unique_ptr<RowFormat> makeVerdictsFormat(store::Database& database, const store::Scope& scope, std::int64_t evidenceBytes)
{
    return std::make_unique<VerdictsFormat>(database, scope, evidenceBytes);
}

} // namespace assay::report
