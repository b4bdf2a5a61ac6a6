// SPDX-License-Identifier: Apache-2.0
#include "tests/core/store/store_fixture.h"

#include "core/store/kernel_lookup.h"
#include "core/store/maintenance.h"
#include "core/store/schema.h"
#include "core/store/source_store.h"
#include "core/store/triage_refresh.h"

#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::store;
using namespace assay::tests;
using contract::Gate;
using contract::Severity;
using contract::Verdict;

class StoreWriterTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Folder> m_folder;
    std::unique_ptr<Database> m_database; ///< empty at the start of every test

    Database& db() { return *m_database; }

private slots:
    void init()
    {
        m_folder = std::make_unique<Folder>();
        m_database = m_folder->open();
    }
    void cleanup()
    {
        m_database.reset();
        m_folder.reset();
    }

    void theSameBytesTwiceAreAlreadyPresent();
    void importingAFileTwiceAddsNothing();
    void rowsAreKeptOrPresentOrRejected();
    void aNumberWithALeadingZeroIsAnotherId();
    void sourcesThatArriveLaterAttach();
    void resultsThatArriveLaterAttachAndLeaveTheUnjudged();
    void theSameSourcesUnderTwoIdsAreOneKernel();
    void theSameSourcesInTwoCorporaAreOneKernel();
    void kernelsThatTurnOutToBeOneKeepWhatPeopleAdded();
    void kernelsThatAnAuditJudgedDifferentlyStayTwo();
    void twinsMayTakeAnotherTime();
    void aSecondVerdictIsRejectedNamingTheLine();
    void anotherTimeUnderTheSameIdIsAnotherVerdict();
    void aRowThatCouldMeanTwoKernelsIsRejected();
    void laterRowsFillInWhatIsUnknown();
    void theFirstClaimWinsWhole();
    void joinedKernelsKeepBothClaims();
    void countsOfOtherAuditsStayWhatTheyWere();
    void aCommitCountsOnlyTheScopesItWrote();
    void theHardestFailureLeads();
    void theLargestErrorSortsNaNLast();
    void everyVerdictKindHasItsOutcome();
    void derivedRowsAreWhatARefreshGives();
    void allIndexesAreThereAfterAFirstImport();
    void lookupsAgreeInMemoryAndInSql();
    void titlesSourcesAndFindingsAreFound();
    void publishedDocumentsAreKeptOnce();
    void anAbandonedImportLeavesNothing();
    void aStoppedImportIsCancelled();
    void claimsCountAsResultsWhereNoVerdictCame();
};

void StoreWriterTest::theSameBytesTwiceAreAlreadyPresent()
{
    const WriterTotals totals = import(db(), {row("1"), row("1"), row("2")});
    QCOMPARE(totals.kept, 2);
    QCOMPARE(totals.alreadyPresent, 1);
    QCOMPARE(totals.kernels, 2);
}

void StoreWriterTest::importingAFileTwiceAddsNothing()
{
    const std::vector<ImportedItem> items
        = {resultRow("1", verdict()), resultRow("2", verdict()), resultRow("2", verdict({}), "other")};
    import(db(), items);
    const auto before = databaseInfo(db()).counts;
    const WriterTotals again = import(db(), items);
    QCOMPARE(again.kept, 0);
    QCOMPARE(again.alreadyPresent, 2);
    QCOMPARE(again.rejected, 1);
    QVERIFY(databaseInfo(db()).counts == before);
}

void StoreWriterTest::rowsAreKeptOrPresentOrRejected()
{
    CorpusInfo info;
    info.name = "corpus";
    info.format = "test";
    CorpusWriter writer(db(), info, {"rows.jsonl", "sha"});
    writer.add(row("1"));
    writer.add(row("1"));
    writer.reject({7, 120, "item 7", "no id"});
    writer.addPublished("funnel", "funnel.json", "{}", {});
    const WriterTotals totals = writer.commit();
    QCOMPARE(totals.rows, 4);
    QCOMPARE(totals.rows, totals.kept + totals.alreadyPresent + totals.rejected);
    QCOMPARE(number(db(), "SELECT rows FROM import_file"), 4);
    QCOMPARE(number(db(), "SELECT kept FROM import_file"), 2);
    QCOMPARE(text(db(), "SELECT line || '|' || byte || '|' || item || '|' || reason FROM rejection"),
             QByteArray("7|120|item 7|no id"));
}

