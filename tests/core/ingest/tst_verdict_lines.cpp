// SPDX-License-Identifier: Apache-2.0
#include "core/contract/contract.h"
#include "core/report/export.h"
#include "core/report/report.h"
#include "core/runner/campaign.h"
#include "core/store/kernel_details.h"
#include "core/store/maintenance.h"
#include "core/store/unfinished_audit.h"
#include "core/text/error.h"
#include "core/text/object_text.h"

// After the others: Qt's keywords are macros, and a member of SizeChoice is called slots.
#include "import_fixture.h"
#include "tests/support/verdict_contents.h"

#include <random>

using namespace assay;
using tests::ImportFixture;
using tests::verdictContents;

namespace {

/// Candidates of one length: a campaign begins with the longest, and here the order counts.
std::string kernelRow(const std::string& id, std::string candidate, bool isClaimed = true)
{
    candidate.resize(8, ' ');
    json::ObjectText out;
    out.text("id", id);
    out.text("reference", "reference of " + id);
    out.text("candidate", candidate);
    out.flag("claimed_correct", isClaimed);
    return out.finish() + "\n";
}

const std::string kKernels
    = kernelRow("1", "pass 1") + kernelRow("2", "fail 2") + kernelRow("3", "die") + kernelRow("4", "fail 4", false);

ingest::ImportOptions into(const std::string& corpus, const std::string& audit = "")
{
    ingest::ImportOptions options;
    options.corpusName = corpus;
    options.auditName = audit;
    return options;
}

/// A database that has the kernels in corpus "sample".
std::unique_ptr<ImportFixture> withKernels(const std::string& kernels = kKernels)
{
    auto store = std::make_unique<ImportFixture>();
    store->importText(kernels, "kernels.jsonl", "json-lines", into("sample"));
    return store;
}

/// tests/support/fake_worker.py judges by the candidate's first word.
runner::CampaignResult judge(ImportFixture& store, bool resume = false, const std::string& filter = "")
{
    runner::CampaignOptions options;
    options.worker.python = ASSAY_SOURCE_DIR "/tests/support/fake_worker.py";
    options.ask.contract = contract::canonicalText(*contract::profile("strict"));
    options.ask.seed = 7;
    options.ask.baseline = "kb-paper";
    options.resume = resume;
    options.filter = store::parseFilter(filter);
    return runner::runCampaign(*store.database, options);
}

std::string exported(ImportFixture& store, const std::string& audit, std::int64_t evidenceBytes = 1024)
{
    report::ExportOptions options;
    options.format = report::ExportFormat::Verdicts;
    options.evidenceBytes = evidenceBytes;
    std::string text;
    report::exportRows(*store.database, report::resolveScope(*store.database, "sample", audit), options,
                       [&text](std::string_view bytes) { text += bytes; });
    return text;
}

/// The lines that an audit of kKernels gives, made once.
const std::string& judgedLines()
{
    static const std::string kLines = [] {
        const auto store = withKernels();
        return exported(*store, judge(*store).audit);
    }();
    return kLines;
}

std::string line(const std::string& lines, int number)
{
    std::size_t at = 0;
    while (number-- > 0)
        at = lines.find('\n', at) + 1;
    return lines.substr(at, lines.find('\n', at) + 1 - at);
}

std::string changed(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("nothing to change: %s in %s", from.c_str(), text.c_str());
    return text.replace(at, from.size(), to);
}

std::int64_t auditCalled(ImportFixture& store, const std::string& name)
{
    return store.number("SELECT id FROM audit WHERE name = '" + name + "'");
}

std::string allKernels(ImportFixture& store)
{
    return tests::rowsOf(*store.database,
                         "SELECT " + tests::quoted("external_id,title,family,language,claim,claimed_correct,claim_status")
                             + " FROM kernel ORDER BY id");
}

std::string problemOf(const std::function<void()>& work)
{
    try {
        work();
    } catch (const Error& error) {
        return error.problem();
    }
    return "none";
}

} // namespace

