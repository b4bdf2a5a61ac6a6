// SPDX-License-Identifier: Apache-2.0
#include "tests/app/command_line.h"

#include "core/contract/contract.h"
#include "core/store/database.h"
#include "core/text/object_text.h"
#include "tests/support/verdict_contents.h"

#include <csignal>
#include <initializer_list>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr const char* kReference = R"(
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(features))

    def forward(self, x):
        return torch.relu(x) * self.weight

def get_inputs():
    return [torch.randn(4, 8)]

def get_init_inputs():
    return [8]
)";

/// The reference with another forward.
QByteArray candidate(const QByteArray& forward)
{
    QByteArray text(kReference);
    text.replace("class Model(", "class ModelNew(");
    text.replace("torch.relu(x) * self.weight", forward);
    return text;
}

QStringList args(std::initializer_list<const char*> words)
{
    QStringList list;
    for (const char* word : words)
        list << QString::fromLatin1(word);
    return list;
}

/// Candidates of one length: a campaign begins with the longest, and here the order counts.
std::string row(int id, const QByteArray& candidate, const QByteArray& reference = "reference")
{
    json::ObjectText out;
    out.integer("id", id);
    out.text("reference", reference.toStdString() + "# " + std::to_string(id));
    out.text("candidate", candidate.leftJustified(512, ' ').toStdString());
    return out.finish() + "\n";
}

std::int64_t at(const json::Document& object, const char* key)
{
    return json::integerAt(object, key).value_or(-1);
}

} // namespace

class AuditVerbsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<CommandLine> m_assay;
    QString m_torch; ///< a Python that has torch and loads the judge, "" where there is none

    CommandLine& assay() { return *m_assay; }
    void import(const std::string& rows)
    {
        assay().write(QStringLiteral("rows.jsonl"), QByteArray::fromStdString(rows));
        QCOMPARE(assay()(args({"import", "rows.jsonl", "--format", "json-lines", "--db", "a.db"})).exitCode, 0);
    }
    /// The verb with a worker that judges by the candidate's first word.
    QStringList audit(const QStringList& more = {})
    {
        assay().write(QStringLiteral("contract.json"),
                      QByteArray::fromStdString(contract::canonicalText(*contract::profile("strict"))));
        return args({"audit", "--db", "a.db", "--contract", "contract.json", "--json", "--python",
                     ASSAY_SOURCE_DIR "/tests/support/fake_worker.py"})
            + more;
    }
    /// Starts it and waits for @p words on its standard error.
    void startUntil(QProcess& process, const QStringList& arguments, const QByteArray& words)
    {
        process.setReadChannel(QProcess::StandardError);
        assay().start(process, arguments);
        QByteArray said;
        while (!said.contains(words)) {
            QVERIFY2(process.waitForReadyRead(60000) || process.bytesAvailable() > 0, said.constData());
            said += process.readAllStandardError();
        }
    }

private slots:
    void initTestCase()
    {
        // A judge with sanitizers does not load into a Python without them.
        QProcess probe;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PYTHONPATH"), QStringLiteral(ASSAY_BINARY_DIR "/worker"));
        probe.setProcessEnvironment(environment);
        probe.start(QStringLiteral("/usr/bin/python3"), args({"-c", "import torch, assay_worker._judge"}));
        if (probe.waitForFinished(120000) && probe.exitStatus() == QProcess::NormalExit && probe.exitCode() == 0)
            m_torch = QStringLiteral("/usr/bin/python3");
    }
    void init() { m_assay = std::make_unique<CommandLine>(); }

    void anAuditJudgesAndStores();
    void anAuditThatIsKilledGoesOn();
    void anAuditThatIsInterruptedSaysWhatItKept();
    void mistakesChangeNothing();
    void aFailureIsShownWithItsReplay();
    void aFolderShowsTheFailureWithTorchAlone();
    void aCandidateThatRaisesIsShownToo();
    void aVerdictIsStoredWithItsPair();
    void aGradientIsBoundWhereOperandsMayRound();
    void aBaselineIsStoredAsAClaim();
    void anAuditResumedForABaselineAsksAgain();
    void aFolderShowsTheSmallerStimulus();
    void verdictsTravelToAnotherDatabase();
};

