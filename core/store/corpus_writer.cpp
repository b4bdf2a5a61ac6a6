// SPDX-License-Identifier: Apache-2.0
#include "core/store/corpus_writer.h"

#include "core/store/artifact_store.h"
#include "core/store/guarded.h"
#include "core/store/judgement_writer.h"
#include "core/store/kernel_join.h"
#include "core/store/kernel_lookup.h"
#include "core/store/kernel_writer.h"
#include "core/store/published_store.h"
#include "core/store/row_match.h"
#include "core/store/source_store.h"
#include "core/store/timestamp.h"
#include "core/store/triage_refresh.h"
#include "core/store/unfinished_audit.h"
#include "core/store/verdict_writer.h"
#include "core/text/error.h"
#include "core/text/sha256.h"

#include <algorithm>
#include <map>
#include <set>

namespace assay::store {

namespace {

// From this many new rows on the WAL is moved into the database at once: it is large and nobody else would do it soon.
constexpr std::int64_t kCheckpointRows = 10000;

/// Holds the write lock from the start, so that no other writer can come between reading and writing; rolls back unless
/// committed.
class WriteTransaction {
public:
    explicit WriteTransaction(Database& database)
        : m_sqlite(database.sqlite())
    {
        if (database.isReadOnly())
            throw DatabaseError(DatabaseError::Kind::ReadOnly, "nothing can be imported into a read-only database",
                                database.path().string(), "Copy it to a place that can be written and import into the copy");
        m_sqlite.exec("BEGIN IMMEDIATE");
    }
    ~WriteTransaction()
    {
        if (!m_committed)
            m_sqlite.tryExec("ROLLBACK"); // fails where SQLite has rolled back by itself, which is what we want
    }
    WriteTransaction(const WriteTransaction&) = delete;
    WriteTransaction& operator=(const WriteTransaction&) = delete;

    void commit()
    {
        m_sqlite.exec("COMMIT");
        m_committed = true;
    }

private:
    SQLite::Database& m_sqlite;
    bool m_committed = false;
};

std::string inQuotes(const std::string& text)
{
    return '"' + text + '"';
}

} // namespace

struct CorpusWriter::Private {
    Private(Database& db, const CorpusInfo& corpus, const FileInfo& file);

    Disposition add(const ImportedItem& item);
    Disposition addJudged(ImportedItem item, JudgedKernel judged);
    void reject(Rejection rejection);
    Disposition addPublished(const std::string& kind, const std::string& sourceFile, const std::string& document,
                             const std::vector<PublishedFigure>& figures);
    void setAudit(const AuditRecord& audit);
    void requireSameAudit(const AuditRecord& audit);
    void dropEmptyImport();
    AuditRecord defaultAudit() const;
    void commit();

    std::int64_t createCorpus();
    std::int64_t createImportFile();
    std::vector<KernelSources> kernelsCalled(const KernelRecord& named);
    std::string verdictConflict(const ImportedItem& item, const RowMatch& match);
    bool isOfThisCorpus(std::int64_t kernelId);
    bool isOnlyName(std::int64_t kernelId, const std::string& externalId);
    std::string keptRow(std::int64_t verdictId) const;
    std::int64_t store(const ImportedItem& item, std::int64_t rowHash, const RowMatch& match, KernelSources sources);
    void storeResult(const ImportedItem& item, std::int64_t kernelId, bool isNew);
    void insertTriage(const ImportedItem& item, std::int64_t kernelId, std::int64_t verdictId, GateSummary gates);
    std::int64_t scope(std::optional<std::int64_t> audit);
    void refreshDerived();
    void finishImportFile();
    bool repeatsEarlierFile();

