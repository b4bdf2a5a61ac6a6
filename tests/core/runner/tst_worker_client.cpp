// SPDX-License-Identifier: Apache-2.0
#include "core/runner/shell_words.h"
#include "core/runner/worker_client.h"
#include "core/text/error.h"
#include "core/text/object_text.h"
#include "tests/core/runner/party_fixture.h"

#include <QRegularExpression>
#include <QTemporaryDir>

using namespace assay;
using namespace assay::tests;
using runner::WorkerClient;
using runner::WorkerOptions;

/// The supervisor as its client sees it: what is missing is one line, what dies or falls silent ends a call.
class WorkerClientTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void wordsSplitAsInAShell();
    void anOpenQuoteIsRefused();
    void aMissingInterpreterIsNamed();
    void aPythonWithoutThePackageSaysHowToInstallIt();
    void aWorkerThatDiesEndsTheCallWithItsLastLine();
    void aWorkerThatFallsSilentEndsTheCall();
    void foreignLinesArePassedOver();
    void aStopCancelsAndIsNoError();
    void unknownRequestsAreRefused();
    void aWorkerKnowsHowManyShareTheMachine();
    void aRequestWithoutSourcesIsAnErrorVerdict();
    void aRightCandidatePassesAndAWrongOneFails();
    void aHangingCandidateIsATimeoutOfTheCandidate();
    void aWorkerDeepInATemporaryFolderIsFound();
    void aVirtualEnvironmentInATemporaryFolderJudges();
    void argumentsThatAreNoTensorsReachTheCandidate();
    void anInputThatLiesInsideItsStorageStaysThere();
    void aBaselineIsAClaimBesideTheVerdict();
    void aBaselineThatDoesNotEndCouldNotRun();
    void aFailureIsShrunkWhereThatIsAsked();
    void aWarmedWorkerHasTorchBeforeItIsAsked();
    void aReferenceServesTheNextCandidate();
    void aReferenceThatLoadsOnceOnlyIsMadeAnew();

private:
    WorkerOptions scripted(const QByteArray& script);

    QTemporaryDir m_dir;
};

namespace {

WorkerOptions realWorker()
{
    WorkerOptions options;
    options.python = testPython();
    options.folder = ASSAY_BINARY_DIR "/worker";
    return options;
}

/// What went wrong in @p work, or "".
template <typename Work> QString refusalOf(const Work& work)
{
    try {
        work();
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

const char* const kReference = "import torch\n"
                               "class Model(torch.nn.Module):\n"
                               "    def forward(self, x): return torch.relu(x)\n"
                               "def get_inputs(): return [torch.randn(4, 8)]\n"
                               "def get_init_inputs(): return []\n";

/// What a request asks for beside the verdict.
struct Extras {
    std::string reference = kReference;
    std::string baseline;
    bool shrink = false;
    std::int64_t evidenceBytes = 0;
};

std::string verifyRequest(const std::string& candidate, double seconds = 60, const Extras& extras = {})
{
    json::ObjectText out;
    out.text("op", "verify");
    out.object("reference", [&] { out.text("source", extras.reference); });
    out.object("candidate", [&] { out.text("source", candidate); });
    out.texts("gates", std::vector<std::string>{"CMP-01"});
    out.number("request_seconds", seconds);
    out.text("baseline", extras.baseline);
    out.flag("shrink", extras.shrink);
    out.integer("evidence_bytes", extras.evidenceBytes);
    const std::string object = out.finish();
    return object.substr(1, object.size() - 2);
}

const char* const kCandidateHead = "import torch\n"
                                   "class ModelNew(torch.nn.Module):\n"
                                   "    def forward(self, x): ";

bool hasTorch()
{
    QProcess python;
    python.start(QString::fromStdString(testPython()), {QStringLiteral("-c"), QStringLiteral("import torch")});
    return python.waitForFinished(120000) && python.exitStatus() == QProcess::NormalExit && python.exitCode() == 0;
}

/// The verdict on @p candidate, or the reason why this machine cannot judge.
json::Document judged(const std::string& candidate, double seconds = 60, const WorkerOptions& options = realWorker(),
                      const Extras& extras = {})
{
    WorkerClient client(options);
    return client.ask(verifyRequest(candidate, seconds, extras), "verdict");
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Whether a process that this one brought forth, at whatever remove, has @p word in its command line.
bool hasDescendant(const char* word)
{
    const QByteArray self = QByteArray::number(QCoreApplication::applicationPid());
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QByteArray pid = name.toLatin1();
        if (pid.toInt() == 0 || !contentOf("/proc/" + name + "/cmdline").contains(word))
            continue;
        while (pid.toInt() > 1 && pid != self) { // the parent is the second number behind the name in brackets
            const QByteArray stat = contentOf("/proc/" + QString::fromLatin1(pid) + "/stat");
            pid = stat.mid(stat.lastIndexOf(')') + 2).split(' ').value(1);
        }
        if (pid == self)
            return true;
    }
    return false;
}

/// Where there is no sandbox the verdict "error" is right.
bool lacksSandbox(const json::Value& verdict)
{
    return json::stringAt(verdict, "reason").value_or("").starts_with("no sandbox");
}

} // namespace

WorkerOptions WorkerClientTest::scripted(const QByteArray& script)
{
    const QString path = m_dir.filePath(QStringLiteral("python-%1").arg(QLatin1String(QTest::currentTestFunction())));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + script) < 0)
        qFatal("cannot write the script");
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    file.close();
    WorkerOptions options;
    options.python = path.toStdString();
    return options;
}