void AuditVerbsTest::anAuditJudgesAndStores()
{
    import(row(1, "pass") + row(2, "fail") + row(3, "die"));
    const Run run = assay()(audit());
    QVERIFY2(run.exitCode == 0, run.err.constData());
    const json::Document result = run.object();
    QCOMPARE(*json::stringAt(result, "schema"), std::string("assay.audit/1"));
    QVERIFY(at(result, "selected") == 3 && at(result, "judged") == 3 && at(result, "pass") == 1);
    QVERIFY(at(result, "fail") == 1 && at(result, "error") == 1 && at(result, "retried") == 1 && at(result, "left") == 0);
    const Run report = assay()(args({"report", "--db", "a.db", "--json"}));
    QCOMPARE(at(report.object(), "audited"), 2);
    QCOMPARE(assay()(args({"db", "check", "--db", "a.db"})).exitCode, 0);
}

void AuditVerbsTest::anAuditThatIsKilledGoesOn()
{
    const QString mark = assay().path(QStringLiteral("go"));
    import(row(1, "pass") + row(2, "fail") + row(3, "wait " + mark.toUtf8()) + row(4, "pass 4"));
    QProcess process;
    startUntil(process, audit({QStringLiteral("--progress")}), "2 of 4");
    QVERIFY(process.processId() > 0); // 0 is whoever runs these tests
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished(60000));
    QVERIFY(process.exitStatus() == QProcess::CrashExit);
    QCOMPARE(assay()(args({"db", "check", "--db", "a.db"})).exitCode, 0);
    assay().write(QStringLiteral("go"), "");
    const Run run = assay()(audit({QStringLiteral("--resume")}));
    QVERIFY2(run.exitCode == 0, run.err.constData());
    const json::Document result = run.object();
    QVERIFY(at(result, "skipped") == 2 && at(result, "judged") == 2 && at(result, "left") == 0);
    QCOMPARE(at(assay()(args({"report", "--db", "a.db", "--json"})).object(), "rows"), 4);
    QCOMPARE(at(assay()(audit({QStringLiteral("--resume")})).object(), "skipped"), 4);
}

void AuditVerbsTest::anAuditThatIsInterruptedSaysWhatItKept()
{
    import(row(1, "pass") + row(2, "wait " + assay().path(QStringLiteral("never")).toUtf8()));
    QProcess process;
    startUntil(process, audit({QStringLiteral("--progress")}), "1 of 2");
    QVERIFY(process.processId() > 0); // 0 is whoever runs these tests
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(60000));
    QCOMPARE(process.exitCode(), 6);
    const Run run{6, process.readAllStandardOutput(), process.readAllStandardError()};
    QVERIFY(at(run.object(), "judged") == 1 && at(run.object(), "left") == 1);
    QVERIFY2(run.err.contains("--resume"), run.err.constData());
}

void AuditVerbsTest::mistakesChangeNothing()
{
    import(row(1, "pass"));
    const QByteArray before = assay().read(QStringLiteral("a.db"));
    QCOMPARE(assay()(audit({QStringLiteral("--where"), QStringLiteral("familiy:scan")})).exitCode, 2);
    QCOMPARE(assay()(audit({QStringLiteral("--gates"), QStringLiteral("CMP-99")})).exitCode, 2);
    QCOMPARE(assay()(args({"audit", "--db", "a.db", "--contract", "nothing.json"})).exitCode, 2);
    QCOMPARE(assay()(audit({QStringLiteral("--where"), QStringLiteral("id:7")})).exitCode, 1);
    QCOMPARE(assay()(args({"audit", "--db", "a.db", "--python", "/nowhere/python3"})).exitCode, 1);
    QCOMPARE(assay()(args({"repro", "--db", "a.db", "1", "--gate", "CMP-01", "--out", "r"})).exitCode, 1); // not judged
    QVERIFY(assay().read(QStringLiteral("a.db")) == before);
}

