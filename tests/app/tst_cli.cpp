// SPDX-License-Identifier: Apache-2.0
#include "tests/app/command_line.h"
#include "tests/core/report/report_fixture.h"
#include "tests/support/shared_data.h"

#include <csignal>

using namespace assay;
using namespace assay::tests;

/// The real program from the outside: arguments, exit codes, JSON, files.
class CliTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thePublishedAuditImportsReportsAndExports();
    void importingTwiceAddsNothing();
    void rejectedRowsEndInThreeAndAreListed();
    void severalPathsGiveOneObject();
    void aPathThatFailsAfterAnotherWasKeptEndsInSix();
    void aMissingFileLeavesNoDatabase();
    void aForeignFileIsRefusedInOneLine();
    void illustrativeMarksCorpusAndAudit();
    void aFailedFirstImportLeavesNoDatabase();
    void optionsMustBePairs();
    void unknownFormatsAndOptionsAreUsageErrors();
    void anUnknownVerbNamesTheVerbs();
    void noArgumentsShowsHelpAndFails();
    void everyVerbHasHelpWithAnExample_data();
    void everyVerbHasHelpWithAnExample();
    void missingOptionsAreUsageErrors_data();
    void missingOptionsAreUsageErrors();
    void aMissingDatabaseIsOneLineAndOneObject();
    void readingVerbsLeaveNoFileBehind();
    void reportsTakeRuleSetsByNameAndFromAFile();
    void aBadRuleFileIsNamedWithItsPlace();
    void exportsStateTheirRows();
    void aBadFilterIsAUsageErrorWithItsPosition();
    void exportOfJsonNeedsAFile();
    void aFullDeviceFailsTheExport();
    void showTellsWhyAKernelFails();
    void showTamesControlCharacters();
    void compareShowsFlips();
    void dbVerbsAnswer();
    void doctorSaysWhatIsThereAndWhatToDo();
    void versionsAreStated();
    void pathsMayHoldAnyCharacterAndTheLocaleMayBeC();
    void progressIsSilentUnlessAsked();
    void anInterruptedImportKeepsNothing();
    void anInfiniteErrorHasNoShareOfTheScale();
};

namespace {

QStringList args(std::initializer_list<const char*> words)
{
    QStringList list;
    for (const char* word : words)
        list << QString::fromUtf8(word);
    return list;
}

QByteArray twoRows()
{
    return QByteArray::fromStdString(lines(
        {gatedRow(
             1, gate("CMP-01", "fail", "random[0]: max_err=2.000e+00 > atol=1.000e-03 (scaled)") + ", " + gate("EXC-01", "pass")),
         gatedRow(2, gate("CMP-01", "pass") + ", " + gate("EXC-01", "pass"))}));
}

/// A folder with a.db that holds twoRows().
CommandLine imported()
{
    CommandLine assay;
    assay.write("rows.jsonl", twoRows());
    if (assay(args({"import", "rows.jsonl", "--db", "a.db"})).exitCode != 0)
        qFatal("import failed");
    return assay;
}

std::int64_t integer(const json::Value& object, const char* key)
{
    return json::integerAt(object, key).value_or(-1);
}

bool isOneLine(const QByteArray& text)
{
    return text.count('\n') == 1 && text.endsWith('\n') && text.startsWith("assay: ");
}

} // namespace