void StoreWriterTest::aNumberWithALeadingZeroIsAnotherId()
{
    import(db(), {row("179", "a"), row("179", "b"), row("0179", "c")});
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 2);
    QCOMPARE(number(db(), "SELECT external_number FROM kernel WHERE external_id = '179'"), 179);
    QCOMPARE(number(db(), "SELECT external_number IS NULL FROM kernel WHERE external_id = '0179'"), 1);
}

void StoreWriterTest::sourcesThatArriveLaterAttach()
{
    import(db(), {resultRow("7", verdict())});
    const WriterTotals totals = import(db(), {sourceRow("7", "candidate text", "reference text")});
    QCOMPARE(totals.kept, 1);
    QCOMPARE(totals.kernels, 0);
    QCOMPARE(
        number(db(), "SELECT count(*) FROM kernel WHERE candidate_source_id IS NOT NULL AND reference_source_id IS NOT NULL"), 1);
    QCOMPARE(number(db(), "SELECT has_source FROM triage"), 1);
    QCOMPARE(bytes(*loadSource(db().sqlite(), number(db(), "SELECT candidate_source_id FROM kernel"))),
             QByteArray("candidate text"));
}

void StoreWriterTest::resultsThatArriveLaterAttachAndLeaveTheUnjudged()
{
    import(db(), {sourceRow("7", "c7", "r7"), sourceRow("8", "c8", "r8")});
    QCOMPARE(number(db(), "SELECT kernels FROM scope WHERE audit_id IS NULL"), 2);
    QCOMPARE(text(db(), "SELECT DISTINCT outcome FROM triage"), QByteArray("not_judged"));
    import(db(), {resultRow("7", verdict())});
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 2);
    QCOMPARE(number(db(), "SELECT kernels FROM scope WHERE audit_id IS NULL"), 1);
    QCOMPARE(number(db(), "SELECT kernels FROM scope WHERE audit_id IS NOT NULL"), 1);
    import(db(), {resultRow("8", verdict())});
    QCOMPARE(number(db(), "SELECT count(*) FROM scope WHERE audit_id IS NULL"), 0);
    QCOMPARE(number(db(), "SELECT count(*) FROM triage"), 2);
}

void StoreWriterTest::theSameSourcesUnderTwoIdsAreOneKernel()
{
    const WriterTotals totals
        = import(db(), {sourceRow("a", "c", "r"), sourceRow("b", "c", "r"), sourceRow("c", "c", "another r")});
    QCOMPARE(totals.kept, 3);
    QCOMPARE(totals.kernels, 2);
    QCOMPARE(number(db(), "SELECT count(*) FROM source"), 3);
    QCOMPARE(number(db(), "SELECT count(*) FROM origin WHERE kernel_id = 1"), 2);
    // Results that name the second id find the one kernel.
    import(db(), {resultRow("b", verdict())});
    QCOMPARE(number(db(), "SELECT kernel_id FROM verdict"), 1);
}

void StoreWriterTest::theSameSourcesInTwoCorporaAreOneKernel()
{
    import(db(), {sourceRow("a", "c", "r")}, "audit", "first");
    import(db(), {sourceRow("z", "c", "r")}, "audit", "second");
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 1);
    QCOMPARE(number(db(), "SELECT count(DISTINCT corpus_id) FROM origin"), 2);
    QCOMPARE(number(db(), "SELECT count(*) FROM scope WHERE kernels = 1"), 2);
}

