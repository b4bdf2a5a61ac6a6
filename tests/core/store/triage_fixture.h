// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/database.h"
#include "core/store/facet_code.h"
#include "core/store/triage.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <QTemporaryDir>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

/// A database whose triage rows the test knows, so that every query can be answered a second time in plain C++.
namespace assay::tests {

/// One kernel with everything a filter can ask for.
struct KnownKernel {
    store::TriageRow row;
    std::optional<std::int64_t> externalNumber;
    bool accepted = false;
    bool audited = false;
    bool toleranceFree = false;
    bool anyViolation = false;
    bool ruleViolation = false; ///< any violation under rule set "test-rules"
    std::string finding;
    std::string source;
    std::string note;
};

class TriageFixture {
public:
    static constexpr std::int64_t kScope = 1;
    static constexpr std::int64_t kOtherScope = 2; ///< the same kernels without a verdict: must never leak into scope 1

    TriageFixture()
        : m_database(store::Database::open(m_folder.filePath("t.db").toStdString(), store::OpenMode::ReadWriteCreate))
    {
        sql("INSERT INTO corpus (id, name, origin, format, imported_at) VALUES (1, 'known', 'import', 'test', "
            "'2026-01-01T00:00:00Z')");
        sql("INSERT INTO audit (id, corpus_id, name, origin, taxonomy, device) VALUES (1, 1, 'a', 'published', 'published-2026', "
            "'H200')");
        sql("INSERT INTO scope (id, corpus_id, audit_id) VALUES (1, 1, 1), (2, 1, NULL)");
        sql("INSERT INTO rule_set (id, name, hash, title, definition, created_at) VALUES (1, 'test-rules', 'h', 't', '{}', "
            "'2026-01-01T00:00:00Z')");
    }

    store::Database& database() { return *m_database; }
    QString path() const { return m_folder.filePath("t.db"); }
    const std::vector<KnownKernel>& kernels() const { return m_kernels; }

    void sql(const std::string& text) { m_database->sqlite().exec(text); }

    std::int64_t addSource(const std::string& text)
    {
        SQLite::Statement insert(m_database->sqlite(),
                                 "INSERT INTO source (sha256, lf_sha256, bytes, codec, data) VALUES (?, '', 0, 'raw', x'')");
        insert.bind(1, std::to_string(++m_sources));
        insert.exec();
        const std::int64_t id = m_database->sqlite().getLastInsertRowid();
        SQLite::Statement index(m_database->sqlite(), "INSERT INTO source_fts (rowid, text) VALUES (?, ?)");
        index.bind(1, id);
        index.bind(2, text);
        index.exec();
        return id;
    }

    void add(const std::vector<KnownKernel>& kernels)
    {
        SQLite::Transaction transaction(m_database->sqlite());
        for (const KnownKernel& kernel : kernels)
            addOne(kernel);
        transaction.commit();
    }

private:
    void addOne(KnownKernel kernel);
    void addTriage(const KnownKernel& kernel, std::int64_t scope);
    void addTexts(const KnownKernel& kernel);

