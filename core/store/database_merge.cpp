// SPDX-License-Identifier: Apache-2.0
#include "core/store/claim_sql.h"
#include "core/store/file_system.h"
#include "core/store/guarded.h"
#include "core/store/kernel_join.h"
#include "core/store/maintenance.h"
#include "core/store/migration.h"
#include "core/store/source_store.h"
#include "core/store/statement.h"
#include "core/store/triage_refresh.h"
#include "core/store/verdict_writer.h"

#include <SQLiteCpp/Transaction.h>
#include <sqlite3.h>

#include <map>
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

/// Merges `other` into `main`, table by table, parents first. Ids of the two databases have nothing to do with each other, so
/// every parent gets a map from there to here.
class Merger {
public:
    Merger(Database& database, const std::string& otherName, MergeResult& result)
        : m_database(database)
        , m_sqlite(database.sqlite())
        , m_otherName(otherName)
        , m_result(result)
        , m_verdictWriter(m_sqlite)
        , m_sourceStore(m_sqlite)
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
        annotations();
        labels();
        documents();
        standalone();
        derived();
    }

private:
    using Ids = std::map<std::int64_t, std::int64_t>;

    std::int64_t inserted() { return m_sqlite.getLastInsertRowid(); }

    /// One integer of the row @p id of `other`, mapped; 0 where it is NULL or unknown.
    static std::int64_t mapped(const Ids& ids, std::int64_t id)
    {
        const auto it = ids.find(id);
        return it == ids.end() ? 0 : it->second;
    }

    /// Maps rows that are the same thing where @p same says so, and inserts the others with @p insert (both take the other's
    /// row id as ?1, and ?2 where @p parents is given: the mapped parent). @return how many were new
    std::int64_t mapRows(const std::string& list, const std::string& same, const std::string& insert, Ids& ids,
                         const Ids* parents = nullptr)
    {
        std::int64_t fresh = 0;
        Statement all(m_sqlite, list);
        Statement find(m_sqlite, same);
        Statement add(m_sqlite, insert);
        while (all.step()) {
            const std::int64_t id = all.integerAt(0);
            find.integer(1, id);
            add.integer(1, id);
            if (parents != nullptr) {
                const std::int64_t parent = mapped(*parents, all.integerAt(1));
                if (parent == 0)
                    continue;
                find.integer(2, parent);
                add.integer(2, parent);
            }
            if (const auto known = singleInteger(find)) {
                ids[id] = *known;
                continue;
            }
            add.run();
            ids[id] = inserted();
            ++fresh;
        }
        return fresh;
    }

    void corpora()
    {
        mapRows("SELECT id FROM other.corpus",
                "SELECT m.id FROM main.corpus m JOIN other.corpus o ON o.name = m.name WHERE o.id = ?1",
                "INSERT INTO main.corpus (name, origin, licence, format, imported_at, file_sha256, path, options) "
                "SELECT name, origin, licence, format, imported_at, file_sha256, path, options FROM other.corpus WHERE id = ?1",
                m_corpora);
    }

    void importFiles()
    {
        Ids before;
        mapRows(
            "SELECT id, corpus_id FROM other.import_file",
            "SELECT m.id FROM main.import_file m JOIN other.import_file o ON o.sha256 = m.sha256 AND o.path = m.path "
            "WHERE o.id = ?1 AND m.corpus_id = ?2 AND (m.imported_at = o.imported_at OR m.rows = o.rows)",
            "INSERT INTO main.import_file (corpus_id, path, sha256, format, imported_at, options, rows, kept, already_present, "
            "rejected) "
            "SELECT ?2, path, sha256, format, imported_at, options, rows, kept, already_present, rejected FROM other.import_file "
            "WHERE id = ?1",
            m_files, &m_corpora);
        Ids rejections;
        mapRows("SELECT id, import_file_id FROM other.rejection",
                "SELECT m.id FROM main.rejection m JOIN other.rejection o ON o.reason = m.reason AND o.line IS m.line AND o.byte "
                "IS m.byte "
                "AND o.item IS m.item WHERE o.id = ?1 AND m.import_file_id = ?2",
                "INSERT INTO main.rejection (import_file_id, line, byte, item, reason) SELECT ?2, line, byte, item, reason "
                "FROM other.rejection WHERE id = ?1",
                rejections, &m_files);
    }

    void sources()
    {
        Statement all(m_sqlite, "SELECT id, sha256, bytes, codec, data FROM other.source ORDER BY id");
        while (all.step()) {
            const std::string sha256(all.textAt(1));
            const auto known = m_sourceStore.find(sha256);
            if (!known) {
                const auto text = unpack(all.textAt(3), all.blobAt(4), all.integerAt(2));
                if (!text)
                    throw SQLite::Exception("a source of " + m_otherName + " is damaged", SQLITE_CORRUPT);
                m_sources[all.integerAt(0)] = m_sourceStore.findOrInsert(*text, sha256);
                ++m_result.sources;
            } else {
                m_sources[all.integerAt(0)] = *known;
            }
        }
    }

    std::int64_t kernelHere(std::int64_t corpus, std::string_view externalId, std::int64_t candidate, std::int64_t reference)
    {
        if (candidate != 0 && reference != 0) {
            Statement identity(m_sqlite,
                               "SELECT id FROM main.kernel WHERE candidate_source_id = ?1 AND reference_source_id = ?2");
            if (const auto id = singleInteger(identity.integer(1, candidate).integer(2, reference)))
                return *id;
        }
        // One that has other sources is another kernel, one that lacks them may be this one; the best known comes first.
        Statement named(m_sqlite,
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
            m_sqlite,
            "SELECT id, corpus_id, external_id, candidate_source_id, reference_source_id FROM other.kernel ORDER BY id");
        Statement insert(
            m_sqlite,
            "INSERT INTO main.kernel (corpus_id, external_id, external_number, title, family, language, candidate_source_id, "
            "reference_source_id, entry_point, claim, claimed_correct, claimed_speedup, claim_status) "
            "SELECT ?2, external_id, external_number, title, family, language, ?3, ?4, entry_point, claim, claimed_correct, "
            "claimed_speedup, claim_status FROM other.kernel WHERE id = ?1");
        Statement index(m_sqlite,
                        "INSERT INTO main.kernel_fts (rowid, title, external_id) SELECT id, title, external_id FROM main.kernel "
                        "WHERE id = ?1");
        while (all.step()) {
            m_database.throwIfStopped();
            const std::int64_t corpus = mapped(m_corpora, all.integerAt(1));
            const std::int64_t candidate = mapped(m_sources, all.integerAt(3));
            const std::int64_t reference = mapped(m_sources, all.integerAt(4));
            std::int64_t here = kernelHere(corpus, all.textAt(2), candidate, reference);
            if (here == 0) {
                insert.integer(1, all.integerAt(0)).integer(2, corpus).idOrNull(3, candidate).idOrNull(4, reference).run();
                here = inserted();
                index.integer(1, here).run();
                m_touched.insert(here);
                ++m_result.kernels;
            } else {
                here = completed(here, all.integerAt(0), candidate, reference);
            }
            m_kernels[all.integerAt(0)] = here;
        }
    }

    /// Fills in what @p here does not know; sources that complete a pair another kernel has make the two one.
    std::int64_t completed(std::int64_t here, std::int64_t there, std::int64_t candidate, std::int64_t reference)
    {
        Statement twin(m_sqlite,
                       "SELECT t.id FROM main.kernel k JOIN main.kernel t ON t.id <> k.id "
                       "AND t.candidate_source_id = coalesce(k.candidate_source_id, ?2) "
                       "AND t.reference_source_id = coalesce(k.reference_source_id, ?3) WHERE k.id = ?1");
        if (const auto kept = singleInteger(twin.integer(1, here).idOrNull(2, candidate).idOrNull(3, reference))) {
            if (joinConflict(m_sqlite, *kept, here))
                return here; // stays a kernel of its own, without those sources
            joinKernels(m_sqlite, m_verdictWriter, *kept, here);
            for (auto& [other, id] : m_kernels)
                id = id == here ? *kept : id;
            m_touched.erase(here);
            here = *kept;
        }
        Statement fill(
            m_sqlite,
            "UPDATE main.kernel SET candidate_source_id = coalesce(kernel.candidate_source_id, ?3), "
            "reference_source_id = coalesce(kernel.reference_source_id, ?4), entry_point = coalesce(kernel.entry_point, "
            "o.entry_point), "
                + takeClaimWhereNone({"o.claim", "o.claimed_correct", "o.claimed_speedup", "o.claim_status"})
                + ", family = CASE WHEN kernel.family = 'unknown' THEN o.family ELSE kernel.family END, "
                  "language = CASE WHEN kernel.language = 'unknown' THEN o.language ELSE kernel.language END "
                  "FROM other.kernel o WHERE kernel.id = ?1 AND o.id = ?2");
        fill.integer(1, here).integer(2, there).idOrNull(3, candidate).idOrNull(4, reference).run();
        m_touched.insert(here);
        return here;
    }

    void origins()
    {
        Statement all(m_sqlite, "SELECT id, kernel_id, corpus_id, import_file_id FROM other.origin ORDER BY id");
        Statement insert(
            m_sqlite,
            "INSERT OR IGNORE INTO main.origin (kernel_id, corpus_id, import_file_id, external_id, row_hash, hardware, path, "
            "repository, revision, licence, inferred, claim) SELECT ?2, ?3, ?4, external_id, row_hash, hardware, path, "
            "repository, revision, licence, inferred, "
            "nullif(coalesce(claim, (SELECT claim FROM other.kernel k WHERE k.id = origin.kernel_id)), "
            "(SELECT claim FROM main.kernel WHERE id = ?2)) FROM other.origin WHERE id = ?1");
        while (all.step()) {
            insert.integer(1, all.integerAt(0)).integer(2, mapped(m_kernels, all.integerAt(1)));
            insert.integer(3, mapped(m_corpora, all.integerAt(2))).idOrNull(4, mapped(m_files, all.integerAt(3))).run();
        }
    }

    struct OtherVerdict {
        std::int64_t id = 0;
        std::int64_t kernel = 0; ///< here
    };

    std::vector<OtherVerdict> verdictsOf(std::int64_t otherAudit)
    {
        std::vector<OtherVerdict> verdicts;
        Statement query(m_sqlite, "SELECT id, kernel_id FROM other.verdict WHERE audit_id = ?1 ORDER BY id");
        query.integer(1, otherAudit);
        while (query.step())
            verdicts.push_back({query.integerAt(0), mapped(m_kernels, query.integerAt(1))});
        return verdicts;
    }

    /// True when nothing that the other audit says contradicts @p audit here.
    bool agrees(std::int64_t audit, std::int64_t otherAudit, const std::vector<OtherVerdict>& verdicts)
    {
        Statement facts(m_sqlite,
                        "SELECT 1 FROM main.audit m, other.audit o WHERE m.id = ?1 AND o.id = ?2 AND m.origin = o.origin "
                        "AND m.taxonomy = o.taxonomy AND m.device IS o.device AND m.versions IS o.versions AND m.seed IS o.seed "
                        "AND m.gate_config IS o.gate_config");
        if (!singleInteger(facts.integer(1, audit).integer(2, otherAudit)))
            return false;
        for (const OtherVerdict& verdict : verdicts) {
            const auto here = m_verdictWriter.find(audit, verdict.kernel);
            if (here && !sameVerdict(m_sqlite, *here, verdict.id, false, "other"))
                return false;
        }
        return true;
    }

    void audits()
    {
        Statement all(m_sqlite, "SELECT id, corpus_id, name FROM other.audit ORDER BY id");
        while (all.step()) {
            const std::int64_t otherAudit = all.integerAt(0);
            const std::string name(all.textAt(2));
            const std::vector<OtherVerdict> verdicts = verdictsOf(otherAudit);
            const std::int64_t audit = auditHere(otherAudit, mapped(m_corpora, all.integerAt(1)), name, verdicts);
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
        Statement find(m_sqlite, "SELECT id FROM main.audit WHERE corpus_id = ?1 AND name = ?2");
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
            m_result.renamedAudits.push_back(name + " -> " + candidate);
        Statement insert(
            m_sqlite,
            "INSERT INTO main.audit (corpus_id, name, origin, taxonomy, device, versions, seed, gate_config, config_hash, "
            "started_at, finished_at) SELECT ?2, ?3, origin, taxonomy, device, versions, seed, gate_config, config_hash, "
            "started_at, finished_at FROM other.audit WHERE id = ?1");
        insert.integer(1, otherAudit).integer(2, corpus).text(3, candidate).run();
        return inserted();
    }

    void copyVerdict(std::int64_t audit, const OtherVerdict& verdict)
    {
        if (const auto here = m_verdictWriter.find(audit, verdict.kernel)) {
            if (!sameVerdict(m_sqlite, *here, verdict.id, false, "other"))
                m_result.conflicts.push_back("verdict " + std::to_string(verdict.id) + " of " + m_otherName
                                             + " differs from verdict " + std::to_string(*here) + " here, which was kept");
            m_verdicts[verdict.id] = *here;
            return;
        }
        static const std::string columns
            = "status, outcome, severity, hard_failures, soft_failures, exercised, total, elapsed_seconds, "
              "native_shape, primary_index, multi_output, output_aliasing, speedup, error, finding, extra, "
              "membership";
        Statement insert(m_sqlite,
                         "INSERT INTO main.verdict (audit_id, kernel_id, " + columns + ") SELECT ?2, ?3, " + columns
                             + " FROM other.verdict WHERE id = ?1");
        insert.integer(1, verdict.id).integer(2, audit).integer(3, verdict.kernel).run();
        const std::int64_t id = inserted();
        copyChildren("gate_result", kGateColumns, verdict.id, id);
        copyChildren("check_result", kCheckColumns, verdict.id, id);
        copyChildren("baseline_verdict", kBaselineColumns, verdict.id, id);
        copyChildren("artifact", "gate, ordinal, role, name, dtype, shape, encoding, sha256, data", verdict.id, id);
        copyChildren("gdn_run", "family, shape, dtype, device, timings, errors, created_at", verdict.id, id);
        Statement index(m_sqlite,
                        "INSERT INTO main.finding_fts (rowid, finding) SELECT id, finding FROM main.verdict "
                        "WHERE id = ?1 AND finding IS NOT NULL");
        index.integer(1, id).run();
        m_verdicts[verdict.id] = id;
        m_touched.insert(verdict.kernel);
        m_auditsWithNews.insert(audit);
        ++m_result.verdicts;
    }

    void copyChildren(const std::string& table, const std::string& columns, std::int64_t from, std::int64_t to)
    {
        Statement copy(m_sqlite,
                       "INSERT INTO main." + table + " (verdict_id, " + columns + ") SELECT ?2, " + columns + " FROM other."
                           + table + " WHERE verdict_id = ?1");
        copy.integer(1, from).integer(2, to).run();
    }

    void annotations()
    {
        Ids notes;
        m_result.notes
            = mapRows("SELECT id, kernel_id FROM other.note ORDER BY id",
                      "SELECT m.id FROM main.note m JOIN other.note o ON o.body = m.body AND o.author = m.author "
                      "AND o.created_at = m.created_at WHERE o.id = ?1 AND m.kernel_id = ?2",
                      "INSERT INTO main.note (kernel_id, body, author, created_at) SELECT ?2, body, author, created_at "
                      "FROM other.note WHERE id = ?1",
                      notes, &m_kernels);
        m_sqlite.exec("INSERT INTO main.note_fts (rowid, body) SELECT id, body FROM main.note "
                      "WHERE id NOT IN (SELECT id FROM main.note_fts_docsize)");
        Ids waivers;
        m_result.waivers
            = mapRows("SELECT id, kernel_id FROM other.waiver ORDER BY id",
                      "SELECT m.id FROM main.waiver m JOIN other.waiver o ON o.gate IS m.gate AND o.reason = m.reason "
                      "AND o.author = m.author AND o.created_at = m.created_at WHERE o.id = ?1 AND m.kernel_id = ?2",
                      "INSERT INTO main.waiver (kernel_id, gate, reason, author, created_at, withdrawn_at) "
                      "SELECT ?2, gate, reason, author, created_at, withdrawn_at FROM other.waiver WHERE id = ?1",
                      waivers, &m_kernels);
        Statement withdraw(m_sqlite,
                           "UPDATE main.waiver SET withdrawn_at = (SELECT withdrawn_at FROM other.waiver WHERE id = ?2) "
                           "WHERE id = ?1 AND withdrawn_at IS NULL");
        for (const auto& [there, here] : waivers)
            withdraw.integer(1, here).integer(2, there).run();
        Statement bookmark(m_sqlite,
                           "INSERT OR IGNORE INTO main.bookmark (kernel_id, author, created_at) SELECT ?2, author, created_at "
                           "FROM other.bookmark WHERE kernel_id = ?1");
        for (const auto& [there, here] : m_kernels) {
            bookmark.integer(1, there).integer(2, here).run();
            m_touched.insert(here);
        }
    }

    void labels()
    {
        Ids plans;
        // A plan of the same name over another frame is another plan.
        mapRows("SELECT id FROM other.sample_plan ORDER BY id",
                "SELECT m.id FROM main.sample_plan m JOIN other.sample_plan o ON o.frame_hash = m.frame_hash AND o.seed = m.seed "
                "AND o.definition = m.definition WHERE o.id = ?1",
                "INSERT INTO main.sample_plan (name, seed, frame_sql, frame_hash, definition, created_at) "
                "SELECT CASE WHEN name IN (SELECT name FROM main.sample_plan) THEN name || ' (' || substr(frame_hash, 1, 8) || "
                "')' ELSE name "
                "END, seed, frame_sql, frame_hash, definition, created_at FROM other.sample_plan WHERE id = ?1",
                plans);
        Ids items;
        Statement all(m_sqlite, "SELECT id, plan_id, kernel_id FROM other.sample_item ORDER BY id");
        Statement find(m_sqlite, "SELECT id FROM main.sample_item WHERE plan_id = ?1 AND kernel_id = ?2");
        Statement insert(m_sqlite,
                         "INSERT INTO main.sample_item (plan_id, kernel_id, stratum, position) SELECT ?2, ?3, stratum, position "
                         "FROM other.sample_item WHERE id = ?1");
        while (all.step()) {
            const std::int64_t plan = mapped(plans, all.integerAt(1));
            const std::int64_t kernel = mapped(m_kernels, all.integerAt(2));
            if (const auto known = singleInteger(find.integer(1, plan).integer(2, kernel))) {
                items[all.integerAt(0)] = *known;
                continue;
            }
            insert.integer(1, all.integerAt(0)).integer(2, plan).integer(3, kernel).run();
            items[all.integerAt(0)] = inserted();
        }
        Ids labelIds;
        m_result.labels
            = mapRows("SELECT id, item_id FROM other.label ORDER BY id",
                      "SELECT m.id FROM main.label m JOIN other.label o ON o.label = m.label AND o.reason IS m.reason "
                      "AND o.note IS m.note AND o.reviewer = m.reviewer AND o.created_at = m.created_at "
                      "WHERE o.id = ?1 AND m.item_id = ?2",
                      "INSERT INTO main.label (item_id, label, reason, note, reviewer, created_at) "
                      "SELECT ?2, label, reason, note, reviewer, created_at FROM other.label WHERE id = ?1",
                      labelIds, &items);
    }

    void documents()
    {
        Ids ids;
        m_result.documents
            = mapRows("SELECT id, corpus_id FROM other.published_document ORDER BY id",
                      "SELECT m.id FROM main.published_document m JOIN other.published_document o ON o.sha256 = m.sha256 "
                      "WHERE o.id = ?1 AND m.corpus_id = ?2",
                      "INSERT INTO main.published_document (corpus_id, kind, source_file, sha256, bytes, codec, data) "
                      "SELECT ?2, kind, source_file, sha256, bytes, codec, data FROM other.published_document WHERE id = ?1",
                      ids, &m_corpora);
        mapRows("SELECT id, corpus_id FROM other.published_figure ORDER BY id",
                "SELECT m.id FROM main.published_figure m JOIN other.published_figure o ON o.source_file = m.source_file "
                "AND o.pointer = m.pointer WHERE o.id = ?1 AND m.corpus_id = ?2",
                "INSERT INTO main.published_figure (corpus_id, kind, source_file, pointer, value, value_class, text) "
                "SELECT ?2, kind, source_file, pointer, value, value_class, text FROM other.published_figure WHERE id = ?1",
                ids, &m_corpora);
    }

    /// What hangs on nothing: rule sets, saved views, calibrations.
    void standalone()
    {
        m_sqlite.exec("INSERT OR IGNORE INTO main.rule_set (name, hash, title, definition, created_at) "
                      "SELECT name, hash, title, definition, created_at FROM other.rule_set");
        m_sqlite.exec("INSERT OR IGNORE INTO main.saved_view (name, filter, sort, columns, position, built_in) "
                      "SELECT name, filter, sort, columns, position, built_in FROM other.saved_view WHERE built_in = 0");
        Statement all(m_sqlite,
                      "SELECT id FROM other.calibration WHERE version_hash NOT IN (SELECT version_hash FROM main.calibration)");
        while (all.step()) {
            Statement insert(
                m_sqlite,
                "INSERT INTO main.calibration (version_hash, title, device, versions, seed, created_at) "
                "SELECT version_hash, title, device, versions, seed, created_at FROM other.calibration WHERE id = ?1");
            insert.integer(1, all.integerAt(0)).run();
            const std::int64_t id = inserted();
            for (const auto& [table, columns] :
                 {std::pair("calibration_sample", "gate, family, dtype, kind, kernel, perturbation, value, value_class"),
                  std::pair("threshold", "gate, family, dtype, value")}) {
                Statement copy(m_sqlite,
                               std::string("INSERT INTO main.") + table + " (calibration_id, " + columns + ") SELECT ?2, "
                                   + columns + " FROM other." + table + " WHERE calibration_id = ?1");
                copy.integer(1, all.integerAt(0)).integer(2, id).run();
            }
        }
    }

    void derived()
    {
        TriageRefresher refresher(m_sqlite);
        for (const std::int64_t kernel : m_touched) {
            m_database.throwIfStopped();
            refresher.refresh(kernel);
        }
        refreshScopeCounts(m_sqlite);
        Statement outdated(m_sqlite, "DELETE FROM main.rule_outcome WHERE audit_id = ?1");
        for (const std::int64_t audit : m_auditsWithNews)
            outdated.integer(1, audit).run();
    }

    Database& m_database;
    SQLite::Database& m_sqlite;
    std::string m_otherName;
    MergeResult& m_result;
    VerdictWriter m_verdictWriter;
    SourceStore m_sourceStore;
    Ids m_corpora;
    Ids m_files;
    Ids m_sources;
    Ids m_kernels;
    Ids m_verdicts;
    std::set<std::int64_t> m_touched;
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