void CliTest::thePublishedAuditImportsReportsAndExports()
{
    ASSAY_REQUIRE_SHARED(shared);
    CommandLine assay;
    const QString rows = shared + QStringLiteral("/corpora/published-audit/audit_rows.jsonl.gz");
    const Run import = assay({"import", rows, "--db", "a.db", "--json"});
    QCOMPARE(import.exitCode, 0);
    const json::Document summary = import.object();
    QCOMPARE(*json::stringAt(summary, "format"), std::string("audit-rows"));
    QCOMPARE(integer(summary, "rows"), 3134);
    QCOMPARE(integer(summary, "kept"), 3134);
    QCOMPARE(integer(summary, "kernels"), 3134);

    const json::Document report = assay(args({"report", "--db", "a.db", "--json"})).object();
    QCOMPARE(integer(report, "rows"), 3134);
    QCOMPARE(integer(report, "accepted"), 2970);
    QCOMPARE(integer(report, "audited"), 2638);
    QCOMPARE(integer(report, "tolerance_free_failures"), 1043);
    QCOMPARE(integer(report, "any_violation"), 1639);
    QCOMPARE(integer(*json::find(*json::find(report, "per_gate"), "EXC-01"), "fail"), 868);
    QCOMPARE(integer(*json::find(*json::find(report, "per_family"), "scan"), "any"), 71);
    const json::Value& whatIf = *json::find(report, "what_if");
    QCOMPARE(integer(whatIf[1], "tolerance_free_failures"), 1014);
    QCOMPARE(integer(whatIf[2], "tolerance_free_failures"), 1009);
    QCOMPARE(integer(whatIf[3], "any_violation"), 1648);

    QCOMPARE(assay(args({"export", "--db", "a.db", "--format", "jsonl", "--out", "out.jsonl"})).exitCode, 0);
    QProcess unpack;
    unpack.start("gzip", {"-dc", rows});
    QVERIFY(unpack.waitForFinished());
    const QByteArray original = unpack.readAllStandardOutput();
    QCOMPARE(original.size(), 2796376);
    QVERIFY(assay.read("out.jsonl") == original);
    QVERIFY(assay(args({"export", "--db", "a.db", "--format", "jsonl"})).out == original);

    const Run show = assay(args({"show", "--db", "a.db", "179"}));
    QVERIFY(show.out.contains("8.0e-5 of the output's scale"));
}

void CliTest::importingTwiceAddsNothing()
{
    const CommandLine assay = imported();
    const Run again = assay(args({"import", "rows.jsonl", "--db", "a.db", "--json"}));
    QCOMPARE(again.exitCode, 0);
    const json::Document summary = again.object();
    QCOMPARE(integer(summary, "rows"), 2);
    QCOMPARE(integer(summary, "kept"), 0);
    QCOMPARE(integer(summary, "already_present"), 2);
    QCOMPARE(integer(summary, "kernels"), 0);
    QCOMPARE(integer(assay(args({"report", "--db", "a.db", "--json"})).object(), "rows"), 2);
}

void CliTest::rejectedRowsEndInThreeAndAreListed()
{
    CommandLine assay;
    assay.write("rows.jsonl", twoRows() + "{\"id\": \"3\", \"op_cl\n");
    const Run run = assay(args({"import", "rows.jsonl", "--db", "a.db", "--json"}));
    QCOMPARE(run.exitCode, 3);
    const json::Document summary = run.object();
    QCOMPARE(*json::stringAt(summary, "schema"), std::string("assay.import/1"));
    QCOMPARE(integer(summary, "rows"),
             integer(summary, "kept") + integer(summary, "already_present") + integer(summary, "rejected"));
    QCOMPARE(integer(summary, "rejected"), 1);
    const json::Value& rejection = (*json::find(summary, "rejections"))[0];
    QCOMPARE(integer(rejection, "line"), 3);
    QVERIFY(!json::stringAt(rejection, "reason")->empty());
    QVERIFY(assay(args({"import", "rows.jsonl", "--db", "b.db"})).out.contains("rejected line 3"));
}

void CliTest::severalPathsGiveOneObject()
{
    CommandLine assay;
    assay.write("a.jsonl", twoRows());
    assay.write("b.jsonl", twoRows());
    const Run run = assay(args({"import", "a.jsonl", "b.jsonl", "--db", "a.db", "--json"}));
    QCOMPARE(run.exitCode, 0);
    const json::Document summary = run.object();
    QCOMPARE(integer(summary, "rows"), 4);
    QCOMPARE(json::find(summary, "files")->Size(), rapidjson::SizeType{2});
    QCOMPARE(*json::stringAt((*json::find(summary, "files"))[1], "corpus"), std::string("b"));
}

void CliTest::aPathThatFailsAfterAnotherWasKeptEndsInSix()
{
    CommandLine assay;
    assay.write("a.jsonl", twoRows());
    assay.write("b.bin", QByteArray(100, '\x07'));
    const Run run = assay(args({"import", "a.jsonl", "b.bin", "--db", "a.db", "--json"}));
    QCOMPARE(run.exitCode, 6);
    QCOMPARE(integer(run.object(), "kept"), 2);
    QVERIFY(isOneLine(run.err));
    QVERIFY(run.err.contains("b.bin"));
}