class VerdictLinesTest : public QObject {
    Q_OBJECT

private slots:
    void everythingThatTheJudgeSaidComesBack();
    void whatIsImportedIsExportedAgain();
    void importingTwiceAddsNothing();
    void anAuditThatWentOnBringsTheRest();
    void theAuditSaysWhereItComesFrom();
    void theClaimIsTheOneOfTheKernelHere();
    void largeTensorsAreNamedOnly();
    void hostileLinesAreRefused_data();
    void hostileLinesAreRefused();
    void linesChangedByChanceLoseNothing();
    void aLineThatIsCutOffIsRefused();
    void anIdThatNamesNothingIsRefused();
    void aVerdictOnOtherSourcesIsRefused();
    void aKernelIsFoundByItsSourcesToo();
    void linesOfTwoAuditsAreToldApart();
    void anotherAuditOfTheSameNameIsRefused();
    void withoutItsKernelsNothingIsKept();
    void resumingBeginsAnAuditOfItsOwn();
    void mergingKeepsTheMark();
    void onlyTheJudgesAuditsHaveVerdicts();
};

void VerdictLinesTest::everythingThatTheJudgeSaidComesBack()
{
    const auto origin = withKernels();
    const std::string audit = judge(*origin).audit;
    const auto store = withKernels();
    const std::string kernels = allKernels(*store);
    const auto summary = store->importText(exported(*origin, audit), "verdicts.jsonl", "", into("sample"));
    QCOMPARE(summary.format, std::string("verdicts"));
    QVERIFY(summary.totals.kept == 4 && summary.totals.results == 4 && summary.totals.kernels == 0);
    const std::string expected = verdictContents(*origin->database, auditCalled(*origin, audit));
    QVERIFY(origin->number("SELECT count(*) FROM check_result WHERE value_class <> 'finite'") > 0);
    QCOMPARE(verdictContents(*store->database, auditCalled(*store, "verdicts")), expected);
    QCOMPARE(store->number("SELECT count(*) FROM artifact"), std::int64_t{8});
    QCOMPARE(allKernels(*store), kernels);
    QCOMPARE(store::checkDatabase(*store->database, {}, {}).problems, 0);
}

void VerdictLinesTest::whatIsImportedIsExportedAgain()
{
    const auto store = withKernels();
    store->importText(judgedLines(), "verdicts.jsonl", "", into("sample"));
    QCOMPARE(exported(*store, "verdicts"), judgedLines());
}

void VerdictLinesTest::importingTwiceAddsNothing()
{
    const auto store = withKernels();
    store->importText(judgedLines(), "verdicts.jsonl", "", into("sample"));
    const std::string before = verdictContents(*store->database, auditCalled(*store, "verdicts"));
    const auto again = store->importText(judgedLines(), "verdicts.jsonl", "", into("sample"));
    QVERIFY(again.totals.kept == 0 && again.totals.alreadyPresent == 4 && again.totals.rejected == 0);
    QVERIFY(store->number("SELECT count(*) FROM audit") == 1 && store->number("SELECT count(*) FROM verdict") == 4);
    QCOMPARE(verdictContents(*store->database, auditCalled(*store, "verdicts")), before);
    // A copy of the file under another name is the same audit.
    QCOMPARE(store->importText(judgedLines(), "copy.jsonl", "", into("sample")).totals.alreadyPresent, std::int64_t{4});
    QVERIFY(store->number("SELECT count(*) FROM audit") == 1
            && store->number("SELECT count(*) FROM meta WHERE key LIKE 'audit/%'") == 1);
}