void StoreWriterTest::kernelsThatTurnOutToBeOneKeepWhatPeopleAdded()
{
    import(db(), {sourceRow("a", "c", "r")});
    import(db(), {resultRow("b", verdict())});
    SQLite::Database& sqlite = db().sqlite();
    sqlite.exec("INSERT INTO note (kernel_id, body, author, created_at) VALUES (2, 'mine', 'me', 'now')");
    sqlite.exec("INSERT INTO waiver (kernel_id, reason, author, created_at) VALUES (2, 'known', 'me', 'now')");
    sqlite.exec("INSERT INTO bookmark VALUES (1, 'me', 'now')");
    sqlite.exec("INSERT INTO bookmark VALUES (2, 'me', 'now')");
    sqlite.exec("INSERT INTO sample_plan VALUES (1, 'plan', '1', '', 'h', '{}', 'now')");
    sqlite.exec(
        "INSERT INTO sample_item (id, plan_id, kernel_id, stratum, position) VALUES (1, 1, 1, 's', 1), (2, 1, 2, 's', 2)");
    sqlite.exec("INSERT INTO label (id, item_id, label, reason, note, reviewer, created_at) VALUES (1, 2, 'broken', NULL, NULL, "
                "'me', 'now')");
    sqlite.exec("INSERT INTO note_fts (rowid, body) SELECT id, body FROM note");
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 2);

    const WriterTotals totals = import(db(), {sourceRow("b", "c", "r")});
    QCOMPARE(totals.kept, 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM origin WHERE kernel_id = 1"), 3);
    QCOMPARE(number(db(), "SELECT kernel_id FROM verdict"), 1);
    QCOMPARE(number(db(), "SELECT kernel_id FROM note"), 1);
    QCOMPARE(number(db(), "SELECT kernel_id FROM waiver"), 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM bookmark"), 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM sample_item"), 1);
    QCOMPARE(number(db(), "SELECT item_id FROM label"), 1);
    QCOMPARE(number(db(), "SELECT has_note + bookmarked + waived + has_source FROM triage"), 4);
    QVERIFY(checkDatabase(db(), {}, {}).ok());
}

void StoreWriterTest::kernelsThatAnAuditJudgedDifferentlyStayTwo()
{
    import(db(), {sourceRow("a", "c", "r")});
    import(db(), {resultRow("a", verdict()), resultRow("b", verdict({gate(Gate::Exc01, Verdict::Fail, Severity::Hard)}))});
    const WriterTotals totals = import(db(), {sourceRow("b", "c", "r")});
    QCOMPARE(totals.rejected, 1);
    QVERIFY2(totals.rejections[0].reason.find("\"audit\" judged both, differently") != std::string::npos,
             totals.rejections[0].reason.c_str());
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 2);
    QCOMPARE(number(db(), "SELECT count(*) FROM verdict"), 2);
}

