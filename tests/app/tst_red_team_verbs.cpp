// SPDX-License-Identifier: Apache-2.0
#include "command_line.h"
#include "core/calibration/threshold_table.h"
#include "core/store/database.h"

#include <SQLiteCpp/Statement.h>

#include <QElapsedTimer>

#include <csignal>

using namespace assay;
using namespace assay::tests;

/// assay mutants and assay controls for real, on a few kernels. The kernels are ours, so they need no sandbox here.
class RedTeamVerbsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMutantIsCaughtByItsGateAndItsTwinPasses();
    void theMatrixIsReadable();
    void aControlPassesEveryGate();
    void aCalibrationIsMeasuredAndKept();
    void aTableOfThresholdsDecides();
    void aCalibrationThatIsKilledGoesOn();
    void aCalibrationThatIsInterruptedSaysWhatItKept();
    void unknownNamesAreUsageErrors();
    void aMutantWithoutFormForTheDeviceIsSaid();
    void withoutAnInterpreterNothingIsJudged();

private:
    static QStringList judging(const QStringList& arguments);
    static QString pythonWithTorch();
    static bool signalOnceKept(QProcess& process, const CommandLine& assay, const QStringList& arguments, const QString& database,
                               int kept, int signal);
    static void makeDatabase(const CommandLine& assay, const QString& name);
};

/// The first interpreter that has torch, or "".
QString RedTeamVerbsTest::pythonWithTorch()
{
    static const QString kFound = [] {
        for (const QString& python :
             {qEnvironmentVariable("ASSAY_PYTHON"), QStringLiteral("python3"), QStringLiteral("/usr/bin/python3")}) {
            if (!python.isEmpty()
                && QProcess::execute(
                       python,
                       {QStringLiteral("-c"),
                        QStringLiteral("import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)")})
                    == 0)
                return python;
        }
        return QString();
    }();
    return kFound;
}

QStringList RedTeamVerbsTest::judging(const QStringList& arguments)
{
    return arguments + QStringList{QStringLiteral("--python"), pythonWithTorch(), QStringLiteral("--unsafe-no-sandbox")};
}

void RedTeamVerbsTest::aMutantIsCaughtByItsGateAndItsTwinPasses()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    const Run run = CommandLine()(judging({"mutants", "--only", "returns-input", "--json"}));
    QVERIFY2(run.exitCode == 0, run.out + run.err);
    const json::Document object = run.object();
    QCOMPARE(*json::stringAt(object, "schema"), std::string("assay.mutants/1"));
    QCOMPARE(*json::boolAt(object, "as_expected"), true);
    QCOMPARE(*json::integerAt(object["published"], "caught"), 1);
    QVERIFY(std::abs(*json::numberAt(object["published"], "lower_bound_95") - 0.05) < 1e-12);
    const json::Value& mutant = object["mutants"][0];
    QCOMPARE(*json::stringAt(mutant, "outcome"), std::string("as_expected"));
    QCOMPARE(mutant["caught_by"][0].GetString(), "CMP-01");
    QCOMPARE(*json::stringAt(mutant, "severity"), *json::stringAt(mutant, "expected_severity"));
    QCOMPARE(*json::stringAt(mutant["broken"], "verdict"), std::string("fail"));
    QCOMPARE(*json::stringAt(mutant["broken"]["gates"]["CMP-01"], "verdict"), std::string("fail"));
    QCOMPARE(*json::stringAt(mutant["conforming"], "verdict"), std::string("pass"));
    QVERIFY(*json::integerAt(mutant["conforming"]["gates"]["CMP-01"], "exercised") > 0);
}

void RedTeamVerbsTest::theMatrixIsReadable()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    const Run run = CommandLine()(judging({"mutants", "--only", "12"}));
    QVERIFY2(run.exitCode == 0, run.out + run.err);
    // ORD-03 fails under the switch alone; nothing else charges a legal order.
    const QList<QByteArray> lines = run.out.split('\n');
    const auto row
        = std::ranges::find_if(lines, [](const QByteArray& line) { return line.startsWith(" 12 parallel-reduction-bug"); });
    QVERIFY(row != lines.end());
    QVERIFY2(row->contains("[s]") && row->endsWith(" ok"), *row);
    QCOMPARE(row->count('H'), 0);
    QVERIFY(std::ranges::all_of(lines, [](const QByteArray& line) { return line.size() <= 80; }));
    QVERIFY(run.out.contains("1 of 1 mutants as expected on cpu"));
}

