// SPDX-License-Identifier: Apache-2.0
#include "core/store/judgement_writer.h"

#include "core/contract/gate_run.h"
#include "core/store/artifact_store.h"
#include "core/store/guarded.h"
#include "core/store/statement.h"
#include "core/store/timestamp.h"
#include "core/store/triage_refresh.h"
#include "core/store/unfinished_audit.h"
#include "core/store/verdict_writer.h"
#include "core/text/sha256.h"

#include <SQLiteCpp/Transaction.h>

#include <algorithm>

namespace assay::store {

namespace {

using contract::CheckResult;
using contract::GateResult;
using contract::Severity;
using contract::Verdict;

constexpr const char* kOrigin = "judged";
constexpr const char* kTaxonomy = "assay";

CheckRecord recordOf(const CheckResult& check)
{
    CheckRecord record;
    record.code = check.code;
    record.verdict = check.verdict;
    record.severity = check.severity;
    record.stimulus = check.stimulus.label;
    record.metric = check.metric;
    record.value = check.value;
    record.threshold = check.threshold;
    if (check.calibrated)
        record.holdOutBound = check.calibrated->holdOutBound;
    record.reasonCode = check.reason;
    record.finding = check.sentence;
    record.recipe = check.stimulus.recipe;
    record.stimulusSha256 = check.stimulus.sha256;
    if (check.evidence) {
        record.output = check.evidence->outputPath;
        record.worstIndex = check.evidence->worstIndex;
    }
    return record;
}

GateRecord recordOf(const GateResult& gate)
{
    GateRecord record;
    record.gate = gate.gate;
    record.verdict = gate.verdict;
    record.severity = gate.severity;
    record.exercised = gate.exercised;
    record.total = gate.total;
    record.reasonCode = gate.reason;
    record.finding = gate.finding;
    record.power = gate.power;
    const CheckResult* decided = nullptr;
    for (const CheckResult& check : gate.checks) {
        record.checks.push_back(recordOf(check));
        const auto rank = [](const CheckResult& one) { return contract::badness(one.verdict, one.severity); };
        if (check.value.isPresent() && (decided == nullptr || rank(check) > rank(*decided)))
            decided = &check;
    }
    if (decided != nullptr && decided->verdict == gate.verdict) {
        record.metric = decided->metric;
        record.value = decided->value;
        record.threshold = decided->threshold;
    }
    return record;
}

std::string statusOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Pass:
    case Verdict::Fail:
        return "judged";
    case Verdict::Inapplicable:
        return "inapplicable";
    default:
        return "could_not_judge";
    }
}

} // namespace

VerdictRecord verdictRecordOf(const JudgedKernel& judged, bool accepted)
{
    const contract::Judgement& judgement = judged.judgement;
    VerdictRecord record;
    record.status = statusOf(judgement.verdict);
    record.outcome = judgement.verdict;
    bool anyFailure = false;
    for (const GateResult& gate : judgement.gates) {
        if (gate.verdict == Verdict::Absent)
            continue;
        anyFailure = anyFailure || contract::countsAgainstCandidate(gate.verdict);
        record.gates.push_back(recordOf(gate));
    }
    if (judgement.verdict == Verdict::Fail)
        record.severity = judgement.hardFailed ? Severity::Hard : Severity::Soft;
    record.baselines = judged.baselines;
    record.elapsedSeconds = judgement.seconds;
    record.finding = judgement.reason;
    if (record.outcome == Verdict::Error)
        record.error = judged.remedy.empty() ? judgement.reason : judgement.reason + ". " + judged.remedy;
    record.alignment = judgement.alignment;
    for (const contract::Flag& flag : judgement.flags)
        record.flags.push_back({flag.code, std::string(contract::id(flag.gate)), flag.sentence});
    record.isolation = judged.isolation;
    record.accepted = accepted;
    record.audited = accepted && (judgement.verdict == Verdict::Pass || judgement.verdict == Verdict::Fail);
    record.toleranceFree = record.audited && judgement.hardFailed;
    record.anyViolation = record.audited && anyFailure;
    return record;
}