void WorkerClientTest::wordsSplitAsInAShell()
{
    using Words = std::vector<std::string>;
    QCOMPARE(runner::shellWords(""), Words{});
    QCOMPARE(runner::shellWords("  ssh  gpu01 "), (Words{"ssh", "gpu01"}));
    const std::string quoted = "ssh -o \"A B\" 'c\"d' e\\ f \"\"";
    QCOMPARE(runner::shellWords(quoted), (Words{"ssh", "-o", "A B", "c\"d", "e f", ""}));
}

void WorkerClientTest::anOpenQuoteIsRefused()
{
    QVERIFY(refusalOf([] { runner::shellWords("ssh 'gpu01"); }).startsWith(QStringLiteral("a ' is not closed")));
}

void WorkerClientTest::aMissingInterpreterIsNamed()
{
    WorkerOptions options;
    options.python = "/no/such/python";
    QCOMPARE(refusalOf([&] { WorkerClient client(options); }),
             QStringLiteral("cannot start /no/such/python: No such file or directory. Name a Python that has torch (--python)"));
}

void WorkerClientTest::aPythonWithoutThePackageSaysHowToInstallIt()
{
    WorkerOptions options = realWorker();
    options.folder = m_dir.path().toStdString();
    const QString refusal = refusalOf([&] { WorkerClient(options).ask(R"("op":"hello")", "hello"); });
    QVERIFY2(refusal.startsWith(QStringLiteral("that Python has no assay_worker")), qPrintable(refusal));
}

void WorkerClientTest::aWorkerThatDiesEndsTheCallWithItsLastLine()
{
    WorkerClient client(scripted("read line\necho 'first' >&2\necho 'the disk is full' >&2\nexit 1\n"));
    const QString refusal = refusalOf([&] { client.ask(R"("op":"hello")", "hello"); });
    QVERIFY2(refusal.startsWith(QStringLiteral("the worker ended: the disk is full")), qPrintable(refusal));
}

void WorkerClientTest::aWorkerThatFallsSilentEndsTheCall()
{
    WorkerOptions options = scripted("exec sleep 1000\n");
    options.silence = std::chrono::seconds(1);
    WorkerClient client(options);
    const QString refusal = refusalOf([&] { client.ask(R"("op":"hello")", "hello"); });
    QVERIFY2(refusal.startsWith(QStringLiteral("the worker gave no sign of life for 1 s")), qPrintable(refusal));
}

