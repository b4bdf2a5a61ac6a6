// SPDX-License-Identifier: Apache-2.0
#include "core/store/claim_sql.h"
#include "core/store/file_system.h"
#include "core/store/guarded.h"
#include "core/store/kernel_join.h"
#include "core/store/maintenance.h"
#include "core/store/merge_state.h"
#include "core/store/migration.h"
#include "core/store/source_store.h"
#include "core/store/statement.h"
#include "core/store/triage_refresh.h"
#include "core/store/unfinished_audit.h"
#include "core/store/verdict_writer.h"

#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <set>

namespace assay::store {

namespace {

/// A snapshot of the other database, attached as `other` for as long as the object lives.
class Attached {
public:
    Attached(SQLite::Database& sqlite, Database& other)
        : m_sqlite(sqlite)
    {
        const std::filesystem::path copy = m_folder.path() / "other.db";
        copyDatabase(other.sqlite(), copy);
        Statement attach(sqlite, "ATTACH ?1 AS other");
        attach.text(1, copy.string()).run();
    }
    ~Attached() { m_sqlite.tryExec("DETACH other"); }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

private:
    SQLite::Database& m_sqlite;
    TemporaryFolder m_folder;
};

/// Merges `other` into `main`, table by table, parents first.
class Merger : private MergeState {
public:
    Merger(Database& database, const std::string& otherName, MergeResult& merged)
        : MergeState(database.sqlite(), merged)
        , m_database(database)
        , m_otherName(otherName)
        , m_verdictWriter(sqlite)
        , m_sourceStore(sqlite)
    {
    }

    void run()
    {
        corpora();
        importFiles();
        sources();
        kernels();
        origins();
        audits();
        mergeAnnotations(*this);
        mergeLabels(*this);
        mergeDocuments(*this);
        mergeStandalone(*this);
        derived();
    }

private:
    std::int64_t inserted() { return sqlite.getLastInsertRowid(); }

    void corpora()
    {
        mapRows(sqlite, "SELECT id FROM other.corpus",
                "SELECT m.id FROM main.corpus m JOIN other.corpus o ON o.name = m.name WHERE o.id = ?1",
                "INSERT INTO main.corpus (name, origin, licence, format, imported_at, file_sha256, path, options) "
                "SELECT name, origin, licence, format, imported_at, file_sha256, path, options FROM other.corpus WHERE id = ?1",
                corporaHere);
    }

    void importFiles()
    {
        mapRows(
            sqlite, "SELECT id, corpus_id FROM other.import_file",
            "SELECT m.id FROM main.import_file m JOIN other.import_file o ON o.sha256 = m.sha256 AND o.path = m.path "
            "WHERE o.id = ?1 AND m.corpus_id = ?2 AND (m.imported_at = o.imported_at OR m.rows = o.rows)",
            "INSERT INTO main.import_file (corpus_id, path, sha256, format, imported_at, options, rows, kept, already_present, "
            "rejected) "
            "SELECT ?2, path, sha256, format, imported_at, options, rows, kept, already_present, rejected FROM other.import_file "
            "WHERE id = ?1",
            m_files, &corporaHere);
        Ids rejections;
        mapRows(sqlite, "SELECT id, import_file_id FROM other.rejection",
                "SELECT m.id FROM main.rejection m JOIN other.rejection o ON o.reason = m.reason AND o.line IS m.line AND o.byte "
                "IS m.byte "
                "AND o.item IS m.item WHERE o.id = ?1 AND m.import_file_id = ?2",
                "INSERT INTO main.rejection (import_file_id, line, byte, item, reason) SELECT ?2, line, byte, item, reason "
                "FROM other.rejection WHERE id = ?1",
                rejections, &m_files);
    }

    void sources()
    {
        Statement all(sqlite, "SELECT id, sha256, bytes, codec, data FROM other.source ORDER BY id");
        while (all.step()) {
            const std::string sha256(all.textAt(1));
            const auto known = m_sourceStore.find(sha256);
            if (!known) {
                const auto text = unpack(all.textAt(3), all.blobAt(4), all.integerAt(2));
                if (!text)
                    throw SQLite::Exception("a source of " + m_otherName + " is damaged", SQLITE_CORRUPT);
                m_sources[all.integerAt(0)] = m_sourceStore.findOrInsert(*text, sha256);
                ++result.sources;
            } else {
                m_sources[all.integerAt(0)] = *known;
            }
        }
    }