void StoreWriterTest::twinsMayTakeAnotherTime()
{
    import(db(), {sourceRow("a", "c", "r"), sourceRow("b", "c", "r")});
    VerdictRecord slower = verdict();
    slower.elapsedSeconds = 9;
    const WriterTotals totals = import(db(), {resultRow("a", verdict()), resultRow("b", slower)});
    QCOMPARE(totals.kept, 2); // "b" says the same of the one kernel, only the clock differs
    QCOMPARE(totals.results, 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM verdict"), 1);
}

void StoreWriterTest::aSecondVerdictIsRejectedNamingTheLine()
{
    const VerdictRecord failed = verdict({gate(Gate::Cmp01, Verdict::Fail, Severity::Soft)});
    const WriterTotals totals = import(db(), {row("0"), resultRow("5", verdict()), resultRow("5", failed, "again")});
    QCOMPARE(totals.kept, 2);
    QCOMPARE(totals.rejected, 1);
    QCOMPARE(totals.rejections[0].line, 3);
    QVERIFY2(totals.rejections[0].reason.find("line 2 of this file was kept") != std::string::npos,
             totals.rejections[0].reason.c_str());
    QCOMPARE(text(db(), "SELECT outcome FROM triage WHERE external_id = '5'"), QByteArray("pass"));
    // In a later file the kept row is named by its file.
    const WriterTotals later = import(db(), {resultRow("5", failed, "later")}, "audit", "corpus", "other file");
    QVERIFY2(later.rejections.at(0).reason.find("from rows.jsonl was kept") != std::string::npos,
             later.rejections[0].reason.c_str());
    // The same verdict in other bytes says nothing new, but it is a row of its own.
    QCOMPARE(import(db(), {resultRow("5", verdict(), "reformatted")}).kept, 1);
    // Another audit may say something else.
    QCOMPARE(import(db(), {resultRow("5", failed, "other audit")}, "second").kept, 1);
    QCOMPARE(number(db(), "SELECT count(*) FROM verdict"), 2);
}

void StoreWriterTest::anotherTimeUnderTheSameIdIsAnotherVerdict()
{
    VerdictRecord slower = verdict();
    slower.elapsedSeconds = 9;
    QCOMPARE(import(db(), {resultRow("5", verdict()), resultRow("5", slower, "again")}).rejected, 1);
}

void StoreWriterTest::aRowThatCouldMeanTwoKernelsIsRejected()
{
    import(db(), {sourceRow("5", "c1", "r"), sourceRow("5", "c2", "r")});
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 2);
    const WriterTotals totals = import(db(), {resultRow("5", verdict())});
    QCOMPARE(totals.rejected, 1);
    QVERIFY2(totals.rejections[0].reason.find("names 2 kernels") != std::string::npos, totals.rejections[0].reason.c_str());
    // A row that brings the source does tell.
    ImportedItem telling = resultRow("5", verdict(), "telling");
    telling.kernel.candidateSource = "c2";
    QCOMPARE(import(db(), {telling}).kept, 1);
    QCOMPARE(number(db(), "SELECT kernel_id FROM verdict"), 2);
}

void StoreWriterTest::laterRowsFillInWhatIsUnknown()
{
    ImportedItem first = row("5", "first");
    first.kernel.title = "5";
    first.kernel.family = "unknown";
    first.kernel.claimStatus = "unknown";
    ImportedItem second = row("5", "second");
    second.kernel.title = "cumulative product";
    second.kernel.claimStatus = "accepted";
    second.kernel.claim = "{\"speedup\": 2}";
    import(db(), {first});
    import(db(), {second});
    QCOMPARE(text(db(), "SELECT title || '|' || family || '|' || claim_status FROM kernel"),
             QByteArray("cumulative product|scan|accepted"));
    QCOMPARE(text(db(), "SELECT title || '|' || family || '|' || claim FROM triage"),
             QByteArray("cumulative product|scan|accepted"));
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel_fts WHERE kernel_fts MATCH 'cumulative'"), 1);
    // What is known stays, and a claim that differs is kept with its origin.
    ImportedItem third = row("5", "third");
    third.kernel.title = "something else";
    third.kernel.claim = "{\"speedup\": 3}";
    import(db(), {third});
    QCOMPARE(text(db(), "SELECT title FROM kernel"), QByteArray("cumulative product"));
    QCOMPARE(text(db(), "SELECT claim FROM origin WHERE claim IS NOT NULL"), QByteArray("{\"speedup\": 3}"));
    QVERIFY(checkDatabase(db(), {}, {}).ok());
}

void StoreWriterTest::theFirstClaimWinsWhole()
{
    ImportedItem first = sourceRow("5", "candidate", "reference");
    first.kernel.claimStatus = "rejected";
    first.kernel.claimedCorrect = false;
    first.kernel.claim = "{\"correct\": false}";
    ImportedItem second = sourceRow("6", "candidate", "reference");
    second.kernel.claimStatus = "accepted";
    second.kernel.claimedSpeedup = 7.5;
    second.kernel.claim = "{\"speedup\": 7.5}";
    import(db(), {sourceRow("4", "candidate", "reference"), first, second});
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 1);
    QCOMPARE(text(db(), "SELECT claim || claimed_correct || claim_status || (claimed_speedup IS NULL) FROM kernel"),
             QByteArray("{\"correct\": false}0rejected1"));
    QCOMPARE(text(db(), "SELECT claim FROM origin WHERE external_id = '6'"), QByteArray("{\"speedup\": 7.5}"));
}