void VerdictLinesTest::anAuditThatWentOnBringsTheRest()
{
    const auto origin = withKernels();
    const std::string audit = judge(*origin, false, "id:1").audit;
    const std::string first = exported(*origin, audit);
    QCOMPARE(judge(*origin, true).audit, audit);
    const std::string whole = exported(*origin, audit);
    const auto store = withKernels();
    store->importText(changed(first, "\"finished_at\":\"", "\"finished_at\":null,\"was\":\""), "verdicts.jsonl", "",
                      into("sample"));
    QVERIFY(store->isNull("SELECT finished_at FROM audit"));
    const auto rest = store->importText(whole, "verdicts.jsonl", "", into("sample"));
    QVERIFY(rest.totals.rejected == 0 && store->number("SELECT count(*) FROM verdict") == 4);
    QCOMPARE(verdictContents(*store->database, auditCalled(*store, "verdicts")),
             verdictContents(*origin->database, auditCalled(*origin, audit)));
}

void VerdictLinesTest::theAuditSaysWhereItComesFrom()
{
    const auto store = withKernels();
    const auto path = store->write("h.jsonl", judgedLines());
    store->import(path, "", into("sample"));
    const std::int64_t scope = report::resolveScope(*store->database, "sample", "h");
    const auto details = store::kernelDetails(*store->database, scope, *store::findKernel(*store->database, scope, "2"));
    QVERIFY(details.has_value());
    QCOMPARE(details->audit.importedFrom, path.string());
    QCOMPARE(details->audit.origin, std::string("judged"));
    QCOMPARE(store::deviceName(details->audit), std::string("Fake device"));
    QVERIFY(!details->audit.startedAt.empty());
}

void VerdictLinesTest::theClaimIsTheOneOfTheKernelHere()
{
    const auto store = withKernels();
    store->importText(changed(line(judgedLines(), 3), "\"claimed_correct\":false", "\"claimed_correct\":true"), "v.jsonl", "",
                      into("sample"));
    QCOMPARE(store->text("SELECT accepted || audited FROM triage WHERE external_id = '4'"), std::string("00"));
}

void VerdictLinesTest::largeTensorsAreNamedOnly()
{
    const auto origin = withKernels();
    const std::string audit = judge(*origin).audit;
    const auto store = withKernels();
    store->importText(exported(*origin, audit, 4), "v.jsonl", "", into("sample"));
    QCOMPARE(store->number("SELECT count(*) FROM artifact WHERE role <> 'call'"), std::int64_t{0});
    QCOMPARE(store->text("SELECT data ->> 'left_out' FROM (SELECT CAST(data AS TEXT) AS data FROM artifact LIMIT 1)"),
             std::string(R"(["input 0","reference ","candidate "])"));
}