    std::int64_t kernelHere(std::int64_t corpus, std::string_view externalId, std::int64_t candidate, std::int64_t reference)
    {
        if (candidate != 0 && reference != 0) {
            Statement identity(sqlite, "SELECT id FROM main.kernel WHERE candidate_source_id = ?1 AND reference_source_id = ?2");
            if (const auto id = singleInteger(identity.integer(1, candidate).integer(2, reference)))
                return *id;
        }
        // One that has other sources is another kernel, one that lacks them may be this one; the best known comes first.
        Statement named(sqlite,
                        "SELECT DISTINCT k.id FROM main.origin o JOIN main.kernel k ON k.id = o.kernel_id "
                        "WHERE o.corpus_id = ?1 AND o.external_id = ?2 "
                        "AND (?3 IS NULL OR k.candidate_source_id IS NULL OR k.candidate_source_id = ?3) "
                        "AND (?4 IS NULL OR k.reference_source_id IS NULL OR k.reference_source_id = ?4) "
                        "ORDER BY k.candidate_source_id IS ?3 DESC, k.reference_source_id IS ?4 DESC, k.id LIMIT 1");
        named.integer(1, corpus).text(2, externalId).idOrNull(3, candidate).idOrNull(4, reference);
        return singleInteger(named).value_or(0);
    }

    void kernels()
    {
        Statement all(
            sqlite, "SELECT id, corpus_id, external_id, candidate_source_id, reference_source_id FROM other.kernel ORDER BY id");
        Statement insert(
            sqlite,
            "INSERT INTO main.kernel (corpus_id, external_id, external_number, title, family, language, candidate_source_id, "
            "reference_source_id, entry_point, claim, claimed_correct, claimed_speedup, claim_status) "
            "SELECT ?2, external_id, external_number, title, family, language, ?3, ?4, entry_point, claim, claimed_correct, "
            "claimed_speedup, claim_status FROM other.kernel WHERE id = ?1");
        Statement index(sqlite,
                        "INSERT INTO main.kernel_fts (rowid, title, external_id) SELECT id, title, external_id FROM main.kernel "
                        "WHERE id = ?1");
        while (all.step()) {
            m_database.throwIfStopped();
            const std::int64_t corpus = mapped(corporaHere, all.integerAt(1));
            const std::int64_t candidate = mapped(m_sources, all.integerAt(3));
            const std::int64_t reference = mapped(m_sources, all.integerAt(4));
            std::int64_t here = kernelHere(corpus, all.textAt(2), candidate, reference);
            if (here == 0) {
                insert.integer(1, all.integerAt(0)).integer(2, corpus).idOrNull(3, candidate).idOrNull(4, reference).run();
                here = inserted();
                index.integer(1, here).run();
                touched.insert(here);
                ++result.kernels;
            } else {
                here = completed(here, all.integerAt(0), candidate, reference);
            }
            kernelsHere[all.integerAt(0)] = here;
        }
    }

    /// Fills in what @p here does not know; sources that complete a pair another kernel has make the two one.
    std::int64_t completed(std::int64_t here, std::int64_t there, std::int64_t candidate, std::int64_t reference)
    {
        Statement twin(sqlite,
                       "SELECT t.id FROM main.kernel k JOIN main.kernel t ON t.id <> k.id "
                       "AND t.candidate_source_id = coalesce(k.candidate_source_id, ?2) "
                       "AND t.reference_source_id = coalesce(k.reference_source_id, ?3) WHERE k.id = ?1");
        if (const auto kept = singleInteger(twin.integer(1, here).idOrNull(2, candidate).idOrNull(3, reference))) {
            if (joinConflict(sqlite, *kept, here))
                return here; // stays a kernel of its own, without those sources
            joinKernels(sqlite, m_verdictWriter, *kept, here);
            for (auto& [other, id] : kernelsHere)
                id = id == here ? *kept : id;
            touched.erase(here);
            here = *kept;
        }
        Statement fill(
            sqlite,
            "UPDATE main.kernel SET candidate_source_id = coalesce(kernel.candidate_source_id, ?3), "
            "reference_source_id = coalesce(kernel.reference_source_id, ?4), entry_point = coalesce(kernel.entry_point, "
            "o.entry_point), "
                + takeClaimWhereNone({"o.claim", "o.claimed_correct", "o.claimed_speedup", "o.claim_status"})
                + ", family = CASE WHEN kernel.family = 'unknown' THEN o.family ELSE kernel.family END, "
                  "language = CASE WHEN kernel.language = 'unknown' THEN o.language ELSE kernel.language END "
                  "FROM other.kernel o WHERE kernel.id = ?1 AND o.id = ?2");
        fill.integer(1, here).integer(2, there).idOrNull(3, candidate).idOrNull(4, reference).run();
        touched.insert(here);
        return here;
    }