void AuditVerbsTest::aFailureIsShownWithItsReplay()
{
    import(row(1, "fail"));
    QCOMPARE(assay()(audit({QStringLiteral("--seed"), QStringLiteral("7")})).exitCode, 0);
    const Run shown = assay()(args({"show", "--db", "a.db", "1", "--gate", "CMP-01"}));
    QCOMPARE(shown.exitCode, 0);
    for (const char* words : {"CMP-01.wide", "inf against 1", "on 1e3 N(0,1)", "element [1]", R"({"regime":"wide"})",
                              "parameters aligned", "not isolated: nothing is enforced",
                              "replay: assay audit --db a.db --corpus rows --where id:1 --gates CMP-01 --seed 7 --device cpu\n"})
        QVERIFY2(shown.out.contains(words), (QByteArray(words) + " in\n" + shown.out).constData());
    const json::Document object = assay()(args({"show", "--db", "a.db", "1", "--gate", "CMP-01", "--json"})).object();
    const json::Value& check = object["gates"][0]["checks"][1];
    QVERIFY(check["worst_index"][0].GetInt() == 1 && std::string_view(check["value"].GetString()) == "Infinity");
    QVERIFY(json::stringAt(object, "replay").value_or("").ends_with("--device cpu"));
}

void AuditVerbsTest::aFolderShowsTheFailureWithTorchAlone()
{
    if (m_torch.isEmpty())
        QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
    import(row(1, candidate("torch.where(torch.arange(8) == 5, 2, 1) * torch.relu(x) * self.weight"), kReference));
    const QStringList judged = args({"audit", "--db", "a.db", "--gates", "CMP-01", "--json", "--python"}) + QStringList{m_torch};
    const Run run = assay()(judged);
    QVERIFY2(run.exitCode == 0 && at(run.object(), "fail") == 1, (run.out + run.err).constData());
    const Run made = assay()(args({"repro", "--db", "a.db", "1", "--gate", "CMP-01", "--out", "r"}));
    QVERIFY2(made.exitCode == 0, made.err.constData());
    QCOMPARE(assay()(args({"repro", "--db", "a.db", "1", "--gate", "CMP-01", "--out", "r"})).exitCode, 1); // not empty
    QProcess shows;
    shows.setWorkingDirectory(assay().path(QStringLiteral("r")));
    shows.start(m_torch, args({"run_repro.py"}));
    QVERIFY(shows.waitForFinished(120000));
    const QByteArray said = shows.readAllStandardOutput() + shows.readAllStandardError();
    QVERIFY2(shows.exitCode() == 1, said.constData());
    QVERIFY2(said.contains("the failure shows") && said.contains("5]"), said.constData());
    // Against a right candidate the same folder says that nothing is wrong: the script really compares.
    assay().write(QStringLiteral("r/candidate.py"), candidate("torch.relu(x) * self.weight"));
    shows.start(m_torch, args({"run_repro.py"}));
    QVERIFY(shows.waitForFinished(120000));
    QCOMPARE(shows.exitCode(), 0);
}

void AuditVerbsTest::aCandidateThatRaisesIsShownToo()
{
    if (m_torch.isEmpty())
        QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
    import(row(1, candidate("self.missing(x)"), kReference));
    const QStringList judged = args({"audit", "--db", "a.db", "--gates", "CMP-01", "--json", "--python"}) + QStringList{m_torch};
    const Run run = assay()(judged);
    QVERIFY2(run.exitCode == 0 && at(run.object(), "fail") == 1, (run.out + run.err).constData());
    const Run made = assay()(args({"repro", "--db", "a.db", "1", "--gate", "CMP-01", "--out", "r"}));
    QVERIFY2(made.exitCode == 0, made.err.constData());
    QProcess shows;
    shows.start(m_torch, {assay().path(QStringLiteral("r/run_repro.py"))});
    QVERIFY(shows.waitForFinished(120000));
    const QByteArray said = shows.readAllStandardOutput() + shows.readAllStandardError();
    QVERIFY2(shows.exitCode() == 1 && said.contains("has no attribute 'missing'"), said.constData());
}