void VerdictLinesTest::hostileLinesAreRefused_data()
{
    QTest::addColumn<std::string>("from");
    QTest::addColumn<std::string>("to");
    QTest::addColumn<std::string>("words");
    const auto row = [](const char* name, const char* from, const char* to, const char* words) {
        QTest::newRow(name) << std::string(from) << std::string(to) << std::string(words);
    };
    row("another schema", "assay.verdict/1", "assay.verdict/2", "no verdict of schema assay.verdict/1");
    row("no id", R"("id":"2")", R"("was":"2")", "no \"id\"");
    row("an id of another type", R"("id":"2")", R"("id":2)", "\"id\"");
    row("another candidate", R"("candidate_sha256":")", R"("candidate_sha256":"0)", "other sources");
    row("no verdict", R"("verdict":"fail")", R"("verdict":"perhaps")", "no verdict \"perhaps\"");
    row("a verdict of gates", R"("verdict":"fail")", R"("verdict":"timeout")", "of gates alone");
    row("passes where a gate fails", R"("verdict":"fail")", R"("verdict":"pass")", "it passes and CMP-01 fails");
    row("unknown gate", R"("gates":[{"id":"CMP-01")", R"("gates":[{"id":"CMP-99")", "no gate \"CMP-99\"");
    row("unknown gate of a flag", R"("gate":"CMP-01")", R"("gate":"CMP-99")", "no gate \"CMP-99\"");
    row("gates that are no list", R"("gates":[{)", R"("gates":{},"was":[{)", "\"gates\" of the line is not a list");
    row("a gate that is no object", R"("gates":[{)", R"("gates":[7,{)", "a gate is no object");
    row("unknown severity", R"("severity":"hard")", R"("severity":"grave")", "\"severity\" of a gate");
    row("a count below zero", R"("exercised":2)", R"("exercised":-2)", "\"exercised\" of a gate is not a count");
    row("a count past 32 bits", R"("exercised":2)", R"("exercised":4294967298)", "\"exercised\" of a gate is not a count");
    row("a count that is NaN", R"("total":2)", R"("total":NaN)", "\"total\" of a gate is not a count");
    row("seconds that are NaN", R"("seconds":0.25)", R"("seconds":NaN)", "\"seconds\" of the line");
    row("seconds below zero", R"("seconds":0.25)", R"("seconds":-1)", "\"seconds\" of the line");
    row("a bare NaN", R"("value":"Infinity")", R"("value":NaN)", "\"value\" of check 1 of CMP-01");
    row("a number that is a word", R"("value":"Infinity")", R"("value":"much")", "\"value\" of check 1 of CMP-01");
    row("a stimulus that is no object", R"("stimulus":{)", R"("stimulus":3,"was":{)", "\"stimulus\" of check 0 of CMP-01");
    row("an index below zero", R"("worst_index":[1])", R"("worst_index":[-1])", "no index");
    row("a size below zero", R"("shape":[2])", R"("shape":[-2])", "do not fit its shape");
    row("a tensor larger than said", R"("shape":[2])", R"("shape":[1])", "do not fit its shape");
    row("a tensor smaller than said", R"("shape":[2])", R"("shape":[2,4611686018427387904])", "do not fit its shape");
    row("an unknown dtype", R"("dtype":"float32")", R"("dtype":"float31")", "do not fit its shape");
    row("no base64", R"("data":"AA)", R"("data":"A?)", "do not fit its shape");
    row("another contract", R"("repeats":32)", R"("repeats":33)", "not the one it was judged under");
    row("a seed below zero", R"("seed":7)", R"("seed":-7)", "\"seed\" of the line");
    row("another device", R"("device":"cpu")", R"("device":"cuda:1")", "another audit than the first");
    row("a baseline that is no object", R"("baseline":{)", R"("baseline":[],"was":{)", "\"baseline\" of the line");
    row("isolation that is no text", R"("isolation":[)", R"("isolation":[1,)", "\"isolation\"");
}

void VerdictLinesTest::hostileLinesAreRefused()
{
    QFETCH(const std::string, from);
    QFETCH(const std::string, to);
    QFETCH(const std::string, words);
    const auto store = withKernels();
    const std::string mine = "mine";
    store->importText(changed(line(judgedLines(), 2), "\"started_at\":\"2", "\"started_at\":\"1"), "mine.jsonl", "",
                      into("sample"));
    const std::string before = verdictContents(*store->database, auditCalled(*store, mine));
    // A good line before it: the file is kept but for the bad one.
    const auto summary = store->importText(line(judgedLines(), 0) + changed(line(judgedLines(), 1), from, to), "v.jsonl",
                                           "verdicts", into("sample"));
    QVERIFY(summary.totals.kept == 1 && summary.totals.rejected == 1);
    const store::Rejection& rejection = summary.totals.rejections.front();
    QCOMPARE(rejection.line, std::int64_t{2});
    QVERIFY2(rejection.reason.find(words) != std::string::npos, rejection.reason.c_str());
    QVERIFY2(rejection.reason.find('\n') == std::string::npos && rejection.reason.size() < 200, rejection.reason.c_str());
    QCOMPARE(store->number("SELECT count(*) FROM verdict"), std::int64_t{2});
    QCOMPARE(verdictContents(*store->database, auditCalled(*store, mine)), before);
    QCOMPARE(store::checkDatabase(*store->database, {}, {}).problems, 0);
}