    void origins()
    {
        Statement all(sqlite, "SELECT id, kernel_id, corpus_id, import_file_id FROM other.origin ORDER BY id");
        Statement insert(
            sqlite,
            "INSERT OR IGNORE INTO main.origin (kernel_id, corpus_id, import_file_id, external_id, row_hash, hardware, path, "
            "repository, revision, licence, inferred, claim) SELECT ?2, ?3, ?4, external_id, row_hash, hardware, path, "
            "repository, revision, licence, inferred, "
            "nullif(coalesce(claim, (SELECT claim FROM other.kernel k WHERE k.id = origin.kernel_id)), "
            "(SELECT claim FROM main.kernel WHERE id = ?2)) FROM other.origin WHERE id = ?1");
        while (all.step()) {
            insert.integer(1, all.integerAt(0)).integer(2, mapped(kernelsHere, all.integerAt(1)));
            insert.integer(3, mapped(corporaHere, all.integerAt(2))).idOrNull(4, mapped(m_files, all.integerAt(3))).run();
        }
    }

    struct OtherVerdict {
        std::int64_t id = 0;
        std::int64_t kernel = 0; ///< here
    };

    std::vector<OtherVerdict> verdictsOf(std::int64_t otherAudit)
    {
        std::vector<OtherVerdict> verdicts;
        Statement query(sqlite, "SELECT id, kernel_id FROM other.verdict WHERE audit_id = ?1 ORDER BY id");
        query.integer(1, otherAudit);
        while (query.step())
            verdicts.push_back({query.integerAt(0), mapped(kernelsHere, query.integerAt(1))});
        return verdicts;
    }

    /// True when nothing that the other audit says contradicts @p audit here.
    bool agrees(std::int64_t audit, std::int64_t otherAudit, const std::vector<OtherVerdict>& verdicts)
    {
        Statement facts(sqlite,
                        "SELECT 1 FROM main.audit m, other.audit o WHERE m.id = ?1 AND o.id = ?2 AND m.origin = o.origin "
                        "AND m.taxonomy = o.taxonomy AND m.device IS o.device AND m.versions IS o.versions AND m.seed IS o.seed "
                        "AND m.gate_config IS o.gate_config");
        if (!singleInteger(facts.integer(1, audit).integer(2, otherAudit)))
            return false;
        for (const OtherVerdict& verdict : verdicts) {
            const auto here = m_verdictWriter.find(audit, verdict.kernel);
            if (here && !sameVerdict(sqlite, *here, verdict.id, false, "other"))
                return false;
        }
        return true;
    }

    void audits()
    {
        Statement all(sqlite, "SELECT id, corpus_id, name FROM other.audit ORDER BY id");
        while (all.step()) {
            const std::int64_t otherAudit = all.integerAt(0);
            const std::string name(all.textAt(2));
            const std::vector<OtherVerdict> verdicts = verdictsOf(otherAudit);
            const std::int64_t audit = auditHere(otherAudit, mapped(corporaHere, all.integerAt(1)), name, verdicts);
            for (const OtherVerdict& verdict : verdicts) {
                m_database.throwIfStopped();
                copyVerdict(audit, verdict);
            }
        }
    }

    /// The audit of that name where it says the same, else one with the other file's name behind it, else a new one.
    std::int64_t auditHere(std::int64_t otherAudit, std::int64_t corpus, const std::string& name,
                           const std::vector<OtherVerdict>& verdicts)
    {
        Statement find(sqlite, "SELECT id FROM main.audit WHERE corpus_id = ?1 AND name = ?2");
        std::string candidate = name;
        for (int n = 1;; ++n) {
            const auto known = singleInteger(find.integer(1, corpus).text(2, candidate));
            if (!known)
                break;
            if (agrees(*known, otherAudit, verdicts))
                return *known;
            candidate = name + " (" + m_otherName + (n == 1 ? "" : " " + std::to_string(n)) + ")";
        }
        if (candidate != name)
            result.renamedAudits.push_back(name + " -> " + candidate);
        Statement insert(
            sqlite,
            "INSERT INTO main.audit (corpus_id, name, origin, taxonomy, device, versions, seed, gate_config, config_hash, "
            "started_at, finished_at) SELECT ?2, ?3, origin, taxonomy, device, versions, seed, gate_config, config_hash, "
            "started_at, finished_at FROM other.audit WHERE id = ?1");
        insert.integer(1, otherAudit).integer(2, corpus).text(3, candidate).run();
        const std::int64_t audit = inserted();
        if (const std::string file = importOf(sqlite, otherAudit, "other"); !file.empty())
            noteImport(sqlite, audit, file);
        return audit;
    }

