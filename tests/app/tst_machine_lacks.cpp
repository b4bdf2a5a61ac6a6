// SPDX-License-Identifier: Apache-2.0
#include "tests/app/command_line.h"

#include <QStandardPaths>

#include <initializer_list>
#include <map>

using namespace assay;
using namespace assay::tests;

namespace {

constexpr const char* kReference = "import torch\n"
                                   "class Model(torch.nn.Module):\n"
                                   "    def forward(self, x): return torch.relu(x)\n"
                                   "def get_inputs(): return [torch.randn(4, 8)]\n"
                                   "def get_init_inputs(): return []\n";

QString text(const char* words)
{
    return QString::fromLatin1(words);
}

QStringList args(std::initializer_list<const char*> words)
{
    QStringList list;
    for (const char* word : words)
        list << text(word);
    return list;
}

} // namespace

/// The program on machines that lack something: each lack is named with its remedy, and nothing pretends to have judged.
class MachineLacksTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void init();

    void doctorNamesWhatIsMissing_data();
    void doctorNamesWhatIsMissing();
    void doctorIsContentWithoutAGpu();
    void verifySaysInOneLineWhyNothingRan_data();
    void verifySaysInOneLineWhyNothingRan();
    void aGpuThatIsNotThereIsNoVerdict();
    void anAuditOfNothingLeavesTheDatabaseAlone();

private:
    /// A folder that is all of PATH, with links to @p programs.
    void havePath(const QStringList& programs);
    QStringList python(const QString& interpreter) const
    {
        return interpreter.isEmpty() ? QStringList() : QStringList{text("--python"), interpreter};
    }
    void lacks();

    std::unique_ptr<CommandLine> m_assay;
    QTemporaryDir m_dir;
    QString m_python;      ///< with torch, as a rule
    QString m_bare;        ///< without torch; "" where it could not be made
    bool m_judges = false; ///< torch and a sandbox are there
};

void MachineLacksTest::initTestCase()
{
    m_python = qEnvironmentVariable("ASSAY_PYTHON", text("/usr/bin/python3"));
    QProcess make;
    make.start(m_python, args({"-m", "venv", "--without-pip"}) + QStringList{m_dir.filePath(text("bare"))});
    if (make.waitForFinished(60000) && make.exitStatus() == QProcess::NormalExit && make.exitCode() == 0)
        m_bare = m_dir.filePath(text("bare/bin/python3"));
    init();
    m_judges = (*m_assay)(args({"doctor"}) + python(m_python)).exitCode == 0;
}

void MachineLacksTest::init()
{
    m_assay = std::make_unique<CommandLine>();
    m_assay->write(text("ref.py"), kReference);
    m_assay->write(text("cand.py"), QByteArray(kReference).replace("class Model(", "class ModelNew("));
}

void MachineLacksTest::havePath(const QStringList& programs)
{
    const QString folder = m_assay->path(text("bin"));
    QVERIFY(QDir().mkpath(folder));
    for (const QString& program : programs) {
        const QString found = program.startsWith(QLatin1Char('/')) ? program : QStandardPaths::findExecutable(program);
        if (!found.isEmpty())
            QVERIFY(QFile::link(found, folder + QLatin1Char('/') + QFileInfo(program).fileName()));
    }
    m_assay->emptyEnvironment();
    m_assay->setEnvironment(text("PATH"), folder);
}

void MachineLacksTest::lacks()
{
    QTest::addColumn<QStringList>("programs"); // all that PATH leads to
    QTest::addColumn<QString>("interpreter");
    QTest::addColumn<QString>("missing"); // of doctor's findings
    QTest::addColumn<QString>("remedy");
    QTest::addColumn<QString>("line"); // of verify
    QTest::newRow("no Python") << args({"bwrap"}) << QString() << text("python") << text("apt install python3 python3-torch")
                               << text("cannot start python3");
    QTest::newRow("no torch") << args({"bwrap"}) << text("bare") << text("torch") << text("apt install python3-torch")
                              << text("no torch in this Python");
    QTest::newRow("no bubblewrap") << args({}) << m_python << text("sandbox") << text("apt install bubblewrap")
                                   << text("no sandbox: bwrap not found");
}

void MachineLacksTest::doctorNamesWhatIsMissing_data()
{
    lacks();
}