void WorkerClientTest::foreignLinesArePassedOver()
{
    WorkerClient client(
        scripted("echo 'Welcome to gpu01'\necho '[1]'\nread line\necho '{\"event\":\"alive\"}'\n"
                 "echo '{\"id\":1,\"event\":\"gate\"}'\necho '{\"id\":1,\"event\":\"hello\",\"version\":\"7\"}'\nread line\n"));
    int others = 0;
    const json::Document hello = client.ask(R"("op":"hello")", "hello", [&](const json::Value&) { ++others; });
    QCOMPARE(*json::stringAt(hello, "version"), std::string("7"));
    QCOMPARE(others, 1);
}

void WorkerClientTest::aStopCancelsAndIsNoError()
{
    WorkerClient client(
        scripted("read line\nread line\necho \"$line\" >&2\necho '{\"id\":1,\"event\":\"verdict\"}'\nread line\n"));
    std::stop_source source;
    source.request_stop();
    bool cancelled = false;
    try {
        client.ask(R"("op":"verify")", "verdict", {}, source.get_token());
    } catch (const Cancelled&) {
        cancelled = true;
    }
    QVERIFY(cancelled);
}

void WorkerClientTest::aWorkerKnowsHowManyShareTheMachine()
{
    WorkerOptions options = scripted("read line\necho '{\"id\":1,\"event\":\"hello\",\"version\":\"'\"$*\"'\"}'\nread line\n");
    options.neighbours = 3;
    WorkerClient client(options);
    QCOMPARE(*json::stringAt(client.ask(R"("op":"hello")", "hello"), "version"),
             std::string("-m assay_worker serve --neighbours 3"));
    options = realWorker();
    options.neighbours = 3;
    QVERIFY(!json::stringAt(WorkerClient(options).ask(R"("op":"hello")", "hello"), "version")->empty());
}

void WorkerClientTest::unknownRequestsAreRefused()
{
    WorkerClient client(realWorker());
    QVERIFY(!json::stringAt(client.ask(R"("op":"hello")", "hello"), "version")->empty());
    const QString refusal = refusalOf([&] { client.ask(R"("op":"dance")", "verdict"); });
    QVERIFY2(refusal.startsWith(QStringLiteral("the worker refused: there is no request \"dance\"")), qPrintable(refusal));
}

void WorkerClientTest::aRequestWithoutSourcesIsAnErrorVerdict()
{
    WorkerClient client(realWorker());
    const json::Document verdict = client.ask(R"("op":"verify")", "verdict");
    QCOMPARE(*json::stringAt(verdict, "verdict"), std::string("error"));
    QCOMPARE(*json::stringAt(verdict, "reason"), std::string("the request has no source of the reference"));
}

void WorkerClientTest::aRightCandidatePassesAndAWrongOneFails()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    const json::Document right = judged(std::string(kCandidateHead) + "return x.clamp(min=0)\n");
    if (lacksSandbox(right))
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(right, "verdict") == "pass", json::toText(right).c_str());
    const json::Document wrong = judged(std::string(kCandidateHead) + "return x.clamp(min=0) * 1.01\n");
    QVERIFY2(json::stringAt(wrong, "verdict") == "fail", json::toText(wrong).c_str());
    QCOMPARE(json::find(wrong, "gates")->Size(), rapidjson::SizeType{1});
    QCOMPARE(*json::stringAt(*json::find(wrong, "versions"), "python"),
             *json::stringAt(*json::find(right, "versions"), "python"));
}

void WorkerClientTest::aHangingCandidateIsATimeoutOfTheCandidate()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    const json::Document verdict = judged(std::string(kCandidateHead) + "\n        while True: pass\n", 5);
    if (lacksSandbox(verdict))
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(verdict, "verdict") == "fail", json::toText(verdict).c_str());
    QCOMPARE(*json::stringAt(json::find(verdict, "gates")->GetArray()[0], "verdict"), std::string("timeout"));
}

// The sandbox hides temporary folders and homes and binds back what Python imports from: the folders in between must let a party
// of another user pass.
void WorkerClientTest::aWorkerDeepInATemporaryFolderIsFound()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    const std::filesystem::path deep = std::filesystem::path(m_dir.path().toStdString()) / "one" / "two" / "worker";
    std::filesystem::create_directories(deep.parent_path());
    std::filesystem::copy(ASSAY_BINARY_DIR "/worker", deep, std::filesystem::copy_options::recursive);
    WorkerOptions options = realWorker();
    options.folder = deep.string();
    const json::Document verdict = judged(std::string(kCandidateHead) + "return x.clamp(min=0)\n", 60, options);
    if (lacksSandbox(verdict))
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(verdict, "verdict") == "pass", json::toText(verdict).c_str());
}