    void copyVerdict(std::int64_t audit, const OtherVerdict& verdict)
    {
        if (const auto here = m_verdictWriter.find(audit, verdict.kernel)) {
            if (!sameVerdict(sqlite, *here, verdict.id, false, "other"))
                result.conflicts.push_back("verdict " + std::to_string(verdict.id) + " of " + m_otherName
                                           + " differs from verdict " + std::to_string(*here) + " here, which was kept");
            return;
        }
        static const std::string columns
            = "status, outcome, severity, hard_failures, soft_failures, exercised, total, elapsed_seconds, "
              "native_shape, primary_index, multi_output, output_aliasing, speedup, error, finding, extra, "
              "membership, alignment, flags, isolation";
        Statement insert(sqlite,
                         "INSERT INTO main.verdict (audit_id, kernel_id, " + columns + ") SELECT ?2, ?3, " + columns
                             + " FROM other.verdict WHERE id = ?1");
        insert.integer(1, verdict.id).integer(2, audit).integer(3, verdict.kernel).run();
        const std::int64_t id = inserted();
        copyChildren("gate_result", kGateColumns, verdict.id, id);
        copyChildren("check_result", kCheckColumns, verdict.id, id);
        copyChildren("baseline_verdict", kBaselineColumns, verdict.id, id);
        copyChildren("artifact", "gate, ordinal, role, name, dtype, shape, encoding, sha256, data, strides", verdict.id, id);
        copyChildren("gdn_run", "family, shape, dtype, device, timings, errors, created_at", verdict.id, id);
        Statement index(sqlite,
                        "INSERT INTO main.finding_fts (rowid, finding) SELECT id, finding FROM main.verdict "
                        "WHERE id = ?1 AND finding IS NOT NULL");
        index.integer(1, id).run();
        touched.insert(verdict.kernel);
        m_auditsWithNews.insert(audit);
        ++result.verdicts;
    }

    void copyChildren(const std::string& table, const std::string& columns, std::int64_t from, std::int64_t to)
    {
        Statement copy(sqlite,
                       "INSERT INTO main." + table + " (verdict_id, " + columns + ") SELECT ?2, " + columns + " FROM other."
                           + table + " WHERE verdict_id = ?1");
        copy.integer(1, from).integer(2, to).run();
    }

    void derived()
    {
        TriageRefresher refresher(sqlite);
        for (const std::int64_t kernel : touched) {
            m_database.throwIfStopped();
            refresher.refresh(kernel);
        }
        refreshScopeCounts(sqlite);
        Statement outdated(sqlite, "DELETE FROM main.rule_outcome WHERE audit_id = ?1");
        for (const std::int64_t audit : m_auditsWithNews)
            outdated.integer(1, audit).run();
    }

    Database& m_database;
    std::string m_otherName;
    VerdictWriter m_verdictWriter;
    SourceStore m_sourceStore;
    Ids m_files;
    Ids m_sources;
    std::set<std::int64_t> m_auditsWithNews;
};

} // namespace

MergeResult mergeDatabase(Database& database, const std::filesystem::path& other, std::stop_token stop)
{
    if (database.isReadOnly())
        throw DatabaseError(DatabaseError::Kind::ReadOnly, "nothing can be merged into a read-only database",
                            database.path().string(), "Copy it to a place that can be written and merge into the copy");
    MergeResult result;
    result.source = other;
    const auto source = Database::open(other, OpenMode::ReadOnly);
    const InterruptOnStop interrupt(database, std::move(stop));
    guarded(database, [&] {
        const Attached attached(database.sqlite(), *source);
        SQLite::Transaction transaction(database.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
        Merger(database, other.stem().string(), result).run();
        transaction.commit();
    });
    return result;
}

} // namespace assay::store