void StoreWriterTest::joinedKernelsKeepBothClaims()
{
    ImportedItem sourced = sourceRow("5", "candidate", "reference");
    sourced.kernel.claimedCorrect = true;
    sourced.kernel.claim = "\"first\"";
    ImportedItem result = row("6");
    result.kernel.claimedSpeedup = 2;
    result.kernel.claim = "\"second\"";
    import(db(), {sourced, result});
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 2);
    import(db(), {sourceRow("6", "candidate", "reference")}); // tells that both are one
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 1);
    const bool firstStays = text(db(), "SELECT claim FROM kernel") == "\"first\"";
    QCOMPARE(number(db(), "SELECT claimed_correct IS NOT NULL FROM kernel"), firstStays ? 1 : 0);
    QCOMPARE(number(db(), "SELECT claimed_speedup IS NULL FROM kernel"), firstStays ? 1 : 0);
    QVERIFY(number(db(), "SELECT count(*) FROM origin o JOIN kernel k WHERE o.claim IS NOT NULL AND o.claim <> k.claim") > 0);
}

void StoreWriterTest::countsOfOtherAuditsStayWhatTheyWere()
{
    import(db(), {resultRow("1", verdict()), row("3")}, "june", "corpus", "f1");
    import(db(), {resultRow("2", verdict()), resultRow("3", verdict())}, "july", "corpus", "f2");
    QCOMPARE(number(db(),
                    "SELECT count(*) FROM scope s WHERE kernels <> "
                    "(SELECT count(*) FROM triage t WHERE t.scope_id = s.id)"),
             0);
    QCOMPARE(number(db(), "SELECT count(*) FROM scope WHERE audit_id IS NULL AND kernels = 0"), 0);
    QVERIFY(checkDatabase(db(), {}, {}).ok());
}

void StoreWriterTest::aCommitCountsOnlyTheScopesItWrote()
{
    import(db(), {resultRow("1", verdict())}, "june", "corpus", "f1");
    // A count that no commit has reason to look at shows which ones it looks at.
    db().sqlite().exec("UPDATE scope SET kernels = 77");
    import(db(), {resultRow("2", verdict()), resultRow("3", verdict())}, "july", "corpus", "f2");
    const std::string kernels = "SELECT kernels FROM scope s JOIN audit a ON a.id = s.audit_id WHERE a.name = ";
    QCOMPARE(number(db(), kernels + "'june'"), 77);
    QCOMPARE(number(db(), kernels + "'july'"), 2);
    import(db(), {resultRow("4", verdict())}, "june", "corpus", "f3");
    QCOMPARE(number(db(), kernels + "'june'"), 2);
    QVERIFY(checkDatabase(db(), {}, {}).ok());
}

void StoreWriterTest::theHardestFailureLeads()
{
    const GateRecord soft = gate(Gate::Cmp01, Verdict::Fail, Severity::Soft, "value");
    const GateRecord hard = gate(Gate::Exc01, Verdict::Fail, Severity::Hard, "nan_mask");
    const GateRecord crash = gate(Gate::Res01, Verdict::Crash, Severity::Hard, "cuda_error");
    const GateRecord error = gate(Gate::Cmp03, Verdict::Error, Severity::None, "exception");
    import(db(),
           {resultRow("1", verdict({soft, error})), resultRow("2", verdict({soft, hard, error})),
            resultRow("3", verdict({soft, hard, crash})), resultRow("4", verdict({error})), resultRow("5", verdict())});
    const auto lead = [&](const std::string& id) {
        return text(db(),
                    "SELECT lead_gate || '/' || lead_reason || '/' || hard_failures || '/' || soft_failures FROM triage "
                    "WHERE external_id = '"
                        + id + "'");
    };
    QCOMPARE(lead("1"), QByteArray("CMP-01/value/0/1"));
    QCOMPARE(lead("2"), QByteArray("EXC-01/nan_mask/1/1"));
    QCOMPARE(lead("3"), QByteArray("RES-01/cuda_error/2/1"));
    QCOMPARE(lead("4"), QByteArray("CMP-03/exception/0/0"));
    QCOMPARE(lead("5"), QByteArray("//0/0"));
}