void CliTest::aMissingFileLeavesNoDatabase()
{
    CommandLine assay;
    const Run run = assay(args({"import", "nothing.jsonl", "--db", "a.db", "--json"}));
    QCOMPARE(run.exitCode, 1);
    QCOMPARE(*json::stringAt(run.object(), "where"), std::string("nothing.jsonl"));
    QVERIFY(assay.files().isEmpty());
}

void CliTest::aForeignFileIsRefusedInOneLine()
{
    CommandLine assay;
    assay.write("b.bin", QByteArray(100, '\x07'));
    const Run run = assay(args({"import", "b.bin", "--db", "a.db"}));
    QCOMPARE(run.exitCode, 1);
    QVERIFY(isOneLine(run.err));
    QVERIFY(run.err.contains("b.bin"));
    QCOMPARE(assay.files(), QStringList("b.bin"));
}

void CliTest::illustrativeMarksCorpusAndAudit()
{
    CommandLine assay;
    assay.write("rows.jsonl", twoRows());
    QCOMPARE(assay(args({"import", "rows.jsonl", "--db", "a.db", "--illustrative"})).exitCode, 0);
    QCOMPARE(*json::stringAt(assay(args({"report", "--db", "a.db", "--json"})).object(), "corpus_origin"),
             std::string("illustrative"));
    QVERIFY(assay(args({"report", "--db", "a.db"})).out.contains("results not measured"));
    QVERIFY(assay(args({"show", "--db", "a.db", "1"})).out.contains("audit rows (illustrative)"));
}

void CliTest::optionsMustBePairs()
{
    CommandLine assay;
    assay.write("rows.jsonl", twoRows());
    QCOMPARE(assay(args({"import", "rows.jsonl", "--db", "a.db", "--option", "turn"})).exitCode, 2);
    assay.write("lines.jsonl", "{\"code_of\": \"x\", \"id\": 1}\n{\"code_of\": \"y\", \"id\": 2}\n");
    QCOMPARE(assay(args({"import", "lines.jsonl", "--db", "a.db", "--option", "candidate=code_of"})).exitCode, 0);
}

void CliTest::unknownFormatsAndOptionsAreUsageErrors()
{
    CommandLine assay;
    assay.write("rows.jsonl", twoRows());
    assay.write("lines.jsonl", "{\"candidate\": \"x\", \"id\": 1}\n{\"candidate\": \"y\", \"id\": 2}\n");
    const Run format = assay(args({"import", "rows.jsonl", "--db", "a.db", "--format", "nope", "--json"}));
    QCOMPARE(format.exitCode, 2);
    QVERIFY(isOneLine(format.err));
    QVERIFY(format.err.contains("audit-rows, ") && format.err.contains("json-lines"));
    QCOMPARE(integer(format.object(), "exit"), 2);
    const Run option = assay(args({"import", "lines.jsonl", "--db", "a.db", "--option", "nope=1"}));
    QCOMPARE(option.exitCode, 2);
    QVERIFY(option.err.contains("json-lines has no option \"nope\"") && option.err.contains("candidate"));
    QCOMPARE(assay(args({"import", "lines.jsonl", "rows.jsonl", "--db", "a.db", "--option", "id=id"})).exitCode, 2);
    QVERIFY(!assay.files().contains(QStringLiteral("a.db")));
}

void CliTest::aFailedFirstImportLeavesNoDatabase()
{
    CommandLine assay;
    assay.write("none.csv", "alpha,beta\n1,2\n"); // read as a table, refused by its header
    QCOMPARE(assay(args({"import", "none.csv", "--db", "a.db"})).exitCode, 1);
    QCOMPARE(assay.files(), QStringList("none.csv"));
    assay.write("rows.jsonl", twoRows());
    QCOMPARE(assay(args({"import", "rows.jsonl", "--db", "a.db"})).exitCode, 0);
    QCOMPARE(assay(args({"import", "none.csv", "--db", "a.db"})).exitCode, 1);
    QCOMPARE(integer(assay(args({"report", "--db", "a.db", "--json"})).object(), "rows"), 2);
    assay.write("empty.db", "");
    QCOMPARE(assay(args({"import", "none.csv", "--db", "empty.db"})).exitCode, 1);
    QVERIFY(assay.files().contains(QStringLiteral("empty.db"))); // was there before
}