    QTemporaryDir m_folder;
    std::unique_ptr<store::Database> m_database;
    std::vector<KnownKernel> m_kernels;
    int m_sources = 0;
};

inline void bindMeasured(SQLite::Statement& insert, int index, const tensor::Measured& m)
{
    if (m.isFinite())
        insert.bind(index, m.value);
    if (m.isPresent())
        insert.bind(index + 1, std::string(tensor::name(m.valueClass)));
}

inline void TriageFixture::addOne(KnownKernel kernel)
{
    auto& db = m_database->sqlite();
    SQLite::Statement insert(db,
                             "INSERT INTO kernel (corpus_id, external_id, external_number, title, family, language, "
                             "claim_status) VALUES (1, ?, ?, ?, ?, ?, ?)");
    insert.bind(1, kernel.row.externalId);
    if (kernel.externalNumber)
        insert.bind(2, *kernel.externalNumber);
    insert.bind(3, kernel.row.title);
    insert.bind(4, kernel.row.family);
    insert.bind(5, kernel.row.language);
    insert.bind(6, kernel.row.claim);
    insert.exec();
    kernel.row.kernelId = db.getLastInsertRowid();
    if (!kernel.source.empty()) {
        SQLite::Statement attach(db, "UPDATE kernel SET candidate_source_id = ? WHERE id = ?");
        attach.bind(1, addSource(kernel.source));
        attach.bind(2, kernel.row.kernelId);
        attach.exec();
    }
    SQLite::Statement verdict(db,
                              "INSERT INTO verdict (audit_id, kernel_id, status, outcome, hard_failures, soft_failures, finding) "
                              "VALUES (1, ?, ?, 'fail', 0, 0, ?)");
    verdict.bind(1, kernel.row.kernelId);
    verdict.bind(2, kernel.row.status);
    verdict.bind(3, kernel.finding);
    verdict.exec();
    kernel.row.verdictId = db.getLastInsertRowid();
    addTexts(kernel);
    addTriage(kernel, kScope);
    addTriage(kernel, kOtherScope);
    if (kernel.ruleViolation)
        sql("INSERT INTO rule_outcome VALUES (1, 1, " + std::to_string(kernel.row.kernelId) + ", 1, 0, 1, NULL)");
    m_kernels.push_back(std::move(kernel));
}

inline void TriageFixture::addTexts(const KnownKernel& kernel)
{
    auto& db = m_database->sqlite();
    SQLite::Statement title(db, "INSERT INTO kernel_fts (rowid, title, external_id) VALUES (?, ?, ?)");
    title.bind(1, kernel.row.kernelId);
    title.bind(2, kernel.row.title);
    title.bind(3, kernel.row.externalId);
    title.exec();
    SQLite::Statement finding(db, "INSERT INTO finding_fts (rowid, finding) VALUES (?, ?)");
    finding.bind(1, kernel.row.verdictId);
    finding.bind(2, kernel.finding);
    finding.exec();
    if (kernel.note.empty())
        return;
    SQLite::Statement note(db, "INSERT INTO note (kernel_id, body, author, created_at) VALUES (?, ?, 'me', '')");
    note.bind(1, kernel.row.kernelId);
    note.bind(2, kernel.note);
    note.exec();
    SQLite::Statement index(db, "INSERT INTO note_fts (rowid, body) VALUES (last_insert_rowid(), ?)");
    index.bind(1, kernel.note);
    index.exec();
}

inline void TriageFixture::addTriage(const KnownKernel& kernel, std::int64_t scope)
{
    const store::TriageRow& row = kernel.row;
    SQLite::Statement insert(
        m_database->sqlite(),
        "INSERT INTO triage (scope_id, kernel_id, verdict_id, external_id, external_number, title, family, language, outcome, "
        "status,"
        " claim, baseline, lead_reason, lead_gate, strip, fail_mask, hard_failures, soft_failures, exercised, total, error,"
        " error_class, error_rank, relative, relative_class, speedup, elapsed_seconds, accepted, audited, tolerance_free,"
        " any_violation, has_source, has_note, bookmarked, waived, facet_code)"
        " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    int i = 1;
    insert.bind(i++, scope);
    insert.bind(i++, row.kernelId);
    insert.bind(i++, row.verdictId);
    insert.bind(i++, row.externalId);
    if (kernel.externalNumber)
        insert.bind(i, *kernel.externalNumber);
    ++i;
    for (const std::string& text :
         {row.title, row.family, row.language, row.outcome, row.status, row.claim, row.baseline, row.leadReason, row.leadGate})
        insert.bind(i++, text);
    insert.bind(i++, row.strip.packed());
    insert.bind(i++, row.strip.failMask());
    insert.bind(i++, row.hardFailures);
    insert.bind(i++, row.softFailures);
    for (const auto& number : {row.exercised, row.total}) {
        if (number)
            insert.bind(i, *number);
        ++i;
    }
    bindMeasured(insert, i, row.error);
    i += 2;
    if (row.error.isPresent())
        insert.bind(i,
                    row.error.isFinite()                                  ? std::fabs(row.error.value)
                        : row.error.valueClass == tensor::ValueClass::NaN ? std::numeric_limits<double>::infinity()
                                                                          : std::numeric_limits<double>::max());
    ++i;
    bindMeasured(insert, i, row.relative);
    i += 2;
    for (const auto& number : {row.speedup, row.elapsedSeconds}) {
        if (number)
            insert.bind(i, *number);
        ++i;
    }
    for (const bool flag : {kernel.accepted, kernel.audited, kernel.toleranceFree, kernel.anyViolation, row.hasSource,
                            row.hasNote, row.bookmarked, row.waived})
        insert.bind(i++, flag ? 1 : 0);
    const store::FacetColumns columns{
        row.family,      row.language,   row.outcome,          row.status,          row.claim,
        row.baseline,    row.leadReason, row.strip.packed(),   row.hardFailures,    row.softFailures,
        kernel.accepted, kernel.audited, kernel.toleranceFree, kernel.anyViolation, row.hasSource};
    insert.bind(i, store::facetCode(columns));
    insert.exec();
}

/// @p count kernels with few distinct values, so that filters hit and sorts tie; non-finite and absent numbers among them.
inline std::vector<KnownKernel> randomKernels(int count, unsigned seed)
{
    std::mt19937 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const auto one = [&](const std::vector<std::string>& words) {
        return words[static_cast<std::size_t>(pick(static_cast<int>(words.size())))];
    };
    const auto measured = [&]() -> tensor::Measured {
        switch (pick(8)) {
        case 0:
            return {};
        case 1:
            return tensor::measured(std::numeric_limits<double>::quiet_NaN());
        case 2:
            return tensor::measured(std::numeric_limits<double>::infinity());
        case 3:
            return tensor::measured(0.0);
        default:
            return tensor::measured(std::pow(10.0, pick(12) - 6) * (1 + pick(3)));
        }
    };
    std::vector<KnownKernel> out;
    for (int i = 0; i < count; ++i) {
        KnownKernel k;
        const bool textId = pick(5) == 0;
        k.row.externalId
            = textId ? one({"softmax_", "level1/", "z'\"", "A,b "}) + std::to_string(pick(50)) : std::to_string(pick(count));
        if (!textId)
            k.externalNumber = std::stoll(k.row.externalId);
        k.row.title = one({"softmax over rows", "layer norm", "Scan, forward", "say \"hi\"", "matmul 16x16", "softplus"}) + " "
            + std::to_string(pick(40));
        k.row.family = one({"scan", "norm", "softmax", "matmul", "odd family, with \"marks\"", ""});
        k.row.language = one({"triton", "cuda", "unknown"});
        k.row.outcome = one({"pass", "fail_hard", "fail_soft", "crash", "error", "not_judged"});
        k.row.status = one({"gated", "cand_native_fail", "load fail"});
        k.row.claim = one({"accepted", "rejected", "unknown"});
        k.row.baseline = one({"pass", "fail", "none"});
        k.row.leadReason = one({"", "value", "nan_mask", "shape"});
        k.row.leadGate = one({"", "CMP-01", "EXC-01"});
        for (const contract::Gate gate : contract::kAllGates) {
            if (pick(2) == 0)
                k.row.strip.set(gate, static_cast<contract::StripCell>(pick(4) == 0 ? pick(13) : 1));
        }
        k.row.hardFailures = pick(4);
        k.row.softFailures = pick(3);
        if (pick(3) != 0) {
            k.row.exercised = pick(10);
            k.row.total = 10;
        }
        k.row.error = measured();
        k.row.relative = measured();
        if (pick(4) != 0)
            k.row.speedup = 0.25 * pick(12);
        if (pick(4) != 0)
            k.row.elapsedSeconds = 0.5 * pick(30);
        for (bool* flag : {&k.accepted, &k.audited, &k.toleranceFree, &k.anyViolation, &k.ruleViolation, &k.row.hasSource,
                           &k.row.bookmarked, &k.row.waived})
            *flag = pick(3) == 0;
        k.finding = one({"", "returns finite values where the reference is NaN", "softly off by 3 ulp"});
        k.source = pick(3) == 0 ? one({"import triton\ntl.load(x, other=0.0)", "__global__ void softmax()"}) : "";
        k.note = pick(6) == 0 ? one({"looks like a mask bug", "AND then OR NOT near"}) : "";
        k.row.hasNote = !k.note.empty();
        out.push_back(std::move(k));
    }
    return out;
}

} // namespace assay::tests
