// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/state/small_audit.h"

#include "core/contract/gate_strip.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

namespace assay::tests {

namespace {

void addAudit(store::Database& database, const std::string& name, const std::string& origin)
{
    SQLite::Statement audit(
        database.sqlite(),
        "INSERT INTO audit(corpus_id, name, origin, taxonomy, device) VALUES (1, ?, ?, 'published-2026', 'B200')");
    audit.bind(1, name);
    audit.bind(2, origin);
    audit.exec();
    SQLite::Statement scope(database.sqlite(), "INSERT INTO scope(corpus_id, audit_id, kernels) SELECT 1, max(id), 0 FROM audit");
    scope.exec();
}

void addTriageRow(store::Database& database, std::int64_t scopeId, std::int64_t kernelId, bool fails)
{
    contract::GateStrip strip;
    for (const contract::Gate gate : contract::kAllGates)
        strip.set(gate, contract::StripCell::Pass);
    if (fails)
        strip.set(contract::Gate::Exc01, contract::StripCell::FailHard);
    SQLite::Statement verdict(database.sqlite(),
                              "INSERT INTO verdict(audit_id, kernel_id, status, outcome, severity, hard_failures, soft_failures)"
                              " SELECT audit_id, ?, 'gated', ?, ?, ?, 0 FROM scope WHERE id = ?");
    verdict.bind(1, kernelId);
    verdict.bind(2, fails ? "fail" : "pass");
    verdict.bind(3, fails ? "hard" : "");
    verdict.bind(4, fails ? 1 : 0);
    verdict.bind(5, scopeId);
    verdict.exec();
    SQLite::Statement row(
        database.sqlite(),
        "INSERT INTO triage(scope_id, kernel_id, verdict_id, external_id, external_number, title, family, language,"
        " outcome, status, claim, baseline, lead_reason, lead_gate, strip, fail_mask, hard_failures, soft_failures,"
        " accepted, audited, tolerance_free, any_violation, has_source)"
        " SELECT ?1, id, ?2, external_id, external_number, title, family, language, ?3, 'gated', 'accepted', 'none',"
        " ?4, ?5, ?6, ?7, ?8, 0, 1, 1, ?8, ?8, 0 FROM kernel WHERE id = ?9");
    row.bind(1, scopeId);
    row.bind(2, database.sqlite().getLastInsertRowid());
    row.bind(3, fails ? "fail_hard" : "pass");
    row.bind(4, fails ? "nan_mask" : "");
    row.bind(5, fails ? "EXC-01" : "");
    row.bind(6, strip.packed());
    row.bind(7, strip.failMask());
    row.bind(8, fails ? 1 : 0);
    row.bind(9, kernelId);
    row.exec();
    SQLite::Statement count(database.sqlite(), "UPDATE scope SET kernels = kernels + 1 WHERE id = ?");
    count.bind(1, scopeId);
    count.exec();
}

std::int64_t insertKernel(store::Database& database, const std::string& externalId)
{
    SQLite::Statement kernel(database.sqlite(),
                             "INSERT INTO kernel(corpus_id, external_id, external_number, title, family, language, claim_status)"
                             " VALUES (1, ?1, CAST(?1 AS INTEGER), 'kernel ' || ?1, 'scan', 'triton', 'accepted')");
    kernel.bind(1, externalId);
    kernel.exec();
    return database.sqlite().getLastInsertRowid();
}

} // namespace

std::unique_ptr<store::Database> makeSmallAudit(const std::filesystem::path& path, int kernels, const std::string& origin)
{
    auto database = store::Database::open(path, store::OpenMode::ReadWriteCreate);
    SQLite::Transaction transaction(database->sqlite());
    SQLite::Statement corpus(
        database->sqlite(),
        "INSERT INTO corpus(name, origin, format, imported_at) VALUES ('demo', ?, 'audit-rows', '2026-01-01')");
    corpus.bind(1, origin);
    corpus.exec();
    addAudit(*database, "first", origin == "illustrative" ? origin : "published");
    for (int i = 1; i <= kernels; ++i)
        addTriageRow(*database, 1, insertKernel(*database, std::to_string(i)), i % 3 == 0);
    transaction.commit();
    return database;
}

void addSecondAudit(store::Database& database)
{
    SQLite::Transaction transaction(database.sqlite());
    addAudit(database, "later", "judge");
    const std::int64_t scopeId = database.sqlite().execAndGet("SELECT max(id) FROM scope").getInt64();
    const std::int64_t kernels = database.sqlite().execAndGet("SELECT count(*) FROM kernel").getInt64();
    for (std::int64_t id = 1; id <= kernels; ++id)
        addTriageRow(database, scopeId, id, false);
    transaction.commit();
}

std::int64_t addKernel(store::Database& database, std::int64_t scopeId, const std::string& externalId)
{
    SQLite::Transaction transaction(database.sqlite());
    const std::int64_t id = insertKernel(database, externalId);
    addTriageRow(database, scopeId, id, false);
    transaction.commit();
    return id;
}

} // namespace assay::tests