void CliTest::anUnknownVerbNamesTheVerbs()
{
    const Run run = CommandLine()(args({"verfy", "--json"}));
    QCOMPARE(run.exitCode, 2);
    QVERIFY(isOneLine(run.err));
    for (const char* verb : {"import", "report", "show", "compare", "diff", "export", "db", "doctor", "verify", "audit", "repro",
                             "mutants", "controls", "calibrate", "figure", "sample", "version"})
        QVERIFY2(run.err.contains(verb), verb);
    const json::Document error = run.object();
    QCOMPARE(*json::stringAt(error, "schema"), std::string("assay.error/1"));
    QCOMPARE(integer(error, "exit"), 2);
}

void CliTest::noArgumentsShowsHelpAndFails()
{
    const Run run = CommandLine()({});
    QCOMPARE(run.exitCode, 2);
    QVERIFY(run.out.isEmpty());
    QVERIFY(run.err.contains("import"));
}

void CliTest::everyVerbHasHelpWithAnExample_data()
{
    QTest::addColumn<QString>("verb");
    for (const char* verb : {"import", "report", "show", "compare", "diff", "export", "db", "doctor", "verify", "audit", "repro",
                             "mutants", "controls", "calibrate", "figure", "sample", "version"})
        QTest::newRow(verb) << QString::fromLatin1(verb);
}

void CliTest::everyVerbHasHelpWithAnExample()
{
    QFETCH(QString, verb);
    const Run run = CommandLine()({verb, "--help"});
    QCOMPARE(run.exitCode, 0);
    QVERIFY(run.out.contains("Example"));
    QVERIFY(run.out.contains("\n  assay " + verb.toLatin1()));
    QVERIFY(run.out.contains("--json"));
}

void CliTest::missingOptionsAreUsageErrors_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("import without database") << args({"import", "x"});
    QTest::newRow("import without path") << args({"import", "--db", "a.db"});
    QTest::newRow("report without database") << args({"report"});
    QTest::newRow("export without format") << args({"export", "--db", "a.db"});
    QTest::newRow("unknown format") << args({"export", "--db", "a.db", "--format", "xlsx"});
    QTest::newRow("show without kernel") << args({"show", "--db", "a.db"});
    QTest::newRow("diff of one file") << args({"diff", "x.npy"});
    QTest::newRow("compare with one audit") << args({"compare", "--db", "a.db", "x"});
    QTest::newRow("db without action") << args({"db", "--db", "a.db"});
    QTest::newRow("unknown option") << args({"report", "--db", "a.db", "--loud"});
}

void CliTest::missingOptionsAreUsageErrors()
{
    QFETCH(QStringList, arguments);
    const Run run = CommandLine()(arguments);
    QCOMPARE(run.exitCode, 2);
    QVERIFY2(isOneLine(run.err), run.err.constData());
    QVERIFY(run.err.contains("--help"));
    QVERIFY(run.out.isEmpty());
}

void CliTest::aMissingDatabaseIsOneLineAndOneObject()
{
    CommandLine assay;
    for (const QStringList& verb : {args({"report"}), args({"export", "--format", "csv", "--out", "x.csv"}), args({"show", "1"}),
                                    args({"compare", "a", "b"}), args({"db", "info"})}) {
        const Run run = assay(verb + args({"--db", "none.db", "--json"}));
        QCOMPARE(run.exitCode, 1);
        QVERIFY2(isOneLine(run.err), run.err.constData());
        const json::Document error = run.object();
        QCOMPARE(*json::stringAt(error, "schema"), std::string("assay.error/1"));
        QVERIFY(json::stringAt(error, "where")->ends_with("none.db"));
        QVERIFY(!json::stringAt(error, "remedy")->empty());
    }
    QVERIFY(assay.files().isEmpty());
}

void CliTest::readingVerbsLeaveNoFileBehind()
{
    const CommandLine assay = imported();
    const QStringList before = assay.files();
    QCOMPARE(assay(args({"report", "--db", "a.db"})).exitCode, 0);
    QCOMPARE(assay(args({"show", "--db", "a.db", "1"})).exitCode, 0);
    QCOMPARE(assay(args({"export", "--db", "a.db", "--format", "csv"})).exitCode, 0);
    QCOMPARE(assay.files(), before);
}

