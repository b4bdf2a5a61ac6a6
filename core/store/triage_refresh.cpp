// SPDX-License-Identifier: Apache-2.0
#include "core/store/triage_refresh.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace assay::store {

namespace {

// The kernel's half of a row. Columns 0 to 12, read by readKernel().
constexpr const char* kKernelColumns
    = "k.id, k.external_id, k.external_number, k.title, k.family, k.language, coalesce(k.claim_status, 'unknown'), "
      "k.candidate_source_id IS NOT NULL, "
      "EXISTS (SELECT 1 FROM note n WHERE n.kernel_id = k.id), "
      "EXISTS (SELECT 1 FROM bookmark b WHERE b.kernel_id = k.id), "
      "EXISTS (SELECT 1 FROM waiver w WHERE w.kernel_id = k.id AND w.withdrawn_at IS NULL), "
      "k.claimed_speedup, coalesce(k.claimed_correct, k.claim_status = 'accepted', 0)";
constexpr int kKernelColumnCount = 13;

constexpr const char* kUnjudged = "NOT EXISTS (SELECT 1 FROM verdict v WHERE v.kernel_id = k.id) "
                                  "AND EXISTS (SELECT 1 FROM origin o WHERE o.kernel_id = k.id AND o.corpus_id = s.corpus_id)";

void readKernel(const Statement& query, TriageValues& row)
{
    row.kernelId = query.integerAt(0);
    row.externalId = query.textAt(1);
    row.externalNumber = query.isNull(2) ? std::nullopt : std::optional(query.integerAt(2));
    row.title = query.textAt(3);
    row.family = query.textAt(4);
    row.language = query.textAt(5);
    row.claim = query.textAt(6);
    row.hasSource = query.integerAt(7) != 0;
    row.hasNote = query.integerAt(8) != 0;
    row.bookmarked = query.integerAt(9) != 0;
    row.waived = query.integerAt(10) != 0;
}

std::optional<int> countAt(const Statement& query, int column)
{
    return query.isNull(column) ? std::nullopt : std::optional(static_cast<int>(query.integerAt(column)));
}

/// Reads what the gates of one verdict come to from the tables.
class SummaryReader {
public:
    explicit SummaryReader(SQLite::Database& database)
        : m_gates(database,
                  "SELECT gate, verdict, severity, reason_code, metric, value, value_class, relative, relative_class, exercised, "
                  "total FROM gate_result WHERE verdict_id = ?1")
        , m_checks(database,
                   "SELECT verdict, metric, value, value_class, relative, relative_class FROM check_result WHERE verdict_id = ?1")
        , m_baselines(database, "SELECT verdict FROM baseline_verdict WHERE verdict_id = ?1")
    {
    }

