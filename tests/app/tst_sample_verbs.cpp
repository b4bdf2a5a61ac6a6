// SPDX-License-Identifier: Apache-2.0
#include "tests/app/command_line.h"
#include "tests/core/report/report_fixture.h"

using namespace assay;
using namespace assay::tests;

/// `assay sample` from the outside: a whole audit without the window.
class SampleVerbsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anAuditFromPlanToReport();
    void aPreviewStoresNothing();
    void wrongWordsAreUsageErrors();
    void labelsGoByPlaceOrById();
    void twoProcessesLabelAtOnce();
    void aPdfIsLaidOutByTheWorkbench();

private:
    static void fill(const CommandLine& assay);
};

namespace {

std::int64_t integer(const json::Document& object, const char* key)
{
    return json::integerAt(object, key).value_or(-1);
}

QStringList sample(std::initializer_list<const char*> words)
{
    QStringList list{"sample"};
    for (const char* word : words)
        list << QString::fromUtf8(word);
    return list << "--db"
                << "a.db";
}

} // namespace

void SampleVerbsTest::fill(const CommandLine& assay)
{
    std::vector<std::string> rows;
    for (int id = 1; id <= 40; ++id)
        rows.push_back(gatedRow(id,
                                id <= 24       ? R"("EXC-01": {"status": "fail", "reason": "scattered_nan: NaN mask mismatch"})"
                                    : id <= 36 ? R"("ORD-02": {"status": "fail", "reason": "run 0 and run 1 differ"})"
                                               : ""));
    assay.write("rows.jsonl", QByteArray::fromStdString(lines(rows)));
    QCOMPARE(assay({"import", "rows.jsonl", "--db", "a.db", "--corpus", "made-up"}).exitCode, 0);
}

void SampleVerbsTest::anAuditFromPlanToReport()
{
    const CommandLine assay;
    fill(assay);
    const Run planned = assay(sample({"plan", "--name", "pilot", "--size", "9", "--seed", "7", "--json"}));
    QCOMPARE(planned.exitCode, 0);
    QCOMPARE(integer(planned.object(), "frame"), 36);
    QCOMPARE(integer(planned.object(), "allocated"), 9);
    QCOMPARE(integer(planned.object(), "drawn"), 0);
    QCOMPARE(integer(assay(sample({"draw", "--json"})).object(), "drawn"), 9);
    QCOMPARE(integer(assay(sample({"draw", "--json"})).object(), "drawn"), 9);
    QCOMPARE(assay(sample({"estimate"})).exitCode, 5);
    for (int i = 1; i <= 9; ++i) {
        const Run next = assay(sample({"label", "--next", "--reviewer", "ada", "--json"}));
        QCOMPARE(integer(next.object(), "position"), i);
        QCOMPARE(assay(sample({"label", "--reviewer", "ada", "--label", "confirmed", "--reason", "nan_swallowed"})
                       << "--kernel" << QString::fromStdString(*json::stringAt(next.object(), "kernel")))
                     .exitCode,
                 0);
    }
    QVERIFY(json::find(assay(sample({"label", "--next", "--reviewer", "ada", "--json"})).object(), "position")->IsNull());
    const Run estimate = assay(sample({"estimate", "--json"}));
    QCOMPARE(estimate.exitCode, 0);
    QCOMPARE(integer(estimate.object(), "confirmed"), 9);
    QCOMPARE(assay(sample({"label", "--undo", "--reviewer", "ada"})).exitCode, 0);
    QCOMPARE(integer(assay(sample({"estimate", "--json"})).object(), "confirmed"), 8);
    QCOMPARE(assay(sample({"label", "--undo", "--reviewer", "bob"})).exitCode, 1);
    QCOMPARE(integer(assay(sample({"draw", "--more", "4", "--json"})).object(), "drawn"), 13);
    // What a confirmed defect weighs is told by estimate and report; nothing else has a weight.
    const Run weighed = assay(
        sample({"label", "--reviewer", "ada", "--position", "9", "--label", "confirmed", "--severity", "major", "--json"}));
    QCOMPARE(*json::stringAt(weighed.object(), "severity"), std::string("major"));
    QCOMPARE(assay(sample({"label", "--position", "10", "--label", "ambiguous", "--severity", "minor"})).exitCode, 1);
    QCOMPARE(assay(sample({"label", "--position", "10", "--label", "confirmed", "--severity", "grave"})).exitCode, 2);
    QCOMPARE(integer(assay(sample({"estimate", "--json"})).object(), "major"), 1);
    QVERIFY(assay(sample({"estimate"})).out.contains("Of the confirmed, 0 critical, 1 major, 0 minor; 8 not weighed."));
    QVERIFY(assay(sample({"export", "--format", "md"})).out.contains("**confirmed defect**, major"));
    QVERIFY(assay(sample({"export", "--format", "md"})).out.startsWith("# Manual audit: pilot"));
    QCOMPARE(assay(sample({"export", "--format", "html", "--out", "r.html"})).exitCode, 0);
    QVERIFY(assay.read("r.html").contains("scattered_nan"));
    QCOMPARE(assay(sample({"export", "--format", "csv"})).out.count("\r\n"), 14);
}