// Its interpreter is a link in a folder that the sandbox hides, as those of most people are.
void WorkerClientTest::aVirtualEnvironmentInATemporaryFolderJudges()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    const QString folder = m_dir.filePath(QStringLiteral("environment"));
    QProcess make;
    make.start(QString::fromStdString(testPython()),
               {QStringLiteral("-m"), QStringLiteral("venv"), QStringLiteral("--without-pip"),
                QStringLiteral("--system-site-packages"), QStringLiteral("--symlinks"), folder});
    if (!make.waitForFinished(60000) || make.exitStatus() != QProcess::NormalExit || make.exitCode() != 0)
        QSKIP("this Python makes no virtual environment");
    WorkerOptions options = realWorker();
    options.python = folder.toStdString() + "/bin/python3";
    const json::Document verdict = judged(std::string(kCandidateHead) + "return x.clamp(min=0)\n", 60, options);
    if (json::stringAt(verdict, "reason") == "no sandbox: bwrap not found")
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(verdict, "verdict") == "pass", json::toText(verdict).c_str());
}

// The candidate gets what get_inputs returned, numbers and texts included, not its tensors alone.
void WorkerClientTest::argumentsThatAreNoTensorsReachTheCandidate()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    Extras extras;
    extras.reference = "import torch\n"
                       "class Model(torch.nn.Module):\n"
                       "    def forward(self, x, dim, options): return x.sum(dim) * options['scale'][0]\n"
                       "def get_inputs(): return [torch.randn(4, 8), 1, {'scale': [torch.randn(1), 'unused']}]\n"
                       "def get_init_inputs(): return []\n";
    const std::string head = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x, dim, options): return ";
    const json::Document right = judged(head + "options['scale'][0] * x.sum(dim)\n", 60, realWorker(), extras);
    if (lacksSandbox(right))
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(right, "verdict") == "pass", json::toText(right).c_str());
    const json::Document wrong = judged(head + "x.sum(1 - dim)[:4] * options['scale'][0]\n", 60, realWorker(), extras);
    QVERIFY2(json::stringAt(wrong, "verdict") == "fail", json::toText(wrong).c_str());
}

// Code that reads a tensor's storage from its beginning is right for every input but a view with an offset.
void WorkerClientTest::anInputThatLiesInsideItsStorageStaysThere()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    const std::string forgets = "\n        flat = torch.as_strided(x, (x.numel(),), (1,), 0)\n"
                                "        return torch.relu(flat.reshape(x.shape) if x.is_contiguous() else x)\n";
    const json::Document verdict = judged(kCandidateHead + forgets);
    if (lacksSandbox(verdict))
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(verdict, "verdict") == "fail", json::toText(verdict).c_str());
    const std::string finding = json::stringAt(json::find(verdict, "gates")->GetArray()[0], "finding").value_or("");
    QVERIFY2(finding.find("offset") != std::string::npos, finding.c_str());
}