void StoreWriterTest::theLargestErrorSortsNaNLast()
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const auto failing
        = [](Gate id, double error) { return gate(id, Verdict::Fail, Severity::Soft, "value", tensor::measured(error)); };
    GateRecord withChecks = failing(Gate::Cmp01, 2.0);
    CheckRecord check;
    check.code = "random[1]";
    check.verdict = Verdict::Fail;
    check.metric = "max_abs_error";
    check.value = tensor::measured(-8.0);
    check.relative = tensor::measured(0.5);
    withChecks.checks = {check};
    GateRecord passing = gate(Gate::Ord01, Verdict::Pass, Severity::None, {}, tensor::measured(1e30));
    import(db(),
           {resultRow("checks", verdict({withChecks, passing})),
            resultRow("inf", verdict({failing(Gate::Cmp01, kInfinity), failing(Gate::Cmp03, 1e300)})),
            resultRow("nan", verdict({failing(Gate::Cmp01, std::nan("")), failing(Gate::Cmp03, kInfinity)})),
            resultRow("none", verdict())});
    QCOMPARE(text(db(), "SELECT group_concat(external_id) FROM (SELECT external_id FROM triage ORDER BY error_rank)"),
             QByteArray("none,checks,inf,nan"));
    QCOMPARE(text(db(), "SELECT error || error_class || relative FROM triage WHERE external_id = 'checks'"),
             QByteArray("-8.0finite0.5"));
    QCOMPARE(text(db(), "SELECT error_class FROM triage WHERE external_id = 'nan'"), QByteArray("nan"));
    QCOMPARE(number(db(),
                    "SELECT error IS NULL AND error_rank IS NULL AND error_class IS NULL FROM triage WHERE external_id = 'none'"),
             1);
}

void StoreWriterTest::everyVerdictKindHasItsOutcome()
{
    std::vector<ImportedItem> items;
    for (const Verdict kind : contract::kAllVerdicts) {
        if (kind == Verdict::Absent)
            continue;
        VerdictRecord record = verdict({gate(Gate::Cmp01, kind, kind == Verdict::Fail ? Severity::Soft : Severity::None)});
        record.outcome = kind;
        record.severity = kind == Verdict::Fail ? Severity::Soft : Severity::None;
        items.push_back(resultRow(std::string(contract::name(kind)), record));
    }
    import(db(), items);
    QCOMPARE(number(db(), "SELECT count(*) FROM triage"), 9);
    QCOMPARE(
        number(db(),
               "SELECT count(*) FROM triage WHERE outcome = external_id OR (external_id = 'fail' AND outcome = 'fail_soft')"),
        9);
}

