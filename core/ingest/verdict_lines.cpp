// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/importer_list.h"

#include "core/ingest/probe.h"
#include "core/ingest/row_loop.h"
#include "core/runner/verdict_line.h"
#include "core/text/error.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace assay::ingest {

namespace {

/// Lines of one audit that another machine made.
class RowReader {
public:
    RowReader(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer)
        : m_path(path)
        , m_options(options)
        , m_writer(writer)
    {
    }

    /// @throws Error  when the line is no verdict, or one of another audit than the lines before
    void read(const Line& line, const json::Document& row)
    {
        if (m_conflict)
            return;
        runner::VerdictLine verdict = runner::readVerdictLine(row);
        if (!isOfThisAudit(verdict.audit))
            return;
        store::ImportedItem item;
        item.line = line.number;
        item.byte = line.byte;
        item.rowBytes = line.text;
        item.kernel.externalId = std::move(verdict.kernel.externalId);
        item.kernel.candidateSha256 = std::move(verdict.kernel.candidateSha256);
        item.kernel.referenceSha256 = std::move(verdict.kernel.referenceSha256);
        m_writer.addJudged(std::move(item), std::move(verdict.judged));
    }

    /// @throws Error  where nothing of the file can be kept: an audit without a verdict would stay
    void finish() const
    {
        if (m_conflict)
            throw Error(*m_conflict);
        const store::WriterTotals& totals = m_writer.totals();
        if (totals.rejected < totals.rows)
            return;
        const store::Rejection& first = totals.rejections.front();
        const std::string of = first.item.empty() ? "" : ", id " + first.item;
        throw Error(fmt::format("none of its {} verdicts can be kept; line {}{}: {}", totals.rows, first.line, of, first.reason),
                    m_path.string(), "Name the corpus that has these kernels: --corpus NAME");
    }

private:
    store::AuditRecord recordOf(const store::JudgedAudit& judged) const
    {
        store::AuditRecord audit;
        audit.name = m_options.auditName;
        audit.origin = "judged"; // measured, whatever is said of the corpus
        audit.taxonomy = "assay";
        audit.device = judged.key.device;
        audit.versions = judged.key.versions;
        audit.seed = std::to_string(judged.key.seed);
        audit.gateConfig = judged.key.contract;
        audit.startedAt = judged.startedAt;
        audit.finishedAt = judged.finishedAt;
        audit.importedFrom = m_path.string();
        return audit;
    }

    /// False where the corpus has another audit of this name, which ends the import.
    bool isOfThisAudit(const store::JudgedAudit& judged)
    {
        store::AuditRecord audit = recordOf(judged);
        if (m_audit && !isSame(audit, *m_audit))
            throw Error("the line is of another audit than the first: its contract, device, versions, seed or start differ", "",
                        "");
        if (m_audit)
            return true;
        try {
            m_writer.setAudit(audit);
        } catch (const store::DatabaseError&) {
            throw;
        } catch (const Error& conflict) {
            m_conflict = conflict;
            return false;
        }
        m_audit = std::move(audit);
        return true;
    }

    static bool isSame(const store::AuditRecord& one, const store::AuditRecord& other)
    {
        return one.device == other.device && one.versions == other.versions && one.seed == other.seed
            && one.gateConfig == other.gateConfig && one.startedAt == other.startedAt;
    }

    const std::filesystem::path& m_path;
    const ImportOptions& m_options;
    store::CorpusWriter& m_writer;
    std::optional<store::AuditRecord> m_audit;
    std::optional<Error> m_conflict;
};

class VerdictLinesImporter : public Importer {
public:
    std::string_view format() const override { return "verdicts"; }
    std::string_view description() const override
    {
        return "verdicts of the judge with their evidence, made elsewhere (assay export --format verdicts)";
    }

    int sniff(const Probe& probe) const override
    {
        const bool rows = probe.shape == ContentShape::JsonLines || probe.shape == ContentShape::JsonObject;
        return rows && hasKeys(probe, "schema", "id", "candidate_sha256", "verdict", "contract_hash") ? 95 : 0;
    }

    void read(const std::filesystem::path& path, const ImportOptions& options, store::CorpusWriter& writer,
              const JobControl& control) const override
    {
        RowReader reader(path, options, writer);
        forEachJsonLine(path, writer, control,
                        [&reader](const Line& line, const json::Document& row) { reader.read(line, row); });
        reader.finish();
    }
};

} // namespace

std::unique_ptr<Importer> makeVerdictLinesImporter()
{
    return std::make_unique<VerdictLinesImporter>();
}

} // namespace assay::ingest