void CliTest::reportsTakeRuleSetsByNameAndFromAFile()
{
    const CommandLine assay = imported();
    const json::Document named = assay(args({"report", "--db", "a.db", "--rules", "union", "--json"})).object();
    QCOMPARE(*json::stringAt(named, "rule_set"), std::string("union"));

    QByteArray mine = assay(args({"report", "--print-rules", "as-published"})).out;
    mine.replace("\"as-published\"", "\"cmp-is-floor\"").replace("\"gate\": \"EXC-01\"", "\"gate\": \"CMP-01\"");
    assay.write("mine.json", mine);
    const json::Document own = assay(args({"report", "--db", "a.db", "--rules", "mine.json", "--json", "--no-what-if"})).object();
    QCOMPARE(*json::stringAt(own, "rule_set"), std::string("cmp-is-floor"));
    QCOMPARE(integer(own, "tolerance_free_failures"), 1);
    QCOMPARE(json::find(own, "what_if")->Size(), rapidjson::SizeType{0});

    QCOMPARE(assay(args({"report", "--db", "a.db", "--rules", "no-such-rules"})).exitCode, 1);
}

void CliTest::aBadRuleFileIsNamedWithItsPlace()
{
    const CommandLine assay = imported();
    assay.write("mine.json", R"({"schema": "assay.rules/1", "name": "x", "population": {"accepted": {}}})");
    const Run run = assay(args({"report", "--db", "a.db", "--rules", "mine.json"}));
    QCOMPARE(run.exitCode, 1);
    QVERIFY(run.err.contains("mine.json, /population/accepted"));
}

void CliTest::exportsStateTheirRows()
{
    const CommandLine assay = imported();
    const Run toFile
        = assay(args({"export", "--db", "a.db", "--format", "csv", "--out", "o.csv", "--json", "--where", "CMP-01:fail"}));
    QCOMPARE(toFile.exitCode, 0);
    const json::Document summary = toFile.object();
    QCOMPARE(*json::stringAt(summary, "schema"), std::string("assay.export/1"));
    QCOMPARE(integer(summary, "rows"), 1);
    QCOMPARE(integer(summary, "bytes"), static_cast<std::int64_t>(assay.read("o.csv").size()));
    const Run toOutput = assay(args({"export", "--db", "a.db", "--format", "jsonl"}));
    QCOMPARE(toOutput.out, twoRows());
    QVERIFY(toOutput.err.startsWith("2 rows"));
}

void CliTest::aBadFilterIsAUsageErrorWithItsPosition()
{
    const CommandLine assay = imported();
    const Run run = assay(args({"export", "--db", "a.db", "--format", "csv", "--out", "o.csv", "--where", "famly:scan"}));
    QCOMPARE(run.exitCode, 2);
    QVERIFY2(isOneLine(run.err), run.err.constData());
    QVERIFY2(run.err.contains("family"), run.err.constData());
    QVERIFY(!assay.files().contains("o.csv"));
}

void CliTest::exportOfJsonNeedsAFile()
{
    const CommandLine assay = imported();
    QCOMPARE(assay(args({"export", "--db", "a.db", "--format", "jsonl", "--json"})).exitCode, 2);
}

void CliTest::aFullDeviceFailsTheExport()
{
    const CommandLine assay = imported();
    const Run direct = assay(args({"export", "--db", "a.db", "--format", "jsonl", "--out", "/dev/full"}));
    QCOMPARE(direct.exitCode, 1);
    QVERIFY(direct.err.contains("/dev/full"));
    QProcess process;
    process.setStandardOutputFile("/dev/full");
    assay.start(process, args({"report", "--db", "a.db"}));
    QVERIFY(process.waitForFinished());
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardError().contains("standard output"));
}

void CliTest::showTellsWhyAKernelFails()
{
    const CommandLine assay = imported();
    const Run text = assay(args({"show", "--db", "a.db", "1"}));
    QCOMPARE(text.exitCode, 0);
    QVERIFY(text.out.contains("as recorded: random[0]: max_err=2.000e+00 > atol=1.000e-03 (scaled)"));
    QVERIFY(text.out.contains("max_abs_error 2 against 0.001"));
    QVERIFY(text.out.contains("candidate source not in the database"));

    const json::Document object = assay(args({"show", "--db", "a.db", "1", "--gate", "cmp01", "--json"})).object();
    const json::Value& gates = *json::find(object, "gates");
    QCOMPARE(gates.Size(), rapidjson::SizeType{1});
    QCOMPARE(*json::stringAt(gates[0], "id"), std::string("CMP-01"));
    QCOMPARE(*json::numberAt(gates[0], "value"), 2.0);
    QCOMPARE(*json::numberAt(gates[0], "threshold"), 0.001);
    QVERIFY(json::find(gates[0], "checks")->Size() > 0);

    QCOMPARE(assay(args({"show", "--db", "a.db", "99"})).exitCode, 1);
    QCOMPARE(assay(args({"show", "--db", "a.db", "1", "--gate", "EXC-09"})).exitCode, 2);
}