void StoreWriterTest::derivedRowsAreWhatARefreshGives()
{
    VerdictRecord rich
        = verdict({gate(Gate::Cmp01, Verdict::Fail, Severity::Soft, "value", tensor::measured(1.0)), gate(Gate::Exc01)});
    rich.gates[0].exercised = 3;
    rich.gates[0].total = 8;
    rich.baselines = {{"kernelbench", "pass", "5/5", ""}, {"hardened", "fail", "", "out of tolerance"}};
    rich.toleranceFree = true;
    rich.speedup = 1.25;
    ImportedItem claimed = sourceRow("9", "c", "r");
    claimed.kernel.claimedSpeedup = 2;
    claimed.kernel.claimedCorrect = true;
    import(db(), {resultRow("1", rich), claimed, row("2")});
    const auto rows = [&] {
        return text(db(),
                    "SELECT group_concat(r) FROM (SELECT concat_columns AS r FROM (SELECT scope_id || ':' || kernel_id || ':' || "
                    "coalesce(verdict_id, '') || outcome || status || baseline || strip || coalesce(exercised, '') || "
                    "coalesce(total, '') || coalesce(error, '') || coalesce(speedup, '') || accepted || audited || "
                    "tolerance_free || any_violation || has_source AS concat_columns FROM triage ORDER BY scope_id, kernel_id))");
    };
    const QByteArray written = rows();
    QVERIFY(checkDatabase(db(), {}, {}).ok());
    rebuildTriage(db().sqlite());
    QCOMPARE(rows(), written);
    QCOMPARE(text(db(), "SELECT baseline || exercised || total || tolerance_free FROM triage WHERE external_id = '1'"),
             QByteArray("fail381"));
    QCOMPARE(text(db(), "SELECT speedup || ' ' || accepted FROM triage WHERE external_id = '9'"), QByteArray("2.0 1"));
}

void StoreWriterTest::allIndexesAreThereAfterAFirstImport()
{
    import(db(), {row("1"), sourceRow("2", "c", "r")});
    for (const IndexStatement& index : indexStatements())
        QVERIFY2(number(db(), "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = '" + index.name + "'") == 1,
                 index.name.c_str());
}

void StoreWriterTest::lookupsAgreeInMemoryAndInSql()
{
    SQLite::Database& sqlite = db().sqlite();
    sqlite.exec("BEGIN");
    sqlite.exec("INSERT INTO corpus (id, name, origin, format, imported_at) VALUES (1, 'c', 'import', 'test', 'now')");
    sqlite.exec("INSERT INTO source VALUES (10, 'x', 'x', 0, 'raw', x''), (11, 'y', 'y', 0, 'raw', x'')");
    KernelLookup lookup(sqlite, 1, 2); // remembers two rows, then asks SQL
    for (int id = 1; id <= 4; ++id) {
        const std::string name = "k" + std::to_string(id);
        const KernelSources kernel{id, id == 2 ? 10 : 0, id == 2 ? 11 : 0};
        sqlite.exec("INSERT INTO kernel (id, corpus_id, external_id, title, family, language, candidate_source_id, "
                    "reference_source_id) VALUES ("
                    + std::to_string(id) + ", 1, '" + name + "', '', '', ''" + (id == 2 ? ", 10, 11)" : ", NULL, NULL)"));
        sqlite.exec("INSERT INTO origin (kernel_id, corpus_id, external_id, row_hash) VALUES (" + std::to_string(id) + ", 1, '"
                    + name + "', " + std::to_string(id * 100) + ")");
        lookup.addRow(id * 100, name, kernel);
        for (int known = 1; known <= id; ++known) {
            const std::string knownName = "k" + std::to_string(known);
            QVERIFY(lookup.hasRow(known * 100, knownName));
            QCOMPARE(lookup.byExternalId(knownName).size(), 1U);
            QCOMPARE(lookup.byExternalId(knownName)[0].kernelId, known);
            QCOMPARE(lookup.byExternalId(knownName)[0].candidate, known == 2 ? 10 : 0);
        }
        QVERIFY(!lookup.hasRow(id * 100, "k0"));
        QVERIFY(!lookup.hasRow(id * 100 + 1, name));
        QCOMPARE(lookup.byIdentity(10, 11).value_or(0), id >= 2 ? 2 : 0);
    }
    lookup.finish();
    sqlite.exec("ROLLBACK");
}