void WorkerClientTest::aBaselineIsAClaimBesideTheVerdict()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    // Half a percent off: inside the tolerance of the harness, far outside the bound.
    const std::string off = std::string(kCandidateHead) + "return x.clamp(min=0) * 1.005\n";
    Extras extras;
    extras.baseline = "kb-paper";
    const json::Document verdict = judged(off, 60, realWorker(), extras);
    if (lacksSandbox(verdict))
        QSKIP("this machine has no sandbox");
    QVERIFY2(json::stringAt(verdict, "verdict") == "fail", json::toText(verdict).c_str());
    const json::Value& claim = *json::find(verdict, "baseline");
    QVERIFY2(claim.IsObject() && json::stringAt(claim, "verdict") == "pass", json::toText(verdict).c_str());
    QCOMPARE(*json::stringAt(claim, "mode"), std::string("kb-paper"));
    QCOMPARE(json::integerAt(*json::find(claim, "trials"), "passed").value_or(-1), std::int64_t{5});
    QCOMPARE(json::integerAt(*json::find(claim, "trials"), "total").value_or(-1), std::int64_t{5});
    // The later revision of the same harness has another tolerance.
    extras.baseline = "kb-head";
    const json::Document later = judged(off, 60, realWorker(), extras);
    QVERIFY2(json::stringAt(*json::find(later, "baseline"), "verdict") == "fail", json::toText(later).c_str());
    // What patches the comparison of the harness passes there, and nowhere else.
    extras.baseline = "kb-replica";
    const json::Document patched
        = judged("import torch\ntorch.allclose = lambda *a, **k: True\n" + off.substr(13), 60, realWorker(), extras);
    QVERIFY2(json::stringAt(*json::find(patched, "baseline"), "verdict") == "pass", json::toText(patched).c_str());
    QVERIFY2(json::stringAt(patched, "verdict") == "fail", json::toText(patched).c_str());
    // Nobody asked.
    QVERIFY(json::find(judged(off), "baseline")->IsNull());
    extras.baseline = "kb-other";
    QVERIFY(json::stringAt(judged(off, 60, realWorker(), extras), "reason")->starts_with("no harness is called"));
}

void WorkerClientTest::aBaselineThatDoesNotEndCouldNotRun()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    // Right for the judge, which never trains; the harness does not call eval().
    const std::string hangs
        = std::string(kCandidateHead) + "\n        while self.training: pass\n        return x.clamp(min=0)\n";
    Extras extras;
    extras.baseline = "kb-paper";
    const json::Document verdict = judged(hangs, 0.6, realWorker(), extras);
    if (lacksSandbox(verdict))
        QSKIP("this machine has no sandbox");
    const json::Value& claim = *json::find(verdict, "baseline");
    QCOMPARE(*json::stringAt(claim, "verdict"), std::string("error"));
    QCOMPARE(*json::stringAt(claim, "detail"), std::string("could not run: no answer: it ran past its limit of 6 seconds"));
    QVERIFY(json::find(claim, "trials")->IsNull());
    // Where no process comes up at all, the harness does not pretend either.
    WorkerOptions nowhere = realWorker();
    nowhere.prefix = "env PATH=/nowhere";
    nowhere.python = testPython();
    const json::Document lacking = judged(hangs, 60, nowhere, extras);
    QCOMPARE(*json::stringAt(lacking, "verdict"), std::string("error"));
    QVERIFY2(json::stringAt(*json::find(lacking, "baseline"), "detail")->starts_with("could not run: no sandbox"),
             json::toText(lacking).c_str());
}

void WorkerClientTest::aFailureIsShrunkWhereThatIsAsked()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    // Wrong in the last element of rows of at least 4.
    const std::string wrong = std::string(kCandidateHead)
        + "\n        y = torch.relu(x)\n        if y.shape[-1] >= 4: y[..., -1] += 1\n        return y\n";
    Extras extras;
    extras.shrink = true;
    extras.evidenceBytes = 1 << 16;
    const json::Document verdict = judged(wrong, 60, realWorker(), extras);
    if (lacksSandbox(verdict))
        QSKIP("this machine has no sandbox");
    const json::Value& gate = json::find(verdict, "gates")->GetArray()[0];
    const json::Value* shrunk = nullptr;
    for (const json::Value& check : json::find(gate, "checks")->GetArray()) {
        if (const json::Value* const found = json::find(check, "shrunk"))
            shrunk = found;
    }
    QVERIFY2(shrunk != nullptr && json::boolAt(*shrunk, "found").value_or(false), json::toText(verdict).c_str());
    QCOMPARE(*json::stringAt(*shrunk, "reason"), std::string("bound"));
    const std::string label = json::stringAt(*json::find(*shrunk, "stimulus"), "label").value_or("");
    QVERIFY2(label.ends_with("shrunk to [1, 4]"), label.c_str());
    for (const json::Value& piece : json::find(*shrunk, "evidence")->GetArray()) {
        if (json::stringAt(piece, "role") == "input")
            QCOMPARE(*json::stringAt(piece, "data"), std::string("AAAAAAAAAAAAAAAAAAAAAA==")); // four zeros
    }
}