void VerdictLinesTest::linesChangedByChanceLoseNothing()
{
    const auto store = withKernels();
    const std::string mine = judge(*store).audit;
    const std::string before = verdictContents(*store->database, auditCalled(*store, mine));
    std::mt19937 random(7); // seeded, so that a failure repeats
    int kept = 0;
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::string text = line(judgedLines(), 1);
        for (int flips = 0; flips < 3; ++flips) {
            const std::size_t at = random() % text.size();
            static const std::string kBytes = "0-9eN\"{}[],:\\ n\xFF";
            text[at] = kBytes[random() % kBytes.size()];
        }
        try {
            const auto totals = store
                                    ->importText(line(judgedLines(), 0) + text, "v.jsonl", "verdicts",
                                                 into("sample", "try " + std::to_string(i)))
                                    .totals;
            QCOMPARE(totals.rows, totals.kept + totals.alreadyPresent + totals.rejected);
            ++(totals.rejected > 0 ? refused : kept);
        } catch (const store::DatabaseError& error) {
            QFAIL(error.what());
        } catch (const Error& error) {
            QVERIFY(std::string_view(error.what()).find('\n') == std::string_view::npos);
            ++refused;
        }
    }
    QVERIFY2(kept > 0 && refused > 0, qPrintable(QString::number(kept)));
    QCOMPARE(verdictContents(*store->database, auditCalled(*store, mine)), before);
    QCOMPARE(store->number("SELECT count(*) FROM kernel"), std::int64_t{4});
    QCOMPARE(store::checkDatabase(*store->database, {}, {}).problems, 0);
}

void VerdictLinesTest::aLineThatIsCutOffIsRefused()
{
    const std::string first = line(judgedLines(), 0);
    const std::string second = line(judgedLines(), 1);
    const auto store = withKernels();
    const auto summary = store->importText(first + second.substr(0, second.size() / 2), "v.jsonl", "", into("sample"));
    QVERIFY(summary.totals.kept == 1 && summary.totals.rejected == 1);
    QVERIFY(summary.totals.rejections.front().reason.starts_with("the line is cut off"));
}

void VerdictLinesTest::anIdThatNamesNothingIsRefused()
{
    const auto store = withKernels(kernelRow("1", "pass 1") + kernelRow("3", "die"));
    const auto summary = store->importText(line(judgedLines(), 0) + line(judgedLines(), 1), "v.jsonl", "", into("sample"));
    QVERIFY(summary.totals.kept == 1 && summary.totals.rejected == 1 && summary.totals.kernels == 0);
    QCOMPARE(summary.totals.rejections.front().item, std::string("2"));
    QCOMPARE(summary.totals.rejections.front().reason,
             std::string("the corpus has no kernel of this id: import its kernels first"));
}

void VerdictLinesTest::aVerdictOnOtherSourcesIsRefused()
{
    const auto store = withKernels();
    const auto sourceOf = [&](const std::string& id) {
        return store->text("SELECT s.sha256 FROM kernel k JOIN source s ON s.id = k.candidate_source_id WHERE k.external_id = '"
                           + id + "'");
    };
    const std::string other = changed(line(judgedLines(), 1), sourceOf("2"), sourceOf("4")); // both are there
    const auto summary = store->importText(line(judgedLines(), 0) + other, "v.jsonl", "", into("sample"));
    QVERIFY(summary.totals.kept == 1 && summary.totals.rejected == 1);
    QCOMPARE(summary.totals.rejections.front().reason,
             std::string("the kernel of this id has other sources than the one that was judged"));
}

void VerdictLinesTest::aKernelIsFoundByItsSourcesToo()
{
    const std::string other = changed(kernelRow("2", "fail 2"), "\"id\":\"2\"", "\"id\":\"two\"");
    const auto store = withKernels(other);
    QCOMPARE(store->importText(line(judgedLines(), 1), "v.jsonl", "", into("sample")).totals.kept, std::int64_t{1});
    QCOMPARE(store->number("SELECT count(*) FROM kernel"), std::int64_t{1});
}