    GateSummary read(std::int64_t verdictId)
    {
        GateSummary summary;
        m_gates.integer(1, verdictId);
        while (m_gates.step()) {
            const auto gate = contract::gateFromId(m_gates.textAt(0));
            const auto verdict = contract::verdictFromName(m_gates.textAt(1)).value_or(contract::Verdict::Unknown);
            const auto severity = contract::severityFromName(m_gates.textAt(2)).value_or(contract::Severity::None);
            if (gate)
                summary.addGate(*gate, verdict, severity, m_gates.textAt(3));
            summary.addMeasurement(verdict, m_gates.textAt(4), m_gates.measuredAt(5), m_gates.measuredAt(7));
            summary.addExercised(countAt(m_gates, 9), countAt(m_gates, 10));
        }
        m_checks.integer(1, verdictId);
        while (m_checks.step()) {
            const auto verdict = contract::verdictFromName(m_checks.textAt(0)).value_or(contract::Verdict::Unknown);
            summary.addMeasurement(verdict, m_checks.textAt(1), m_checks.measuredAt(2), m_checks.measuredAt(4));
        }
        m_baselines.integer(1, verdictId);
        while (m_baselines.step())
            summary.addBaseline(m_baselines.textAt(0));
        return summary;
    }

private:
    Statement m_gates;
    Statement m_checks;
    Statement m_baselines;
};

std::string judgedSql(bool oneKernel)
{
    return std::string("SELECT ") + kKernelColumns
        + ", v.id, v.outcome, v.severity, v.status, v.speedup, v.elapsed_seconds, v.membership "
          "FROM scope s JOIN verdict v ON v.audit_id = s.audit_id JOIN kernel k ON k.id = v.kernel_id WHERE s.id = ?1"
        + (oneKernel ? " AND v.kernel_id = ?2" : " ORDER BY v.id");
}

std::string unjudgedSql(bool oneKernel)
{
    return std::string("SELECT ") + kKernelColumns + " FROM kernel k, scope s WHERE s.id = ?1 AND " + kUnjudged
        + (oneKernel ? " AND k.id = ?2" : " ORDER BY k.id");
}

void readJudged(Statement& query, SummaryReader& summaries, std::int64_t scopeId,
                const std::function<void(const TriageValues&)>& each)
{
    while (query.step()) {
        TriageValues row;
        row.scopeId = scopeId;
        readKernel(query, row);
        const int at = kKernelColumnCount;
        row.verdictId = query.integerAt(at);
        const auto outcome = contract::verdictFromName(query.textAt(at + 1)).value_or(contract::Verdict::Unknown);
        const auto severity = contract::severityFromName(query.textAt(at + 2)).value_or(contract::Severity::None);
        row.outcome = contract::name(contract::stripCell(outcome, severity));
        row.status = query.textAt(at + 3);
        // What the audit measured comes before what the corpus claims.
        const int speedupColumn = query.isNull(at + 4) ? 11 : at + 4;
        row.speedup = query.isNull(speedupColumn) ? std::nullopt : std::optional(query.realAt(speedupColumn));
        row.elapsedSeconds = query.isNull(at + 5) ? std::nullopt : std::optional(query.realAt(at + 5));
        row.membership = static_cast<int>(query.integerAt(at + 6));
        row.gates = summaries.read(row.verdictId);
        each(row);
    }
}

void readUnjudged(Statement& query, std::int64_t scopeId, const std::function<void(const TriageValues&)>& each)
{
    while (query.step()) {
        TriageValues row;
        row.scopeId = scopeId;
        readKernel(query, row);
        row.speedup = query.isNull(11) ? std::nullopt : std::optional(query.realAt(11));
        row.membership = query.integerAt(12) != 0 ? kAccepted : 0;
        each(row);
    }
}

constexpr const char* kScopesOfKernel = "SELECT scope_id FROM triage WHERE kernel_id = ?1";

std::vector<std::int64_t> integers(Statement& query)
{
    std::vector<std::int64_t> values;
    while (query.step())
        values.push_back(query.integerAt(0));
    return values;
}

} // namespace

std::int64_t scopeOf(SQLite::Database& database, std::int64_t corpusId, std::optional<std::int64_t> auditId)
{
    Statement find(database, "SELECT id FROM scope WHERE corpus_id = ?1 AND audit_id IS ?2");
    if (const auto id = singleInteger(find.integer(1, corpusId).integer(2, auditId)))
        return *id;
    Statement insert(database, "INSERT INTO scope (corpus_id, audit_id) VALUES (?1, ?2)");
    insert.integer(1, corpusId).integer(2, auditId).run();
    return database.getLastInsertRowid();
}

void deriveTriage(SQLite::Database& database, std::int64_t scopeId, std::int64_t kernelId,
                  const std::function<void(const TriageValues&)>& each)
{
    Statement audit(database, "SELECT audit_id FROM scope WHERE id = ?1");
    const bool judged = singleInteger(audit.integer(1, scopeId)).has_value();
    Statement query(database, judged ? judgedSql(kernelId != 0) : unjudgedSql(kernelId != 0));
    query.integer(1, scopeId);
    if (kernelId != 0)
        query.integer(2, kernelId);
    if (!judged) {
        readUnjudged(query, scopeId, each);
        return;
    }
    SummaryReader summaries(database);
    readJudged(query, summaries, scopeId, each);
}

std::string insertTriageSql()
{
    std::string sql = std::string("INSERT INTO triage (") + kTriageColumns + ") VALUES (";
    for (int i = 1; i <= kTriageColumnCount; ++i)
        sql += (i == 1 ? "?" : ", ?") + std::to_string(i);
    return sql + ")";
}

struct TriageRefresher::Private {
    explicit Private(SQLite::Database& sqlite)
        : database(sqlite)
        , holding(sqlite, kScopesOfKernel)
        , erase(sqlite, "DELETE FROM triage WHERE kernel_id = ?1")
        , insert(sqlite, insertTriageSql())
        , audits(sqlite,
                 "SELECT a.corpus_id, a.id FROM verdict v JOIN audit a ON a.id = v.audit_id WHERE v.kernel_id = ?1 ORDER BY a.id")
        , corpora(sqlite, "SELECT DISTINCT corpus_id FROM origin WHERE kernel_id = ?1 ORDER BY corpus_id")
        , judged(sqlite, judgedSql(true))
        , unjudged(sqlite, unjudgedSql(true))
        , summaries(sqlite)
    {
    }