void StoreWriterTest::titlesSourcesAndFindingsAreFound()
{
    ImportedItem item = sourceRow("7", "def swish_kernel(x): return tl.sigmoid(x)", "class Model: pass");
    item.verdict = verdict();
    item.verdict->finding = "swallows every NaN of the input";
    import(db(), {item, sourceRow("8", "def other(): pass", "class Model: pass")});
    QCOMPARE(number(db(), "SELECT rowid FROM kernel_fts WHERE kernel_fts MATCH 'kernel AND 7'"), 1);
    QCOMPARE(number(db(), "SELECT rowid FROM finding_fts WHERE finding_fts MATCH 'swallows'"), 1);
    QCOMPARE(number(db(), "SELECT rowid FROM source_fts WHERE source_fts MATCH 'swish_kernel'"),
             number(db(), "SELECT candidate_source_id FROM kernel WHERE external_id = '7'"));
    QCOMPARE(number(db(), "SELECT count(*) FROM source_fts WHERE source_fts MATCH 'Model'"), 1);
}

void StoreWriterTest::publishedDocumentsAreKeptOnce()
{
    const auto publish = [&](const std::string& document, double value) {
        CorpusInfo info;
        info.name = "corpus";
        info.format = "test";
        CorpusWriter writer(db(), info, {"agreement.json", document});
        const auto disposition
            = writer.addPublished("agreement", "agreement.json", document, {{"", "/kappa", tensor::measured(value), ""}});
        writer.commit();
        return disposition;
    };
    QCOMPARE(publish("{\"kappa\": 0.9}", 0.9), CorpusWriter::Disposition::Kept);
    QCOMPARE(publish("{\"kappa\": 0.9}", 0.9), CorpusWriter::Disposition::AlreadyPresent);
    QCOMPARE(publish("{\"kappa\": 0.8}", 0.8), CorpusWriter::Disposition::Kept);
    QCOMPARE(
        text(db(), "SELECT group_concat(source_file || '=' || value, ';') FROM (SELECT * FROM published_figure ORDER BY id)"),
        QByteArray("agreement.json=0.9;agreement.json (2)=0.8"));
    QCOMPARE(text(db(), "SELECT kind FROM published_figure LIMIT 1"), QByteArray("agreement"));
}

void StoreWriterTest::anAbandonedImportLeavesNothing()
{
    {
        CorpusInfo info;
        info.name = "corpus";
        info.format = "test";
        CorpusWriter writer(db(), info, {"rows.jsonl", "sha"});
        writer.add(sourceRow("1", "c", "r"));
    }
    for (const auto& [table, rows] : databaseInfo(db()).counts)
        QVERIFY2(rows == 0, table.c_str());
    QVERIFY(checkDatabase(db(), {}, {}).ok()); // the indexes are back too
    QCOMPARE(import(db(), {sourceRow("1", "c", "r")}).kept, 1);
}

void StoreWriterTest::aStoppedImportIsCancelled()
{
    std::stop_source stop;
    {
        const InterruptOnStop interrupt(db(), stop.get_token());
        CorpusInfo info;
        info.name = "corpus";
        info.format = "test";
        CorpusWriter writer(db(), info, {"rows.jsonl", "sha"});
        writer.add(row("1"));
        stop.request_stop();
        QVERIFY_EXCEPTION_THROWN(writer.add(row("2")), Cancelled);
        QVERIFY_EXCEPTION_THROWN(writer.commit(), Cancelled);
    }
    QCOMPARE(number(db(), "SELECT count(*) FROM kernel"), 0); // and the connection works on
}

void StoreWriterTest::claimsCountAsResultsWhereNoVerdictCame()
{
    ImportedItem claimed = row("1");
    claimed.kernel.claim = "{\"correct\": true}";
    ImportedItem judged = resultRow("2", verdict());
    judged.kernel.claim = "{\"correct\": true}";
    QCOMPARE(import(db(), {claimed, judged, row("3")}).results, 2);
}

QTEST_GUILESS_MAIN(StoreWriterTest)
#include "tst_store_writer.moc"