void AuditVerbsTest::aVerdictIsStoredWithItsPair()
{
    assay().write(QStringLiteral("contract.json"),
                  QByteArray::fromStdString(contract::canonicalText(*contract::profile("strict"))));
    assay().write(QStringLiteral("ref.py"), "reference");
    assay().write(QStringLiteral("row_max.py"), "fail");
    const QStringList verify
        = args({"verify", "--reference", "ref.py", "--candidate", "row_max.py", "--contract", "contract.json", "--db", "a.db",
                "--json", "--python", ASSAY_SOURCE_DIR "/tests/support/fake_worker.py"});
    for (int n = 1; n <= 2; ++n) {
        const Run run = assay()(verify);
        QVERIFY2(run.exitCode == 4, run.err.constData());
        QVERIFY(!run.out.contains("evidence"));
        const Run info = assay()(args({"report", "--db", "a.db", "--corpus", "verify", "--json"}));
        QVERIFY(at(info.object(), "rows") == 1 && at(info.object(), "any_violation") == 1);
    }
    const Run exported = assay()(args({"export", "--db", "a.db", "--format", "csv"}));
    QVERIFY2(exported.out.contains("row_max-"), exported.out.constData());
    QCOMPARE(assay()(args({"db", "check", "--db", "a.db"})).exitCode, 0);
}

/// Thousands of terms at the unit roundoff of TF32 would bound nothing, and every gradient would be right.
void AuditVerbsTest::aGradientIsBoundWhereOperandsMayRound()
{
    if (m_torch.isEmpty())
        QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
    const auto ofManyRows = [](QByteArray text) { return text.replace("torch.randn(4, 8)", "torch.randn(1024, 8)"); };
    assay().write(QStringLiteral("ref.py"), ofManyRows(kReference));
    assay().write(QStringLiteral("allow.json"), R"({"profile":"strict","tf32":"allow","training":"required"})");
    const auto verdictOf = [&](const char* body) {
        assay().write(QStringLiteral("cand.py"), ofManyRows(candidate(body)));
        return assay()(args({"verify", "--reference", "ref.py", "--candidate", "cand.py", "--gates", "CMP-02", "--contract",
                             "allow.json", "--json", "--python"})
                       + QStringList{m_torch})
            .exitCode;
    };
    QCOMPARE(verdictOf("torch.relu(x) * self.weight"), 0);
    QCOMPARE(verdictOf("torch.relu(x) * self.weight.detach() + 0 * self.weight"), 4);
    // Right forwards, four thirds of the gradient backwards.
    QCOMPARE(verdictOf("torch.relu(x) * self.weight + (lambda t: t - t.detach())(torch.relu(x) * self.weight / 3)"), 4);
}