void CliTest::showTamesControlCharacters()
{
    CommandLine assay;
    assay.write("rows.jsonl",
                QByteArray::fromStdString(
                    lines({gatedRow(1, gate("CMP-01", "fail", "\\u001b[31mred\\u0007")), gatedRow(2, gate("CMP-01", "pass"))})));
    QCOMPARE(assay(args({"import", "rows.jsonl", "--db", "a.db"})).exitCode, 0);
    const Run run = assay(args({"show", "--db", "a.db", "1", "--gate", "CMP-01"}));
    QVERIFY(run.out.contains("[31mred"));
    QVERIFY(!run.out.contains('\x1b'));
    QVERIFY(!run.out.contains('\x07'));
}

void CliTest::compareShowsFlips()
{
    CommandLine assay;
    assay.write("june.jsonl", twoRows());
    assay.write("july.jsonl",
                QByteArray::fromStdString(lines({gatedRow(1, gate("CMP-01", "pass")), gatedRow(2, gate("CMP-01", "pass"))})));
    for (const char* audit : {"june", "july"})
        QCOMPARE(assay({"import", QString::fromLatin1(audit) + ".jsonl", "--db", "a.db", "--corpus", "c", "--audit",
                        QString::fromLatin1(audit)})
                     .exitCode,
                 0);
    const json::Document object = assay(args({"compare", "--db", "a.db", "june", "july", "--json"})).object();
    QCOMPARE(*json::stringAt(object, "schema"), std::string("assay.compare/1"));
    QCOMPARE(integer(object, "joined"), 2);
    QCOMPARE(integer(object, "verdict_flips"), 1);
    const Run text = assay(args({"compare", "--db", "a.db", "c/june", "c/july"}));
    QVERIFY(text.out.contains("CMP-01  fail -> pass; before: random[0]: max_err"));
    QCOMPARE(assay(args({"compare", "--db", "a.db", "june", "august"})).exitCode, 1);
}

void CliTest::dbVerbsAnswer()
{
    const CommandLine assay = imported();
    const Run info = assay(args({"db", "info", "--db", "a.db", "--json"}));
    QCOMPARE(info.exitCode, 0);
    QVERIFY(info.object().HasMember("schema"));
    QCOMPARE(assay(args({"db", "check", "--db", "a.db"})).exitCode, 0);
    QCOMPARE(assay(args({"db", "backup", "--db", "a.db", "b.db"})).exitCode, 0);
    QCOMPARE(integer(assay(args({"report", "--db", "b.db", "--json"})).object(), "rows"), 2);
    QCOMPARE(assay(args({"db", "backup", "--db", "a.db", "b.db"})).exitCode, 1); // never over something
    const Run merge = assay(args({"db", "merge", "--db", "a.db", "b.db", "--json"}));
    QCOMPARE(merge.exitCode, 0);
    QCOMPARE(integer(merge.object(), "kernels"), 0);
}

void CliTest::doctorSaysWhatIsThereAndWhatToDo()
{
    CommandLine assay;
    const Run run = assay(args({"doctor", "--python", "/no/such/python", "--json"}));
    QCOMPARE(run.exitCode, 5);
    const json::Document object = run.object();
    QCOMPARE(*json::stringAt(object, "schema"), std::string("assay.doctor/1"));
    std::map<std::string, bool> present;
    for (const json::Value& finding : json::find(object, "findings")->GetArray()) {
        present[*json::stringAt(finding, "name")] = *json::boolAt(finding, "present");
        QCOMPARE(json::stringAt(finding, "remedy")->empty(), *json::boolAt(finding, "present"));
        QVERIFY(!json::stringAt(finding, "detail")->empty());
    }
    QVERIFY(present.at("sqlite"));
    QVERIFY(!present.at("python"));
    QVERIFY(present.contains("gpu"));
    QVERIFY(present.contains("sandbox"));

    // Nothing on PATH: nothing can be found, and each lack has a remedy.
    assay.setEnvironment("PATH", "/nowhere");
    const Run bare = assay(args({"doctor"}));
    QCOMPARE(bare.exitCode, 5);
    QVERIFY(bare.out.contains("bwrap not found"));
    QVERIFY(bare.out.contains("apt install bubblewrap"));
    QVERIFY(bare.out.contains("nvidia-smi not found"));
}