    Database& database;
    SQLite::Database& sqlite;
    CorpusInfo corpusInfo;
    FileInfo fileInfo;
    WriteTransaction transaction; ///< before every member that reads or writes
    std::int64_t corpusId;
    std::int64_t importFileId;
    SourceStore sources;
    KernelLookup lookup;
    KernelWriter kernels;
    VerdictWriter verdicts;
    ArtifactWriter artifacts;
    Statement triage;
    Statement rejection;
    std::optional<std::int64_t> auditId;
    std::string auditName;
    std::optional<std::int64_t> newImport; ///< an audit that was judged elsewhere and is new here
    std::set<std::int64_t> auditsWithNews;
    std::map<std::int64_t, std::int64_t> scopesByAudit;               ///< 0: not judged
    std::set<std::int64_t> scopesWritten;                             ///< their counts have to be taken again
    std::vector<std::int64_t> stale;                                  ///< kernels whose triage rows have to be derived again
    std::vector<std::pair<std::int64_t, std::int64_t>> lineOfVerdict; ///< of this import, ascending ids
    WriterTotals totals;
};

CorpusWriter::Private::Private(Database& db, const CorpusInfo& corpus, const FileInfo& file)
    : database(db)
    , sqlite(db.sqlite())
    , corpusInfo(corpus)
    , fileInfo(file)
    , transaction(db)
    , corpusId(createCorpus())
    , importFileId(createImportFile())
    , sources(sqlite)
    , lookup(sqlite, corpusId)
    , kernels(sqlite, corpusId, importFileId)
    , verdicts(sqlite)
    , artifacts(sqlite)
    , triage(sqlite, insertTriageSql())
    , rejection(sqlite, "INSERT INTO rejection (import_file_id, line, byte, item, reason) VALUES (?1, ?2, ?3, ?4, ?5)")
{
}

std::int64_t CorpusWriter::Private::createCorpus()
{
    Statement find(sqlite, "SELECT id FROM corpus WHERE name = ?1");
    if (const auto id = singleInteger(find.text(1, corpusInfo.name)))
        return *id;
    const std::string now = utcNow();
    Statement insert(sqlite,
                     "INSERT INTO corpus (name, origin, licence, format, imported_at, file_sha256, path, options) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    insert.text(1, corpusInfo.name).text(2, corpusInfo.origin).textOrNull(3, corpusInfo.licence).text(4, corpusInfo.format);
    insert.text(5, now).textOrNull(6, fileInfo.sha256).textOrNull(7, fileInfo.path).textOrNull(8, corpusInfo.options).run();
    return sqlite.getLastInsertRowid();
}

std::int64_t CorpusWriter::Private::createImportFile()
{
    const std::string now = utcNow();
    Statement insert(
        sqlite,
        "INSERT INTO import_file (corpus_id, path, sha256, format, imported_at, options, rows, kept, already_present, "
        "rejected) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, 0, 0)");
    insert.integer(1, corpusId).text(2, fileInfo.path).text(3, fileInfo.sha256).text(4, corpusInfo.format).text(5, now);
    insert.textOrNull(6, corpusInfo.options).run();
    return sqlite.getLastInsertRowid();
}

void CorpusWriter::Private::setAudit(const AuditRecord& audit)
{
    auditName = audit.name;
    Statement find(sqlite, "SELECT id FROM audit WHERE corpus_id = ?1 AND name = ?2");
    auditId = singleInteger(find.integer(1, corpusId).text(2, audit.name));
    if (auditId)
        return requireSameAudit(audit);
    const std::string hash = audit.gateConfig.empty() ? std::string() : sha256Hex(audit.gateConfig);
    Statement insert(sqlite,
                     "INSERT INTO audit (corpus_id, name, origin, taxonomy, device, versions, seed, gate_config, config_hash, "
                     "started_at, finished_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)");
    insert.integer(1, corpusId).text(2, audit.name).text(3, audit.origin).text(4, audit.taxonomy).textOrNull(5, audit.device);
    insert.textOrNull(6, audit.versions).textOrNull(7, audit.seed).textOrNull(8, audit.gateConfig).textOrNull(9, hash);
    insert.textOrNull(10, audit.startedAt).textOrNull(11, audit.finishedAt).run();
    auditId = sqlite.getLastInsertRowid();
    if (!audit.importedFrom.empty()) {
        noteImport(sqlite, *auditId, audit.importedFrom);
        newImport = auditId;
    }
}

// The lines of a copied file are present already, under the name of the first.
void CorpusWriter::Private::dropEmptyImport()
{
    if (!newImport || auditsWithNews.contains(*newImport))
        return;
    forgetImport(sqlite, *newImport);
    Statement gone(sqlite, "DELETE FROM audit WHERE id = ?1");
    gone.integer(1, *newImport).run();
}

// Verdicts of two runs under one name could not be told apart again.
void CorpusWriter::Private::requireSameAudit(const AuditRecord& audit)
{
    if (audit.importedFrom.empty())
        return;
    Statement same(sqlite,
                   "SELECT 1 FROM audit WHERE id = ?1 AND origin = ?2 AND device IS ?3 AND versions IS ?4 AND seed IS ?5 "
                   "AND gate_config IS ?6 AND started_at IS ?7");
    same.integer(1, *auditId).text(2, audit.origin).textOrNull(3, audit.device).textOrNull(4, audit.versions);
    same.textOrNull(5, audit.seed).textOrNull(6, audit.gateConfig).textOrNull(7, audit.startedAt);
    if (!singleInteger(same) || importOf(sqlite, *auditId).empty())
        throw Error("the corpus has another audit called " + inQuotes(audit.name), fileInfo.path,
                    "Give this one a name: --audit NAME");
    Statement ended(sqlite, "UPDATE audit SET finished_at = coalesce(finished_at, ?2) WHERE id = ?1"); // it may have gone on
    ended.integer(1, *auditId).textOrNull(2, audit.finishedAt).run();
}

AuditRecord CorpusWriter::Private::defaultAudit() const
{
    AuditRecord audit;
    audit.name = corpusInfo.name;
    if (corpusInfo.origin == "illustrative")
        audit.origin = corpusInfo.origin;
    return audit;
}

std::string CorpusWriter::Private::keptRow(std::int64_t verdictId) const
{
    const auto it = std::lower_bound(lineOfVerdict.begin(), lineOfVerdict.end(), std::pair(verdictId, std::int64_t{0}));
    if (it != lineOfVerdict.end() && it->first == verdictId && it->second > 0)
        return "line " + std::to_string(it->second) + " of this file was kept";
    Statement query(sqlite,
                    "SELECT f.path, o.external_id FROM verdict v JOIN origin o ON o.kernel_id = v.kernel_id "
                    "JOIN import_file f ON f.id = o.import_file_id WHERE v.id = ?1 ORDER BY o.id LIMIT 1");
    if (!query.integer(1, verdictId).step())
        return "verdict " + std::to_string(verdictId) + " was kept";
    return "the row of id " + inQuotes(std::string(query.textAt(1))) + " from " + std::string(query.textAt(0)) + " was kept";
}

std::string CorpusWriter::Private::verdictConflict(const ImportedItem& item, const RowMatch& match)
{
    if (match.twin) {
        if (const auto conflict = joinConflict(sqlite, match.kernel->kernelId, match.twin->kernelId))
            return "its sources would make kernels " + std::to_string(match.kernel->kernelId) + " and "
                + std::to_string(match.twin->kernelId) + " one, but " + *conflict;
    }
    if (!item.verdict || !match.kernel)
        return {};
    for (const auto& kernel : {match.kernel, match.twin}) {
        const auto existing = kernel ? verdicts.find(*auditId, kernel->kernelId) : std::nullopt;
        if (existing && !verdicts.equals(*existing, *item.verdict, isOnlyName(kernel->kernelId, item.kernel.externalId)))
            return "audit " + inQuotes(auditName) + " has another verdict for this kernel already; " + keptRow(*existing);
    }
    return {};
}

bool CorpusWriter::Private::isOfThisCorpus(std::int64_t kernelId)
{
    lookup.finish(); // looks origins up by kernel, which needs the index
    Statement origin(sqlite, "SELECT 1 FROM origin WHERE kernel_id = ?1 AND corpus_id = ?2 LIMIT 1");
    return singleInteger(origin.integer(1, kernelId).integer(2, corpusId)).has_value();
}

// Under its only id a row is that very run. A kernel with several ids was measured once for each, and clocks differ.
bool CorpusWriter::Private::isOnlyName(std::int64_t kernelId, const std::string& externalId)
{
    lookup.finish(); // looks origins up by kernel, which needs the index
    Statement other(sqlite, "SELECT 1 FROM origin WHERE kernel_id = ?1 AND external_id <> ?2 LIMIT 1");
    return !singleInteger(other.integer(1, kernelId).text(2, externalId));
}

CorpusWriter::Disposition CorpusWriter::Private::add(const ImportedItem& item)
{
    const std::int64_t rowHash = rowHashOf(item);
    if (lookup.hasRow(rowHash, item.kernel.externalId)) {
        ++totals.rows;
        ++totals.alreadyPresent;
        return Disposition::AlreadyPresent;
    }
    if (item.verdict && !auditId)
        setAudit(defaultAudit());
    IncomingSource candidate = incomingSource(sources, item.kernel.candidateSource, item.kernel.candidateSha256);
    IncomingSource reference = incomingSource(sources, item.kernel.referenceSource, item.kernel.referenceSha256);
    const RowMatch found = matchRow(lookup, item.kernel.externalId, candidate, reference);
    std::string problem = found.problem.empty() ? verdictConflict(item, found) : found.problem;
    if (!problem.empty()) {
        reject({item.line, item.byte, item.kernel.externalId, std::move(problem)});
        return Disposition::Rejected;
    }
    // A hash joins kernels; it gives none a source that no row brought.
    if (!item.kernel.candidateSource && !found.kernel)
        candidate = {};
    if (!item.kernel.referenceSource && !found.kernel)
        reference = {};
    if (item.kernel.candidateSource)
        candidate.id = sources.findOrInsert(*item.kernel.candidateSource, candidate.sha256);
    if (item.kernel.referenceSource)
        reference.id = sources.findOrInsert(*item.kernel.referenceSource, reference.sha256);
    const std::int64_t kernelId = store(item, rowHash, found, {0, candidate.id, reference.id});
    kernels.addOrigin(kernelId, item.kernel, rowHash);
    storeResult(item, kernelId, !found.kernel);
    ++totals.rows;
    ++totals.kept;
    return Disposition::Kept;
}

/// Kernels with this id, or else with these sources, that have exactly the sources whose hashes are named.
std::vector<KernelSources> CorpusWriter::Private::kernelsCalled(const KernelRecord& named)
{
    const auto candidate = named.candidateSha256.empty() ? std::optional<std::int64_t>(0) : sources.find(named.candidateSha256);
    const auto reference = named.referenceSha256.empty() ? std::optional<std::int64_t>(0) : sources.find(named.referenceSha256);
    if (!candidate || !reference)
        return {};
    std::vector<KernelSources> found = lookup.byExternalId(named.externalId);
    std::erase_if(found, [&](const KernelSources& k) { return k.candidate != *candidate || k.reference != *reference; });
    if (const auto same = lookup.byIdentity(*candidate, *reference); same && found.empty() && isOfThisCorpus(*same))
        found.push_back({*same, *candidate, *reference});
    return found;
}

CorpusWriter::Disposition CorpusWriter::Private::addJudged(ImportedItem item, JudgedKernel judged)
{
    const std::vector<KernelSources> known = kernelsCalled(item.kernel);
    if (known.empty()) {
        const bool isNamed = !lookup.byExternalId(item.kernel.externalId).empty();
        reject({item.line, item.byte, item.kernel.externalId,
                isNamed ? "the kernel of this id has other sources than the one that was judged"
                        : "the corpus has no kernel of this id: import its kernels first"});
        return Disposition::Rejected;
    }
    Statement claim(sqlite, "SELECT coalesce(claimed_correct, 1) FROM kernel WHERE id = ?1");
    const bool isAccepted = singleInteger(claim.integer(1, known.front().kernelId)).value_or(1) != 0;
    item.verdict = verdictRecordOf(judged, isAccepted);
    item.artifacts = std::move(judged.artifacts);
    return add(item);
}

std::int64_t CorpusWriter::Private::store(const ImportedItem& item, std::int64_t rowHash, const RowMatch& match,
                                          KernelSources brought)
{
    if (!match.kernel) {
        brought.kernelId = kernels.insert(item.kernel, brought);
        lookup.addRow(rowHash, item.kernel.externalId, brought);
        return brought.kernelId;
    }
    KernelSources merged = *match.kernel;
    if (match.twin) {
        lookup.finish(); // deleting a kernel needs the indexes of what refers to it
        scopesWritten.merge(scopesHolding(sqlite, match.twin->kernelId));
        joinKernels(sqlite, verdicts, merged.kernelId, match.twin->kernelId);
        std::erase(stale, match.twin->kernelId);
    }
    merged.candidate = merged.candidate != 0 ? merged.candidate : brought.candidate;
    merged.reference = merged.reference != 0 ? merged.reference : brought.reference;
    kernels.complete(item.kernel, merged);
    lookup.addRow(rowHash, item.kernel.externalId, merged);
    return merged.kernelId;
}

void CorpusWriter::Private::storeResult(const ImportedItem& item, std::int64_t kernelId, bool isNew)
{
    GateSummary gates;
    std::int64_t verdictId = 0;
    if (item.verdict && (isNew || !verdicts.find(*auditId, kernelId))) {
        gates.addAll(*item.verdict);
        verdictId = verdicts.insert(*auditId, kernelId, *item.verdict, gates);
        for (const ArtifactRecord& artifact : item.artifacts)
            artifacts.insert(verdictId, artifact);
        lineOfVerdict.emplace_back(verdictId, item.line);
        auditsWithNews.insert(*auditId);
    }
    if (verdictId != 0 || (!item.verdict && !item.kernel.claim.empty()))
        ++totals.results;
    if (!isNew) {
        if (stale.empty() || stale.back() != kernelId)
            stale.push_back(kernelId);
        return;
    }
    ++totals.kernels;
    insertTriage(item, kernelId, verdictId, std::move(gates));
}

std::int64_t CorpusWriter::Private::scope(std::optional<std::int64_t> audit)
{
    const auto known = scopesByAudit.find(audit.value_or(0));
    if (known != scopesByAudit.end())
        return known->second;
    return scopesByAudit.emplace(audit.value_or(0), scopeOf(sqlite, corpusId, audit)).first->second;
}

// Nearly every row of a first import brings a new kernel: what deriveTriage() would read back is still in hand.
void CorpusWriter::Private::insertTriage(const ImportedItem& item, std::int64_t kernelId, std::int64_t verdictId,
                                         GateSummary gates)
{
    const KernelRecord& kernel = item.kernel;
    TriageValues row;
    row.scopeId = scope(verdictId != 0 ? auditId : std::nullopt);
    row.kernelId = kernelId;
    row.verdictId = verdictId;
    row.externalId = kernel.externalId;
    row.externalNumber = externalNumber(kernel.externalId);
    row.title = kernel.title;
    row.family = kernel.family;
    row.language = kernel.language;
    row.claim = kernel.claimStatus.empty() ? "unknown" : kernel.claimStatus;
    row.speedup = kernel.claimedSpeedup;
    row.hasSource = kernel.candidateSource.has_value();
    row.membership = kernel.claimedCorrect.value_or(kernel.claimStatus == "accepted") ? kAccepted : 0;
    if (verdictId != 0) {
        const VerdictRecord& verdict = *item.verdict;
        row.outcome = contract::name(contract::stripCell(verdict.outcome, verdict.severity));
        row.status = verdict.status;
        row.gates = std::move(gates);
        row.speedup = verdict.speedup ? verdict.speedup : kernel.claimedSpeedup;
        row.elapsedSeconds = verdict.elapsedSeconds;
        row.membership = membership(verdict);
    }
    bindTriage(triage, row);
    triage.run();
    scopesWritten.insert(row.scopeId);
}

void CorpusWriter::Private::reject(Rejection what)
{
    rejection.integer(1, importFileId).integer(2, what.line > 0 ? std::optional(what.line) : std::nullopt);
    rejection.integer(3, what.byte >= 0 ? std::optional(what.byte) : std::nullopt);
    rejection.textOrNull(4, what.item).text(5, what.reason).run();
    ++totals.rows;
    ++totals.rejected;
    if (totals.rejections.size() < WriterTotals::kMaxListed)
        totals.rejections.push_back(std::move(what));
}

CorpusWriter::Disposition CorpusWriter::Private::addPublished(const std::string& kind, const std::string& sourceFile,
                                                              const std::string& document,
                                                              const std::vector<PublishedFigure>& figures)
{
    const bool isNew = storePublished(sqlite, corpusId, importFileId, kind, sourceFile, document, figures);
    ++totals.rows;
    ++(isNew ? totals.kept : totals.alreadyPresent);
    return isNew ? Disposition::Kept : Disposition::AlreadyPresent;
}

bool CorpusWriter::Private::repeatsEarlierFile()
{
    Statement earlier(sqlite, "SELECT 1 FROM import_file WHERE corpus_id = ?1 AND sha256 = ?2 AND id <> ?3");
    return singleInteger(earlier.integer(1, corpusId).text(2, fileInfo.sha256).integer(3, importFileId)).has_value();
}

void CorpusWriter::Private::finishImportFile()
{
    if (totals.kept == 0 && repeatsEarlierFile()) {
        // The same file once more: its rejections are on record already.
        Statement erase(sqlite, "DELETE FROM import_file WHERE id = ?1");
        erase.integer(1, importFileId).run();
        return;
    }
    Statement update(sqlite, "UPDATE import_file SET rows = ?2, kept = ?3, already_present = ?4, rejected = ?5 WHERE id = ?1");
    update.integer(1, importFileId).integer(2, totals.rows).integer(3, totals.kept).integer(4, totals.alreadyPresent);
    update.integer(5, totals.rejected).run();
}

// Costs what this transaction wrote: a folder of many files is as many transactions.
void CorpusWriter::Private::refreshDerived()
{
    std::sort(stale.begin(), stale.end());
    stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
    if (!stale.empty()) {
        TriageRefresher refresher(sqlite);
        for (const std::int64_t kernel : stale) {
            database.throwIfStopped();
            refresher.refresh(kernel);
        }
        scopesWritten.insert(refresher.touchedScopes().begin(), refresher.touchedScopes().end());
    }
    refreshScopeCounts(sqlite, scopesWritten);
    // Re-scored rows of an audit that got new verdicts no longer tell the truth; whoever shows them computes them again.
    Statement outdated(sqlite,
                       "DELETE FROM rule_outcome WHERE rule_set_id IN (SELECT id FROM rule_set) AND audit_id = ?1"); // by its key
    for (const std::int64_t audit : auditsWithNews)
        outdated.integer(1, audit).run();
}

void CorpusWriter::Private::commit()
{
    lookup.finish();
    dropEmptyImport();
    refreshDerived();
    finishImportFile();
    transaction.commit();
    if (totals.kept >= kCheckpointRows)
        sqlite.tryExec("PRAGMA wal_checkpoint(TRUNCATE)"); // a reader may be in the way; the next writer tries again
}

CorpusWriter::CorpusWriter(Database& database, const CorpusInfo& corpus, const FileInfo& file)
    : d(guarded(database, [&] { return std::make_unique<Private>(database, corpus, file); }))
{
}

CorpusWriter::~CorpusWriter() = default;

void CorpusWriter::setAudit(const AuditRecord& audit)
{
    guarded(d->database, [&] { d->setAudit(audit); });
}

CorpusWriter::Disposition CorpusWriter::add(const ImportedItem& item)
{
    d->database.throwIfStopped();
    return guarded(d->database, [&] { return d->add(item); });
}

CorpusWriter::Disposition CorpusWriter::addJudged(ImportedItem item, JudgedKernel judged)
{
    d->database.throwIfStopped();
    return guarded(d->database, [&] { return d->addJudged(std::move(item), std::move(judged)); });
}

void CorpusWriter::reject(Rejection rejection)
{
    guarded(d->database, [&] { d->reject(std::move(rejection)); });
}

CorpusWriter::Disposition CorpusWriter::addPublished(const std::string& kind, const std::string& sourceFile,
                                                     const std::string& document, const std::vector<PublishedFigure>& figures)
{
    return guarded(d->database, [&] { return d->addPublished(kind, sourceFile, document, figures); });
}

const WriterTotals& CorpusWriter::totals() const
{
    return d->totals;
}

WriterTotals CorpusWriter::commit()
{
    d->database.throwIfStopped();
    guarded(d->database, [&] { d->commit(); });
    return d->totals;
}

} // namespace assay::store