void RedTeamVerbsTest::aControlPassesEveryGate()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    const Run run = CommandLine()(judging({"controls", "--only", "gelu-by-erfc", "--json"}));
    QVERIFY2(run.exitCode == 0, run.out + run.err);
    const json::Document object = run.object();
    QCOMPARE(*json::stringAt(object, "schema"), std::string("assay.controls/1"));
    QCOMPARE(*json::integerAt(object, "judged"), 1);
    QCOMPARE(*json::integerAt(object, "failures"), 0);
    const json::Value& gate = object["per_gate"]["CMP-01"];
    QCOMPARE(*json::integerAt(gate, "kernels"), 1);
    QCOMPARE(*json::integerAt(gate, "hard") + *json::integerAt(gate, "soft"), 0);
    QVERIFY(*json::integerAt(gate, "exercised") > 0);
    QVERIFY(*json::integerAt(gate, "exercised") <= *json::integerAt(gate, "total"));
    QVERIFY(std::abs(*json::numberAt(gate, "upper_bound_95") - 0.95) < 1e-12);
}

void RedTeamVerbsTest::aCalibrationIsMeasuredAndKept()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    QTemporaryDir folder;
    const QString database = folder.filePath(QStringLiteral("c.db"));
    const QStringList only{"--only", "softmax-online,linear-addmm,fp16-accumulator", "--draws", "1"};
    for (const auto& [wrong, named] : {std::pair(QStringList{"--db", "/nowhere/c.db"}, "no such folder: /nowhere"),
                                       {QStringList{"--db", database, "--resume"}, "c.db"}}) {
        const Run missing = CommandLine()(judging(QStringList{"calibrate"} + wrong + only));
        QCOMPARE(missing.exitCode, 1); // named before anything is judged
        QVERIFY2(missing.err.contains(named), missing.err);
    }
    const Run run = CommandLine()(judging(QStringList{"calibrate", "--json", "--db", database} + only));
    QVERIFY2(run.exitCode == 0, run.out + run.err);
    const json::Document object = run.object();
    QCOMPARE(*json::stringAt(object, "schema"), std::string("assay.calibrate/1"));
    QVERIFY(*json::integerAt(object, "samples") > 600);
    QCOMPARE(object["not_judged"].Size(), 0U);
    const Run info = CommandLine()({"calibrate", "--list", "--json", "--db", database});
    QVERIFY2(info.exitCode == 0, info.out + info.err);
    const json::Document kept = info.object();
    QCOMPARE(kept["calibrations"].Size(), 1U);
    QCOMPARE(*json::stringAt(kept["calibrations"][0], "version"), *json::stringAt(object, "version"));
    QCOMPARE(*json::integerAt(kept["calibrations"][0], "samples"), *json::integerAt(object, "samples"));

    const CommandLine shell;
    const Run written = shell({"calibrate", "--db", database, "--export", "c.jsonl.gz", "--thresholds", "t.json", "--json"});
    QVERIFY2(written.exitCode == 0, written.out + written.err);
    const auto cells = object["cells"].GetArray();
    QCOMPARE(*json::integerAt(written.object(), "cells"),
             std::ranges::count_if(cells, [](const json::Value& cell) { return json::stringAt(cell, "family") != "all"; }));
    const Run loaded = shell({"calibrate", "--load", "c.jsonl.gz", "--db", "other.db", "--json"});
    QVERIFY2(loaded.exitCode == 0, loaded.out + loaded.err);
    QCOMPARE(*json::stringAt(loaded.object(), "version"), *json::stringAt(object, "version"));
    shell.write("cut.jsonl.gz", shell.read("c.jsonl.gz").first(2000));
    const Run cut = shell({"calibrate", "--load", "cut.jsonl.gz", "--db", "other.db"});
    QCOMPARE(cut.exitCode, 1);
    QCOMPARE(cut.err.count('\n'), 1);
    QCOMPARE(shell({"calibrate", "--load", "c.jsonl.gz"}).exitCode, 2);
}