void AuditVerbsTest::aBaselineIsStoredAsAClaim()
{
    if (m_torch.isEmpty())
        QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
    assay().write(QStringLiteral("ref.py"), kReference);
    assay().write(QStringLiteral("near.py"), candidate("torch.relu(x) * self.weight * 1.005"));
    QStringList verify = args({"verify", "--reference", "ref.py", "--candidate", "near.py", "--gates", "CMP-01", "--db", "a.db",
                               "--baseline", "kb-paper", "--python"})
        + QStringList{m_torch};
    const Run told = assay()(verify);
    QVERIFY2(told.exitCode == 4, told.err.constData());
    const char* const words = "baseline kb-paper: pass, 5 of 5 trials";
    QVERIFY2(told.out.contains(words), told.out.constData());
    // In the list the kernel fails, and that harness passed it.
    const Run exported = assay()(args({"export", "--db", "a.db", "--format", "csv"}));
    const QByteArray name = exported.out.mid(exported.out.indexOf("near-")).split(',').front();
    const Run shown = assay()({QStringLiteral("show"), QStringLiteral("--db"), QStringLiteral("a.db"), QString::fromUtf8(name)});
    QVERIFY2(shown.out.contains(words), (exported.out + shown.out + shown.err).constData());
    const json::Document object = assay()({QStringLiteral("show"), QStringLiteral("--db"), QStringLiteral("a.db"),
                                           QString::fromUtf8(name), QStringLiteral("--json")})
                                      .object();
    const json::Value& claim = object["baselines"][0];
    QVERIFY(json::stringAt(claim, "verdict") == "pass" && json::integerAt(claim["trials"], "passed") == 5);
    const Run report = assay()(args({"report", "--db", "a.db", "--corpus", "verify", "--json"}));
    QVERIFY2(json::find(report.object(), "baseline")->IsObject(), report.out.constData());
    verify[verify.indexOf(QStringLiteral("kb-paper"))] = QStringLiteral("kb-other");
    const Run unknown = assay()(verify);
    QCOMPARE(unknown.exitCode, 2);
    QVERIFY2(unknown.err.contains("kb-paper, kb-head, kb-replica"), unknown.err.constData());
}

void AuditVerbsTest::anAuditResumedForABaselineAsksAgain()
{
    import(row(1, "pass") + row(2, "fail"));
    QCOMPARE(at(assay()(audit()).object(), "judged"), 2);
    const QStringList resumed = audit({QStringLiteral("--resume"), QStringLiteral("--baseline"), QStringLiteral("kb-head")});
    QCOMPARE(at(assay()(resumed).object(), "judged"), 2);
    QCOMPARE(at(assay()(resumed).object(), "skipped"), 2);
    QCOMPARE(at(assay()(audit({QStringLiteral("--resume")})).object(), "skipped"), 2);
}

void AuditVerbsTest::aFolderShowsTheSmallerStimulus()
{
    if (m_torch.isEmpty())
        QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
    import(row(1, candidate("torch.where(x > 2, 2, 1) * torch.relu(x) * self.weight"), kReference));
    const QStringList judged
        = args({"audit", "--db", "a.db", "--gates", "CMP-01", "--shrink", "--json", "--python"}) + QStringList{m_torch};
    const Run run = assay()(judged);
    QVERIFY2(run.exitCode == 0 && at(run.object(), "fail") == 1, (run.out + run.err).constData());
    const Run shown = assay()(args({"show", "--db", "a.db", "1", "--gate", "CMP-01"}));
    QVERIFY2(shown.out.contains("shrunk: 32 input elements") && shown.out.contains("became 1 with 1"), shown.out.constData());
    QVERIFY2(shown.out.contains("shrunk to [1, 1]"), shown.out.constData());
    const json::Document object = assay()(args({"show", "--db", "a.db", "1", "--gate", "CMP-01", "--json"})).object();
    bool found = false;
    for (const json::Value& check : object["gates"][0]["checks"].GetArray())
        found = found || (json::find(check, "shrunk") != nullptr && json::boolAt(check["shrunk"], "found") == true);
    QVERIFY(found);
    const Run made = assay()(args({"repro", "--db", "a.db", "1", "--gate", "CMP-01", "--out", "r"}));
    QVERIFY2(made.exitCode == 0 && made.out.contains("shrunk: 32 input elements"), (made.out + made.err).constData());
    QCOMPARE(QFileInfo(assay().path(QStringLiteral("r/tensors/00_input.bin"))).size(), qint64{4});
    QProcess shows;
    shows.start(m_torch, {assay().path(QStringLiteral("r/run_repro.py"))});
    QVERIFY(shows.waitForFinished(120000));
    const QByteArray said = shows.readAllStandardOutput() + shows.readAllStandardError();
    QVERIFY2(shows.exitCode() == 1 && said.contains("the failure shows"), said.constData());
    assay().write(QStringLiteral("r/candidate.py"), candidate("torch.relu(x) * self.weight"));
    shows.start(m_torch, {assay().path(QStringLiteral("r/run_repro.py"))});
    QVERIFY(shows.waitForFinished(120000));
    QCOMPARE(shows.exitCode(), 0);
}