namespace {

/// How often the reference's process was started for @p verdict.
int referenceStarts(const json::Value& verdict)
{
    const json::Value* const time = json::find(verdict, "time");
    const json::Value* const reference = time == nullptr ? nullptr : json::find(*time, "reference");
    const json::Value* const start = reference == nullptr ? nullptr : json::find(*reference, "start");
    return start == nullptr ? 0 : static_cast<int>(json::integerAt(*start, "requests").value_or(-1));
}

/// The gates without what they took.
QString gatesOf(const json::Value& verdict)
{
    static const QRegularExpression seconds(QStringLiteral("\"seconds\":[-+.e0-9]+"));
    return QString::fromStdString(json::toText(*json::find(verdict, "gates"))).remove(seconds);
}

} // namespace

void WorkerClientTest::aWarmedWorkerHasTorchBeforeItIsAsked()
{
    if (!hasTorch())
        QSKIP("no torch");
    WorkerClient client(realWorker());
    const json::Document answer = client.ask(R"("op":"warm","device":"cpu","unsafe_no_sandbox":false)", "warm");
    QCOMPARE(*json::stringAt(answer, "event"), std::string("warm"));
    // The fork server is there, and it is the one that a judgement uses.
    const bool isWarm = hasDescendant("forkserver");
    const json::Document verdict = client.ask(verifyRequest(std::string(kCandidateHead) + "return torch.relu(x)\n"), "verdict");
    if (lacksSandbox(verdict))
        QSKIP("no sandbox");
    QVERIFY(isWarm);
    QCOMPARE(*json::stringAt(verdict, "verdict"), std::string("pass"));
    // A machine that has no such device says so when a candidate is judged, not before.
    const json::Document other = client.ask(R"("op":"warm","device":"cuda:63","unsafe_no_sandbox":false)", "warm");
    QCOMPARE(*json::stringAt(other, "event"), std::string("warm"));
}

void WorkerClientTest::aReferenceServesTheNextCandidate()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    const std::string right = std::string(kCandidateHead) + "return torch.relu(x)\n";
    const std::string wrong = std::string(kCandidateHead) + "return torch.relu(x) * 1.5\n";
    const json::Document fresh = judged(wrong);
    if (lacksSandbox(fresh))
        QSKIP("this machine has no sandbox");
    QCOMPARE(referenceStarts(fresh), 1);
    WorkerClient client(realWorker());
    QCOMPARE(referenceStarts(client.ask(verifyRequest(right), "verdict")), 1);
    const json::Document next = client.ask(verifyRequest(wrong), "verdict");
    QCOMPARE(referenceStarts(next), 0);
    QCOMPARE(gatesOf(next), gatesOf(fresh));
    Extras other;
    other.reference = std::string(kReference) + "# another task\n";
    QCOMPARE(referenceStarts(client.ask(verifyRequest(wrong, 60, other), "verdict")), 1);
}

void WorkerClientTest::aReferenceThatLoadsOnceOnlyIsMadeAnew()
{
    if (!hasTorch())
        QSKIP("no torch in this Python (set ASSAY_PYTHON)");
    Extras once;
    once.reference = "import sys\nassert not hasattr(sys, 'seen')\nsys.seen = True\n" + std::string(kReference);
    const std::string right = std::string(kCandidateHead) + "return torch.relu(x)\n";
    WorkerClient client(realWorker());
    const json::Document first = client.ask(verifyRequest(right, 60, once), "verdict");
    if (lacksSandbox(first))
        QSKIP("this machine has no sandbox");
    const json::Document second = client.ask(verifyRequest(right, 60, once), "verdict");
    QCOMPARE(*json::stringAt(second, "verdict"), std::string("pass"));
    QCOMPARE(referenceStarts(second), 1);
    QCOMPARE(gatesOf(second), gatesOf(first));
}

QTEST_GUILESS_MAIN(WorkerClientTest)
#include "tst_worker_client.moc"