void SampleVerbsTest::aPreviewStoresNothing()
{
    const CommandLine assay;
    fill(assay);
    QCOMPARE(integer(assay(sample({"plan", "--preview", "--json"})).object(), "allocated"), 31);
    const Run list = assay(sample({"plan", "--list", "--json"}));
    QCOMPARE(list.exitCode, 0);
    QVERIFY(list.out.contains("\"plans\":[]"));
    QCOMPARE(assay(sample({"draw"})).exitCode, 1);
    QCOMPARE(assay(sample({"plan", "--size", "9"})).exitCode, 1); // no name
}

void SampleVerbsTest::wrongWordsAreUsageErrors()
{
    const CommandLine assay;
    fill(assay);
    QCOMPARE(assay(sample({"plan", "--name", "p", "--by", "colour"})).exitCode, 2);
    QCOMPARE(assay(sample({"plan", "--name", "p", "--where", "famly:scan"})).exitCode, 2);
    QCOMPARE(assay(sample({"plan", "--name", "p", "--allocation", "fair"})).exitCode, 2);
    QCOMPARE(assay(sample({"export", "--format", "pdf"})).exitCode, 2);
    QCOMPARE(assay(sample({})).exitCode, 2);
}

void SampleVerbsTest::labelsGoByPlaceOrById()
{
    const CommandLine assay;
    fill(assay);
    QCOMPARE(assay(sample({"plan", "--name", "p", "--size", "9"})).exitCode, 0);
    QCOMPARE(assay(sample({"label", "--position", "1", "--label", "confirmed", "--reviewer", "a"})).exitCode, 1); // not drawn
    QCOMPARE(assay(sample({"draw"})).exitCode, 0);
    QCOMPARE(assay(sample({"label", "--label", "confirmed", "--reviewer", "a"})).exitCode, 2);
    QCOMPARE(assay(sample({"label", "--position", "10", "--label", "confirmed", "--reviewer", "a"})).exitCode, 1);
    const Run labelled = assay(sample({"label", "--position", "2", "--label", "ambiguous", "--reviewer", "a", "--note", "n",
                                       "--evidence", "x", "--evidence", "y", "--adjudicate", "--json"}));
    QCOMPARE(labelled.exitCode, 0);
    QVERIFY(labelled.out.contains("\"kind\":\"adjudication\""));
    QVERIFY(labelled.out.contains("\"evidence\":[\"x\",\"y\"]"));
}

void SampleVerbsTest::twoProcessesLabelAtOnce()
{
    const CommandLine assay;
    fill(assay);
    assay(sample({"plan", "--name", "p", "--size", "9"}));
    assay(sample({"draw"}));
    std::vector<std::unique_ptr<QProcess>> running;
    for (int i = 1; i <= 9; ++i) {
        for (const char* reviewer : {"ada", "bob"}) {
            running.push_back(std::make_unique<QProcess>());
            assay.start(*running.back(),
                        sample({"label", "--label", "confirmed", "--reviewer", reviewer}) << "--position" << QString::number(i));
        }
    }
    for (const auto& process : running) {
        QVERIFY(process->waitForFinished());
        QCOMPARE(process->exitCode(), 0);
    }
    const Run estimate = assay(sample({"estimate", "--json"}));
    QCOMPARE(integer(estimate.object(), "labels"), 18);
    QCOMPARE(integer(estimate.object(), "labelled_twice"), 9);
}

void SampleVerbsTest::aPdfIsLaidOutByTheWorkbench()
{
    if (!QFile::exists(QStringLiteral(ASSAY_BINARY_DIR "/bin/assay-workbench")))
        QSKIP("the workbench is not built");
    const CommandLine assay;
    fill(assay);
    assay(sample({"plan", "--name", "p", "--size", "9"}));
    assay(sample({"draw"}));
    assay(sample({"label", "--position", "1", "--label", "confirmed", "--reviewer", "ada"}));
    const Run run = assay(sample({"export", "--format", "pdf", "--out", "r.pdf", "--json"}));
    QVERIFY2(run.exitCode == 0, run.err);
    QVERIFY(assay.read("r.pdf").startsWith("%PDF-"));
    QCOMPARE(assay.files().filter("page-").size(), 0);
    QCOMPARE(assay(sample({"export", "--format", "pdf", "--out", "no-such-folder/r.pdf"})).exitCode, 1);
}

QTEST_APPLESS_MAIN(SampleVerbsTest)
#include "tst_sample_verbs.moc"