void VerdictLinesTest::linesOfTwoAuditsAreToldApart()
{
    const auto store = withKernels();
    const std::string other = changed(line(judgedLines(), 1), "\"started_at\":\"2", "\"started_at\":\"1");
    const auto summary = store->importText(line(judgedLines(), 0) + other, "v.jsonl", "", into("sample"));
    QVERIFY(summary.totals.kept == 1 && summary.totals.rejected == 1);
}

void VerdictLinesTest::anotherAuditOfTheSameNameIsRefused()
{
    const auto store = withKernels();
    store->importText(judgedLines(), "verdicts.jsonl", "", into("sample"));
    const std::string mine = judge(*store).audit;
    const std::string before = verdictContents(*store->database, auditCalled(*store, "verdicts"));
    const std::string other = changed(line(judgedLines(), 1), "\"started_at\":\"2", "\"started_at\":\"1");
    const std::int64_t files = store->number("SELECT count(*) FROM import_file");
    for (const std::string& name : {std::string("verdicts"), mine}) {
        const std::string problem = problemOf([&] { store->importText(other, "other.jsonl", "", into("sample", name)); });
        QCOMPARE(problem, "the corpus has another audit called \"" + name + "\"");
    }
    QVERIFY(store->number("SELECT count(*) FROM audit") == 2 && store->number("SELECT count(*) FROM import_file") == files);
    QCOMPARE(verdictContents(*store->database, auditCalled(*store, "verdicts")), before);
    QCOMPARE(store->importText(other, "other.jsonl", "", into("sample", "another name")).totals.kept, std::int64_t{1});
}

void VerdictLinesTest::withoutItsKernelsNothingIsKept()
{
    const auto store = withKernels();
    const std::string problem = problemOf([&] { store->importText(judgedLines(), "verdicts.jsonl"); });
    QVERIFY2(problem.starts_with("none of its 4 verdicts can be kept; line 1, id 1: "), problem.c_str());
    QVERIFY(store->number("SELECT count(*) FROM corpus") == 1 && store->number("SELECT count(*) FROM audit") == 0);
}

void VerdictLinesTest::resumingBeginsAnAuditOfItsOwn()
{
    const auto store = withKernels();
    store->importText(line(judgedLines(), 0), "verdicts.jsonl", "", into("sample"));
    QVERIFY(store::unfinishedAudits(*store->database).empty());
    const runner::CampaignResult result = judge(*store, true);
    QVERIFY(result.audit != "verdicts" && result.progress.skipped == 0 && result.progress.judged == 4);
    QCOMPARE(store->number("SELECT count(*) FROM verdict WHERE audit_id = " + std::to_string(auditCalled(*store, "verdicts"))),
             std::int64_t{1});
    QCOMPARE(judge(*store, true).audit, result.audit);
}

void VerdictLinesTest::mergingKeepsTheMark()
{
    const auto other = withKernels();
    other->importText(judgedLines(), "verdicts.jsonl", "", into("sample"));
    const auto store = withKernels(kernelRow("x", "pass x"));
    judge(*store); // its audit takes the id that the imported one has there
    const auto merged = store::mergeDatabase(*store->database, other->path("a.db"), {});
    QCOMPARE(merged.verdicts, 4);
    QCOMPARE(store::importOf(store->database->sqlite(), auditCalled(*store, "verdicts")), other->path("verdicts.jsonl").string());
    QCOMPARE(store->number("SELECT count(*) FROM meta WHERE key LIKE 'audit/%/imported'"), std::int64_t{1});
    QVERIFY(judge(*store, true).audit != "verdicts");
}

void VerdictLinesTest::onlyTheJudgesAuditsHaveVerdicts()
{
    ImportFixture store;
    store.importText(tests::auditRow(1) + "\n", "rows.jsonl", "", into("sample"));
    QCOMPARE(problemOf([&] { exported(store, "rows"); }), std::string("the audit was not made by the judge"));
}

QTEST_GUILESS_MAIN(VerdictLinesTest)
#include "tst_verdict_lines.moc"