void MachineLacksTest::doctorNamesWhatIsMissing()
{
    QFETCH(QStringList, programs);
    QFETCH(QString, interpreter);
    QFETCH(QString, missing);
    QFETCH(QString, remedy);
    if (interpreter == text("bare") && m_bare.isEmpty())
        QSKIP("this Python makes no virtual environment");
    havePath(programs);
    const QStringList command = args({"doctor"}) + python(interpreter == text("bare") ? m_bare : interpreter);
    const Run told = (*m_assay)(command);
    QVERIFY2(told.exitCode == 5, (told.out + told.err).constData());
    QVERIFY2(told.out.contains(remedy.toUtf8()), told.out.constData());
    const json::Document object = (*m_assay)(command + args({"--json"})).object();
    std::map<std::string, bool> present;
    for (const json::Value& finding : json::find(object, "findings")->GetArray()) {
        present[*json::stringAt(finding, "name")] = *json::boolAt(finding, "present");
        QCOMPARE(json::stringAt(finding, "remedy")->empty(), *json::boolAt(finding, "present"));
    }
    QVERIFY(!present.at(missing.toStdString()));
    QVERIFY(!present.at("judging") && !present.at("gpu") && present.at("sqlite"));
}

void MachineLacksTest::doctorIsContentWithoutAGpu()
{
    if (!m_judges)
        QSKIP("this machine has no torch or no sandbox");
    havePath({text("bwrap")});
    const Run told = (*m_assay)(args({"doctor"}) + python(m_python));
    QVERIFY2(told.exitCode == 0, (told.out + told.err).constData());
    QVERIFY2(told.out.contains("gpu       missing  nvidia-smi not found"), told.out.constData());
    QVERIFY2(told.out.contains("Judging on the CPU needs none"), told.out.constData());
    QVERIFY2(told.out.contains("judging   present"), told.out.constData());
}

void MachineLacksTest::verifySaysInOneLineWhyNothingRan_data()
{
    lacks();
}

void MachineLacksTest::verifySaysInOneLineWhyNothingRan()
{
    QFETCH(QStringList, programs);
    QFETCH(QString, interpreter);
    QFETCH(QString, line);
    if (interpreter == text("bare") && m_bare.isEmpty())
        QSKIP("this Python makes no virtual environment");
    havePath(programs);
    const QStringList command = args({"verify", "--reference", "ref.py", "--candidate", "cand.py", "--db", "a.db"})
        + python(interpreter == text("bare") ? m_bare : interpreter);
    const Run told = (*m_assay)(command);
    QCOMPARE(told.exitCode, 5);
    QVERIFY2(told.out.isEmpty(), told.out.constData());
    QVERIFY2(told.err.startsWith("assay: " + line.toUtf8()) && told.err.count('\n') == 1, told.err.constData());
    QVERIFY2(!told.err.contains("verdict"), told.err.constData());
    QVERIFY(!QFile::exists(m_assay->path(text("a.db"))));
    const Run object = (*m_assay)(command + args({"--json"}));
    QCOMPARE(object.exitCode, 5);
    const json::Document said = object.object();
    QVERIFY2(!json::stringAt(said, "remedy").value_or("").empty(), object.out.constData());
    QVERIFY(json::stringAt(said, "verdict").value_or("error") == "error");
    QVERIFY(!QFile::exists(m_assay->path(text("a.db"))));
}

void MachineLacksTest::aGpuThatIsNotThereIsNoVerdict()
{
    if (!m_judges || QFile::exists(text("/dev/nvidiactl")))
        QSKIP("this machine has no torch, no sandbox, or a GPU");
    const Run told = (*m_assay)(args({"verify", "--reference", "ref.py", "--candidate", "cand.py", "--device", "cuda:0"})
                                + python(m_python));
    QCOMPARE(told.exitCode, 5);
    QVERIFY2(told.out.isEmpty(), told.out.constData());
    QVERIFY2(told.err.startsWith("assay: cuda:0 does not come up") && told.err.count('\n') == 1, told.err.constData());
}

void MachineLacksTest::anAuditOfNothingLeavesTheDatabaseAlone()
{
    m_assay->write(text("rows.jsonl"), R"({"id":1,"reference":"r","candidate":"c"})");
    QCOMPARE((*m_assay)(args({"import", "rows.jsonl", "--format", "json-lines", "--db", "a.db"})).exitCode, 0);
    const QByteArray before = m_assay->read(text("a.db"));
    havePath({});
    const Run told = (*m_assay)(args({"audit", "--db", "a.db"}) + python(m_python));
    QCOMPARE(told.exitCode, 1);
    QVERIFY2(told.err.contains("apt install"), told.err.constData());
    QVERIFY(m_assay->read(text("a.db")) == before);
}

QTEST_GUILESS_MAIN(MachineLacksTest)
#include "tst_machine_lacks.moc"
