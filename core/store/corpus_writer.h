// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/records.h"

#include <memory>
#include <string>
#include <vector>

namespace assay::store {

struct JudgedKernel;

struct CorpusInfo {
    std::string name;
    std::string origin = "import"; ///< 'import', 'illustrative', 'judged'
    std::string licence;
    std::string format;
    std::string options; ///< JSON or ""
};

struct FileInfo {
    std::string path;
    std::string sha256;
};

struct WriterTotals {
    std::int64_t rows = 0; ///< kept + alreadyPresent + rejected, always
    std::int64_t kept = 0;
    std::int64_t alreadyPresent = 0;
    std::int64_t rejected = 0;
    std::int64_t kernels = 0;          ///< kernels that were new
    std::int64_t results = 0;          ///< verdicts and claims that were new
    std::vector<Rejection> rejections; ///< the first kMaxListed; all of them are in the database
    static constexpr std::size_t kMaxListed = 1000;
};

/// Writes one imported file into the store, in one transaction.
///
/// Identity: (candidate, reference) where both sources are known, else (corpus, external id), where "179" and 179 are one id.
/// Sources that arrive later attach to the kernel that had only results, and results that arrive later attach to the kernel
/// that had only sources; if that makes two kernels one, their origins, verdicts, notes and labels are joined.
/// A row whose bytes were imported into this corpus before counts as already present. A second verdict of the same audit
/// for the same kernel with other content is rejected, naming the row that was kept.
/// Derived rows (triage, scope, full-text indexes) are up to date when commit() returns.
class CorpusWriter {
public:
    /// Begins the transaction; creates the corpus unless it exists.
    /// @throws DatabaseError (locked, read-only, disk full ...)
    CorpusWriter(Database& database, const CorpusInfo& corpus, const FileInfo& file);
    /// Rolls back unless committed.
    ~CorpusWriter();

    /// The audit that verdicts of the following items belong to; created on first use.
    /// @throws Error where it says of itself that it was imported and another one has its name
    void setAudit(const AuditRecord& audit);

    enum class Disposition { Kept, AlreadyPresent, Rejected };
    /// @throws DatabaseError, Cancelled
    Disposition add(const ImportedItem& item);

    /// A verdict that the judge gave elsewhere, of a kernel that the corpus has: @p item names it by its id and the hashes of its
    /// sources ("" where it has none). Rejected where there is no such kernel; what is known of the kernel stays as it is.
    /// @throws DatabaseError, Cancelled
    Disposition addJudged(ImportedItem item, JudgedKernel judged);

    void reject(Rejection rejection);

    /// Stores an aggregate file verbatim with its figures; counts as one row.
    Disposition addPublished(const std::string& kind, const std::string& sourceFile, const std::string& document,
                             const std::vector<PublishedFigure>& figures);

    const WriterTotals& totals() const;

    /// Refreshes what is derived and commits. @throws DatabaseError, Cancelled
    WriterTotals commit();

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::store