/// A table that allows softmax less than any rounding does, and says nothing of other families.
void RedTeamVerbsTest::aTableOfThresholdsDecides()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    calibration::ThresholdTable table{std::string(64, 'a'), "NVIDIA H200", {}};
    table.rows.push_back({"CMP-01", "softmax", "float32", 1e-9, "", 1e-10, 1e-8, 20, 10, 0, 0.26});
    const CommandLine shell;
    shell.write("t.json", QByteArray::fromStdString(calibration::toText(table)));
    const QString folder = QStringLiteral(ASSAY_SOURCE_DIR "/resources/controls/softmax-online/");
    const QStringList pair{"verify",  "--reference",  folder + "reference.py", "--candidate", folder + "candidate.py",
                           "--gates", "CMP-01,EXC-01"};
    const Run plain = shell(judging(pair + QStringList{"--thresholds", "none"}));
    QVERIFY2(plain.exitCode == 0, plain.out + plain.err);
    QVERIFY2(plain.out.contains("thresholds  CMP-01 not calibrated\n"), plain.out);

    const Run held = shell(judging(pair + QStringList{"--thresholds", "t.json"}));
    QCOMPARE(held.exitCode, 4); // no kernel is as exact as this
    QVERIFY2(held.out.contains("thresholds  CMP-01 calibrated (NVIDIA H200, hold-out false alarms at most 26 %)\n"), held.out);
    const Run json = shell(judging(pair + QStringList{"--thresholds", "t.json", "--json"}));
    const json::Document object = json.object();
    const json::Value& check = object["gates"][0]["checks"][0];
    QCOMPARE(check["calibrated"].GetBool(), true);
    QCOMPARE(std::string(check["calibration"].GetString()), calibration::versionOf(table));
    QCOMPARE(std::string(object["contract"]["thresholds"]["version"].GetString()), calibration::versionOf(table));
    QCOMPARE(std::string(object["gates"][0]["severity"].GetString()), std::string("soft"));

    const QStringList control{"controls", "--only", "linear-addmm", "--thresholds", "t.json"}; // of another family
    const Run other = shell(judging(control));
    QVERIFY2(other.exitCode == 0, other.out + other.err);
    shell.write("broken.json", "{}");
    for (const char* verb : {"controls", "mutants"}) {
        const Run broken = shell({verb, "--thresholds", "broken.json"});
        QCOMPARE(broken.exitCode, 2);
        QCOMPARE(broken.err.count('\n'), 1);
    }
}

/// An empty database comes into being by an import.
void RedTeamVerbsTest::makeDatabase(const CommandLine& assay, const QString& name)
{
    assay.write(QStringLiteral("rows.jsonl"), "{\"id\":1,\"reference_source\":\"r\",\"candidate_source\":\"c\"}\n");
    QCOMPARE(assay({"import", "rows.jsonl", "--db", name}).exitCode, 0);
}

/// Starts the program, waits until @p database keeps @p kept judgements, and sends @p signal to it.
/// @return false where it ended before: a signal to process 0 would reach whoever runs these tests
bool RedTeamVerbsTest::signalOnceKept(QProcess& process, const CommandLine& assay, const QStringList& arguments,
                                      const QString& database, int kept, int signal)
{
    assay.start(process, arguments);
    const std::filesystem::path path(assay.path(database).toStdString());
    for (QElapsedTimer since = QElapsedTimer(); process.state() != QProcess::NotRunning;) {
        if (!since.isValid())
            since.start();
        process.waitForReadyRead(20); // lets it notice an end as well
        const auto opened = store::Database::open(path, store::OpenMode::ReadOnly);
        SQLite::Statement count(opened->sqlite(), "SELECT count(*) FROM calibration_run_judgement");
        if (count.executeStep() && count.getColumn(0).getInt() >= kept && process.processId() > 0)
            return ::kill(static_cast<pid_t>(process.processId()), signal) == 0;
        if (since.hasExpired(180'000))
            break;
    }
    return false;
}

/// What was measured before the kill is not measured again, and what comes out is what an undisturbed run gives.
void RedTeamVerbsTest::aCalibrationThatIsKilledGoesOn()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    const CommandLine assay;
    makeDatabase(assay, QStringLiteral("a.db"));
    makeDatabase(assay, QStringLiteral("whole.db"));
    const auto calibrate = [](const char* database, const QStringList& more = {}) {
        return judging(QStringList{"calibrate", "--json", "--db", database, "--only",
                                   "softmax-online,linear-addmm,fp16-accumulator", "--draws", "1"}
                       + more);
    };
    QProcess process;
    QVERIFY(signalOnceKept(process, assay, calibrate("a.db"), QStringLiteral("a.db"), 2, SIGKILL));
    QVERIFY(process.waitForFinished(60000));
    QVERIFY(process.exitStatus() == QProcess::CrashExit);
    QCOMPARE(assay({"db", "check", "--db", "a.db"}).exitCode, 0);

    const Run refused = assay(calibrate("a.db"));
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("2 of the 3 judgements of this calibration are kept") && refused.err.contains("--resume"),
             refused.err);
    const json::Document kept = assay({"calibrate", "--list", "--json", "--db", "a.db"}).object();
    QCOMPARE(kept["calibrations"].Size(), 0U);
    QCOMPARE(kept["unfinished"].Size(), 1U);
    QCOMPARE(*json::integerAt(kept["unfinished"][0], "kept"), 2);
    QCOMPARE(*json::integerAt(kept["unfinished"][0], "asked"), 3);
    const Run said = assay({"calibrate", "--list", "--db", "a.db"});
    QVERIFY2(said.out.contains("2 of 3 judgements kept (3 kernels, 1 draw)") && said.out.contains("--resume"), said.out);
    const Run resumed = assay(calibrate("a.db", {"--resume"}));
    QVERIFY2(resumed.exitCode == 0, resumed.out + resumed.err);
    const json::Document object = resumed.object();
    QCOMPARE(*json::integerAt(object, "resumed"), 2);
    const Run whole = assay(calibrate("whole.db"));
    QVERIFY2(whole.exitCode == 0, whole.out + whole.err);
    QCOMPARE(*json::integerAt(whole.object(), "resumed"), 0);
    QCOMPARE(*json::integerAt(object, "samples"), *json::integerAt(whole.object(), "samples"));
    QCOMPARE(*json::stringAt(object, "version"), *json::stringAt(whole.object(), "version"));
    const json::Document ended = assay({"calibrate", "--list", "--json", "--db", "a.db"}).object();
    QCOMPARE(ended["calibrations"].Size(), 1U);
    QCOMPARE(ended["unfinished"].Size(), 0U);
}