void CliTest::versionsAreStated()
{
    CommandLine assay;
    const json::Document object = assay(args({"version", "--json"})).object();
    const QByteArray version = QByteArray::fromStdString(*json::stringAt(object, "version"));
    QCOMPARE(assay(args({"--version"})).out, "assay " + version + "\n");
    QVERIFY(integer(object, "database_schema") >= 1);
}

void CliTest::pathsMayHoldAnyCharacterAndTheLocaleMayBeC()
{
    CommandLine assay(QString::fromUtf8("\u5BA1\u8BA1 \u00DC #1%20"));
    assay.setEnvironment("LC_ALL", "C");
    const QString name = QString::fromUtf8("Z\u00E4hlung \u2014 %s #?.jsonl");
    assay.write(name, twoRows());
    QCOMPARE(assay({"import", assay.path(name), "--db", assay.path("a.db")}).exitCode, 0);
    const json::Document report = assay({"report", "--db", assay.path("a.db"), "--json"}).object();
    QCOMPARE(integer(report, "rows"), 2);
    QCOMPARE(QString::fromStdString(*json::stringAt(report, "corpus")) + ".jsonl", name);
    const QString out = QString::fromUtf8("\u00DCbersicht.jsonl");
    QCOMPARE(assay({"export", "--db", assay.path("a.db"), "--format", "jsonl", "--out", assay.path(out)}).exitCode, 0);
    QCOMPARE(assay.read(out), twoRows());
    QVERIFY(assay({"report", "--db", assay.path(out)}).err.contains(out.toUtf8()));
}

void CliTest::progressIsSilentUnlessAsked()
{
    const CommandLine assay = imported();
    QVERIFY(assay(args({"report", "--db", "a.db"})).err.isEmpty());
    QVERIFY(assay(args({"doctor", "--progress", "--python", "/no/such/python"})).err.contains("looking at sandbox\n"));
}

void CliTest::anInterruptedImportKeepsNothing()
{
    CommandLine assay = imported();
    QByteArray rows;
    for (int i = 10; i < 60000; ++i)
        rows += QByteArray::fromStdString(
                    gatedRow(i, gate("CMP-01", "fail", "random[0]: max_err=2.000e+00 > atol=1.000e-03 (scaled)")))
            + "\n";
    assay.write("many.jsonl", rows);
    QProcess process;
    process.setReadChannel(QProcess::StandardError);
    assay.start(process, args({"import", "many.jsonl", "--db", "a.db", "--progress", "--json"}));
    QVERIFY(process.waitForReadyRead(30000)); // progress: it is at work
    QVERIFY(process.processId() > 0); // 0 is whoever runs these tests
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(30000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardOutput().contains("\"what\":\"stopped\""));
    QCOMPARE(integer(assay(args({"report", "--db", "a.db", "--corpus", "rows", "--json"})).object(), "rows"), 2);
    QCOMPARE(assay(args({"report", "--db", "a.db", "--corpus", "many"})).exitCode, 1); // no trace of it
}

void CliTest::anInfiniteErrorHasNoShareOfTheScale()
{
    CommandLine assay;
    assay.write("inf.jsonl",
                QByteArray::fromStdString(gatedRow(1, gate("CMP-01", "fail", "random[0]: max_err=inf > atol=1.000e-03 (scaled)")))
                    + "\n");
    QCOMPARE(assay(args({"import", "inf.jsonl", "--db", "a.db"})).exitCode, 0);
    const Run shown = assay(args({"show", "1", "--db", "a.db"}));
    QVERIFY2(shown.out.contains("inf") || shown.out.contains("Infinity"), shown.out.constData());
    QVERIFY2(!shown.out.contains("of the output's scale"), shown.out.constData());
}

QTEST_GUILESS_MAIN(CliTest)
#include "tst_cli.moc"
