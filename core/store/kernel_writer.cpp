// SPDX-License-Identifier: Apache-2.0
#include "core/store/kernel_writer.h"

#include "core/store/claim_sql.h"
#include "core/store/triage_row.h"

#include <string>

namespace assay::store {

KernelWriter::KernelWriter(SQLite::Database& database, std::int64_t corpusId, std::int64_t importFileId)
    : m_database(database)
    , m_corpusId(corpusId)
    , m_importFileId(importFileId)
    , m_insert(database,
               "INSERT INTO kernel (corpus_id, external_id, external_number, title, family, language, candidate_source_id, "
               "reference_source_id, entry_point, claim, claimed_correct, claimed_speedup, claim_status) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")
    , m_complete(database,
                 "UPDATE kernel SET candidate_source_id = ?2, reference_source_id = ?3, "
                 "family = CASE WHEN family = 'unknown' THEN ?4 ELSE family END, "
                 "language = CASE WHEN language = 'unknown' THEN ?5 ELSE language END, "
                 "entry_point = coalesce(entry_point, ?6), "
                     + takeClaimWhereNone({"?7", "?8", "?9", "?10"}) + " WHERE id = ?1")
    , m_index(database, "INSERT INTO kernel_fts (rowid, title, external_id) VALUES (?1, ?2, ?3)")
    , m_title(database, "SELECT title, external_id FROM kernel WHERE id = ?1")
    , m_origin(database,
               "INSERT INTO origin (kernel_id, corpus_id, import_file_id, external_id, row_hash, hardware, path, repository, "
               "revision, "
               "licence, inferred, claim) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
               "CASE WHEN ?12 IS (SELECT claim FROM kernel WHERE id = ?1) THEN NULL ELSE ?12 END")
{
}

std::int64_t KernelWriter::insert(const KernelRecord& kernel, const KernelSources& sources)
{
    m_insert.integer(1, m_corpusId).text(2, kernel.externalId).integer(3, externalNumber(kernel.externalId));
    m_insert.text(4, kernel.title).text(5, kernel.family).text(6, kernel.language);
    m_insert.idOrNull(7, sources.candidate).idOrNull(8, sources.reference).textOrNull(9, kernel.entryPoint);
    m_insert.textOrNull(10, kernel.claim).flag(11, kernel.claimedCorrect).real(12, kernel.claimedSpeedup);
    m_insert.textOrNull(13, kernel.claimStatus).run();
    const std::int64_t id = m_database.getLastInsertRowid();
    m_index.integer(1, id).text(2, kernel.title).text(3, kernel.externalId).run();
    return id;
}

void KernelWriter::complete(const KernelRecord& kernel, const KernelSources& sources)
{
    m_complete.integer(1, sources.kernelId).idOrNull(2, sources.candidate).idOrNull(3, sources.reference);
    m_complete.text(4, kernel.family).text(5, kernel.language).textOrNull(6, kernel.entryPoint).textOrNull(7, kernel.claim);
    m_complete.flag(8, kernel.claimedCorrect).real(9, kernel.claimedSpeedup).textOrNull(10, kernel.claimStatus).run();
    updateTitle(sources.kernelId, kernel);
}

// A row without a title is called by its id until a row that knows better arrives.
void KernelWriter::updateTitle(std::int64_t kernelId, const KernelRecord& kernel)
{
    if (kernel.title.empty() || kernel.title == kernel.externalId || !m_title.integer(1, kernelId).step())
        return;
    const std::string title(m_title.textAt(0));
    const std::string externalId(m_title.textAt(1));
    m_title.reset();
    if (!title.empty() && title != externalId)
        return;
    Statement unindex(m_database, "INSERT INTO kernel_fts (kernel_fts, rowid, title, external_id) VALUES ('delete', ?1, ?2, ?3)");
    unindex.integer(1, kernelId).text(2, title).text(3, externalId).run();
    Statement update(m_database, "UPDATE kernel SET title = ?2 WHERE id = ?1");
    update.integer(1, kernelId).text(2, kernel.title).run();
    m_index.integer(1, kernelId).text(2, kernel.title).text(3, externalId).run();
}

void KernelWriter::addOrigin(std::int64_t kernelId, const KernelRecord& kernel, std::int64_t rowHash)
{
    m_origin.integer(1, kernelId)
        .integer(2, m_corpusId)
        .integer(3, m_importFileId)
        .text(4, kernel.externalId)
        .integer(5, rowHash);
    m_origin.textOrNull(6, kernel.hardware).textOrNull(7, kernel.path).textOrNull(8, kernel.repository);
    m_origin.textOrNull(9, kernel.revision).textOrNull(10, kernel.licence).integer(11, std::int64_t{kernel.inferred});
    m_origin.textOrNull(12, kernel.claim).run();
}

} // namespace assay::store