void AuditVerbsTest::verdictsTravelToAnotherDatabase()
{
    if (m_torch.isEmpty())
        QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
    import(row(1, candidate("torch.relu(x) * self.weight"), kReference)
           + row(2, candidate("torch.where(x > 2, 2, 1) * torch.relu(x) * self.weight"), kReference)
           + row(3, candidate("torch.nan_to_num(torch.relu(x)) * self.weight"), kReference));
    const QStringList judged = args({"audit", "--db", "a.db", "--gates", "CMP-01,CMP-03,EXC-01,PRC-02", "--shrink", "--baseline",
                                     "kb-paper", "--seed", "18446744073709551615", "--json", "--python"})
        + QStringList{m_torch};
    const Run run = assay()(judged);
    QVERIFY2(run.exitCode == 0 && at(run.object(), "pass") == 1 && at(run.object(), "fail") == 2,
             (run.out + run.err).constData());
    const Run written = assay()(args({"export", "--db", "a.db", "--format", "verdicts", "--out", "h.jsonl"}));
    QVERIFY2(written.exitCode == 0, written.err.constData());
    const Run read = assay()(args({"import", "rows.jsonl", "--format", "json-lines", "--db", "b.db", "--corpus", "rows"}));
    QCOMPARE(read.exitCode, 0);
    const Run joined = assay()(args({"import", "h.jsonl", "--db", "b.db", "--corpus", "rows", "--json"}));
    QVERIFY2(joined.exitCode == 0 && at(joined.object(), "kept") == 3, (joined.out + joined.err).constData());
    const auto here = store::Database::open(assay().path(QStringLiteral("b.db")).toStdString(), store::OpenMode::ReadOnly);
    const auto there = store::Database::open(assay().path(QStringLiteral("a.db")).toStdString(), store::OpenMode::ReadOnly);
    QVERIFY(there->sqlite().execAndGet("SELECT count(*) FROM artifact WHERE role LIKE 'shrunk_%'").getInt() > 0);
    QCOMPARE(QByteArray::fromStdString(verdictContents(*here, 1)), QByteArray::fromStdString(verdictContents(*there, 1)));
    const Run shown = assay()(args({"show", "--db", "b.db", "2"}));
    QVERIFY2(shown.out.contains("imported from h.jsonl, judged on "), shown.out.constData());
    QVERIFY(!assay()(args({"show", "--db", "a.db", "2"})).out.contains("imported from"));
    // The folder made from what was imported shows the failure as the one made there does.
    const Run made = assay()(args({"repro", "--db", "b.db", "2", "--gate", "CMP-01", "--out", "r"}));
    QVERIFY2(made.exitCode == 0 && made.out.contains("shrunk: 32 input elements"), (made.out + made.err).constData());
    const Run again = assay()(args({"export", "--db", "b.db", "--format", "verdicts"}));
    QVERIFY(again.out == assay().read(QStringLiteral("h.jsonl")));
    const Run refused = assay()(args({"import", "h.jsonl", "--db", "c.db"}));
    QVERIFY2(refused.exitCode == 1 && refused.err.count('\n') == 1 && refused.err.contains("--corpus NAME"),
             refused.err.constData());
    QVERIFY(!assay().files().contains(QStringLiteral("c.db")));
}

QTEST_GUILESS_MAIN(AuditVerbsTest)
#include "tst_audit_verbs.moc"