void RedTeamVerbsTest::aCalibrationThatIsInterruptedSaysWhatItKept()
{
    if (pythonWithTorch().isEmpty())
        QSKIP("no Python with torch (set ASSAY_PYTHON)");
    const CommandLine assay;
    makeDatabase(assay, QStringLiteral("a.db"));
    const QStringList calibrate
        = judging({"calibrate", "--json", "--db", "a.db", "--only", "softmax-online,linear-addmm", "--draws", "1"});
    QProcess process;
    QVERIFY(signalOnceKept(process, assay, calibrate, QStringLiteral("a.db"), 1, SIGINT));
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 6);
    const Run run{6, process.readAllStandardOutput(), process.readAllStandardError()};
    QVERIFY(*json::integerAt(run.object(), "kept") == 1 && *json::integerAt(run.object(), "asked") == 2);
    QVERIFY2(run.err.contains("1 of 2 judgements are kept") && run.err.contains("--resume"), run.err);
    const Run anew = assay(calibrate + QStringList{"--restart"});
    QVERIFY2(anew.exitCode == 0 || anew.exitCode == 4, anew.err); // two kernels may be too few for a threshold
    QCOMPARE(*json::integerAt(anew.object(), "resumed"), 0);
    QCOMPARE(assay({"calibrate", "--resume"}).exitCode, 2); // without a database there is nothing to go on with
}

void RedTeamVerbsTest::unknownNamesAreUsageErrors()
{
    for (const char* verb : {"mutants", "controls"}) {
        const Run run = CommandLine()({verb, "--only", "nothing-of-the-kind"});
        QCOMPARE(run.exitCode, 2);
        QVERIFY2(run.err.contains("nothing-of-the-kind"), run.err);
        QCOMPARE(run.err.count('\n'), 1);
    }
}

void RedTeamVerbsTest::aMutantWithoutFormForTheDeviceIsSaid()
{
    const Run run = CommandLine()({"mutants", "--only", "missing-barrier", "--device", "cpu"});
    QCOMPARE(run.exitCode, 2);
    QVERIFY2(run.err.contains("--device cpu"), run.err);
}

void RedTeamVerbsTest::withoutAnInterpreterNothingIsJudged()
{
    for (const char* verb : {"mutants", "controls"}) {
        const Run run = CommandLine()({verb, "--python", "/nowhere/python3", "--json"});
        QCOMPARE(run.exitCode, 5);
        QVERIFY2(run.err.contains("/nowhere/python3"), run.err);
    }
}

QTEST_GUILESS_MAIN(RedTeamVerbsTest)
#include "tst_red_team_verbs.moc"