JudgementWriter::JudgementWriter(Database& database, std::int64_t corpusId, const JudgedAuditKey& key, Audit audit)
    : m_database(&database)
{
    guarded(database, [&] {
        SQLite::Transaction transaction(database.sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
        const std::string seed = std::to_string(key.seed);
        const std::string hash = sha256Hex(key.contract);
        Statement find(database.sqlite(),
                       "SELECT id, name FROM audit WHERE corpus_id = ?1 AND origin = ?2 AND config_hash = ?3 AND seed = ?4 "
                       "AND device = ?5 AND versions IS ?6 ORDER BY id DESC");
        find.integer(1, corpusId).text(2, kOrigin).text(3, hash).text(4, seed).text(5, key.device);
        find.textOrNull(6, key.versions);
        while (audit == Audit::Resume && m_auditId == 0 && find.step()) {
            if (!importOf(database.sqlite(), find.integerAt(0)).empty())
                continue; // judged elsewhere
            m_auditId = find.integerAt(0);
            m_auditName = find.textAt(1);
        }
        if (m_auditId == 0)
            create(corpusId, key);
        find.reset();
        transaction.commit();
    });
}

void JudgementWriter::create(std::int64_t corpusId, const JudgedAuditKey& key)
{
    SQLite::Database& sqlite = m_database->sqlite();
    const std::string now = utcNow();
    const std::string base = key.device + " " + now;
    Statement taken(sqlite, "SELECT 1 FROM audit WHERE corpus_id = ?1 AND name = ?2");
    m_auditName = base;
    for (int n = 2; singleInteger(taken.integer(1, corpusId).text(2, m_auditName)); ++n)
        m_auditName = base + " (" + std::to_string(n) + ")";
    const std::string hash = sha256Hex(key.contract);
    const std::string seed = std::to_string(key.seed);
    Statement insert(sqlite,
                     "INSERT INTO audit (corpus_id, name, origin, taxonomy, device, versions, seed, gate_config, config_hash, "
                     "started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
    insert.integer(1, corpusId).text(2, m_auditName).text(3, kOrigin).text(4, kTaxonomy).text(5, key.device);
    insert.textOrNull(6, key.versions).text(7, seed).text(8, key.contract).text(9, hash).text(10, now).run();
    m_auditId = sqlite.getLastInsertRowid();
    m_isNew = true;
    scopeOf(sqlite, corpusId, m_auditId); // a list of its own from the start: who watches sees it fill
}

void JudgementWriter::select(const std::vector<std::int64_t>& kernels)
{
    guarded(*m_database, [&] {
        SQLite::Transaction transaction(m_database->sqlite(), SQLite::TransactionBehavior::IMMEDIATE);
        addToSelection(m_database->sqlite(), m_auditId, kernels);
        noteJudge(m_database->sqlite(), m_auditId);
        transaction.commit();
    });
}

void JudgementWriter::release()
{
    guarded(*m_database, [&] { forgetJudge(m_database->sqlite(), m_auditId); });
}

bool JudgementWriter::hasJudged(std::int64_t kernelId, std::string_view baseline)
{
    return guarded(*m_database, [&] {
        Statement find(m_database->sqlite(),
                       "SELECT 1 FROM verdict WHERE audit_id = ?1 AND kernel_id = ?2 AND outcome <> ?3 AND (?4 = '' OR EXISTS "
                       "(SELECT 1 FROM baseline_verdict WHERE verdict_id = verdict.id AND mode = ?4))");
        find.integer(1, m_auditId).integer(2, kernelId).text(3, contract::name(Verdict::Error)).text(4, baseline);
        return singleInteger(find).has_value();
    });
}

std::int64_t JudgementWriter::store(std::int64_t kernelId, const JudgedKernel& judged)
{
    return guarded(*m_database, [&] {
        SQLite::Database& sqlite = m_database->sqlite();
        SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
        std::set<std::int64_t> scopes = scopesHolding(sqlite, kernelId);
        VerdictWriter verdicts(sqlite);
        Statement claim(sqlite, "SELECT coalesce(claimed_correct, 1) FROM kernel WHERE id = ?1");
        const VerdictRecord record = verdictRecordOf(judged, singleInteger(claim.integer(1, kernelId)).value_or(1) != 0);
        const auto earlier = verdicts.find(m_auditId, kernelId);
        if (earlier) {
            for (const char* sql : {"DELETE FROM artifact WHERE verdict_id = ?1", "DELETE FROM gdn_run WHERE verdict_id = ?1"}) {
                Statement stale(sqlite, sql);
                stale.integer(1, *earlier).run();
            }
            Statement triage(sqlite, "DELETE FROM triage WHERE verdict_id = ?1"); // written anew below
            triage.integer(1, *earlier).run();
            verdicts.remove(*earlier, *earlier);
        }
        GateSummary gates;
        gates.addAll(record);
        const std::int64_t verdictId = verdicts.insert(m_auditId, kernelId, record, gates);
        ArtifactWriter artifacts(sqlite);
        for (const ArtifactRecord& artifact : judged.artifacts)
            artifacts.insert(verdictId, artifact);
        TriageRefresher refresher(sqlite);
        refresher.refresh(kernelId);
        scopes.insert(refresher.touchedScopes().begin(), refresher.touchedScopes().end());
        refreshScopeCounts(sqlite, scopes);
        Statement outdated(sqlite, "DELETE FROM rule_outcome WHERE rule_set_id IN (SELECT id FROM rule_set) AND audit_id = ?1");
        outdated.integer(1, m_auditId).run();
        transaction.commit();
        return verdictId;
    });
}

void JudgementWriter::finish()
{
    const bool isWhole = guarded(*m_database, [&] { return isSelectionJudged(m_database->sqlite(), m_auditId); });
    if (isWhole)
        finishAudit(*m_database, m_auditId);
}

bool JudgementWriter::discardUnused()
{
    return m_isNew && guarded(*m_database, [&] {
               SQLite::Database& sqlite = m_database->sqlite();
               SQLite::Transaction transaction(sqlite, SQLite::TransactionBehavior::IMMEDIATE);
               Statement used(sqlite, "SELECT 1 FROM verdict WHERE audit_id = ?1 LIMIT 1");
               if (singleInteger(used.integer(1, m_auditId)))
                   return false;
               forgetSelection(sqlite, m_auditId);
               for (const char* sql : {"DELETE FROM scope WHERE audit_id = ?1", "DELETE FROM audit WHERE id = ?1"}) {
                   Statement gone(sqlite, sql);
                   gone.integer(1, m_auditId).run();
               }
               transaction.commit();
               return true;
           });
}

} // namespace assay::store