    std::int64_t scope(std::int64_t corpusId, std::optional<std::int64_t> auditId)
    {
        const std::pair key(corpusId, auditId.value_or(0));
        auto known = scopes.find(key);
        if (known == scopes.end())
            known = scopes.emplace(key, scopeOf(database, corpusId, auditId)).first;
        touched.insert(known->second);
        return known->second;
    }

    SQLite::Database& database;
    Statement holding;
    Statement erase;
    Statement insert;
    Statement audits;
    Statement corpora;
    Statement judged;
    Statement unjudged;
    SummaryReader summaries;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> scopes;
    std::set<std::int64_t> touched;
};

TriageRefresher::TriageRefresher(SQLite::Database& database)
    : d(std::make_unique<Private>(database))
{
}

TriageRefresher::~TriageRefresher() = default;

void TriageRefresher::refresh(std::int64_t kernelId)
{
    for (const std::int64_t scope : integers(d->holding.integer(1, kernelId)))
        d->touched.insert(scope);
    d->erase.integer(1, kernelId).run();
    const auto write = [this](const TriageValues& row) {
        bindTriage(d->insert, row);
        d->insert.run();
    };
    std::vector<std::int64_t> judgedIn;
    d->audits.integer(1, kernelId);
    while (d->audits.step())
        judgedIn.push_back(d->scope(d->audits.integerAt(0), d->audits.integerAt(1)));
    for (const std::int64_t scope : judgedIn)
        readJudged(d->judged.integer(1, scope).integer(2, kernelId), d->summaries, scope, write);
    if (!judgedIn.empty())
        return;
    for (const std::int64_t corpus : integers(d->corpora.integer(1, kernelId))) {
        const std::int64_t scope = d->scope(corpus, std::nullopt);
        readUnjudged(d->unjudged.integer(1, scope).integer(2, kernelId), scope, write);
    }
}

const std::set<std::int64_t>& TriageRefresher::touchedScopes() const
{
    return d->touched;
}

void refreshTriageKernel(SQLite::Database& database, std::int64_t kernelId)
{
    TriageRefresher(database).refresh(kernelId);
}

void refreshTriageScope(SQLite::Database& database, std::int64_t scopeId)
{
    Statement erase(database, "DELETE FROM triage WHERE scope_id = ?1");
    erase.integer(1, scopeId).run();
    Statement insert(database, insertTriageSql());
    deriveTriage(database, scopeId, 0, [&insert](const TriageValues& row) {
        bindTriage(insert, row);
        insert.run();
    });
}

void refreshScopeCounts(SQLite::Database& database)
{
    database.exec("UPDATE scope SET kernels = (SELECT count(*) FROM triage t WHERE t.scope_id = scope.id)");
    database.exec("DELETE FROM scope WHERE audit_id IS NULL AND kernels = 0");
}

void refreshScopeCounts(SQLite::Database& database, const std::set<std::int64_t>& scopes)
{
    Statement count(database,
                    "UPDATE scope SET kernels = (SELECT coalesce(sum(f.kernels), 0) FROM triage_facet f "
                    "WHERE f.scope_id = scope.id) WHERE id = ?1");
    Statement drop(database, "DELETE FROM scope WHERE id = ?1 AND audit_id IS NULL AND kernels = 0");
    for (const std::int64_t scope : scopes) {
        count.integer(1, scope).run();
        drop.integer(1, scope).run();
    }
}

std::set<std::int64_t> scopesHolding(SQLite::Database& database, std::int64_t kernelId)
{
    Statement query(database, kScopesOfKernel);
    const std::vector<std::int64_t> scopes = integers(query.integer(1, kernelId));
    return {scopes.begin(), scopes.end()};
}

void rebuildTriage(SQLite::Database& database)
{
    database.exec("DELETE FROM triage");
    database.exec("INSERT INTO scope (corpus_id, audit_id) SELECT a.corpus_id, a.id FROM audit a "
                  "WHERE NOT EXISTS (SELECT 1 FROM scope s WHERE s.audit_id = a.id)");
    database.exec("INSERT INTO scope (corpus_id) SELECT c.id FROM corpus c "
                  "WHERE NOT EXISTS (SELECT 1 FROM scope s WHERE s.corpus_id = c.id AND s.audit_id IS NULL)");
    Statement scopes(database, "SELECT id FROM scope ORDER BY id");
    for (const std::int64_t scope : integers(scopes))
        refreshTriageScope(database, scope);
    refreshScopeCounts(database);
}

} // namespace assay::store
