// SPDX-License-Identifier: Apache-2.0
#include "core/runner/shell_words.h"
#include "core/runner/worker_client.h"
#include "core/text/error.h"
#include "core/text/object_text.h"
#include "tests/core/runner/party_fixture.h"

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
    void aRequestWithoutSourcesIsAnErrorVerdict();
    void aRightCandidatePassesAndAWrongOneFails();
    void aHangingCandidateIsATimeoutOfTheCandidate();
    void aWorkerDeepInATemporaryFolderIsFound();

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

std::string verifyRequest(const std::string& candidate, double seconds = 60)
{
    const std::string reference = "import torch\n"
                                  "class Model(torch.nn.Module):\n"
                                  "    def forward(self, x): return torch.relu(x)\n"
                                  "def get_inputs(): return [torch.randn(4, 8)]\n"
                                  "def get_init_inputs(): return []\n";
    json::ObjectText out;
    out.text("op", "verify");
    out.object("reference", [&] { out.text("source", reference); });
    out.object("candidate", [&] { out.text("source", candidate); });
    out.texts("gates", std::vector<std::string>{"CMP-01"});
    out.number("request_seconds", seconds);
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
json::Document judged(const std::string& candidate, double seconds = 60, const WorkerOptions& options = realWorker())
{
    WorkerClient client(options);
    return client.ask(verifyRequest(candidate, seconds), "verdict");
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
             QStringLiteral(
                 "cannot start /no/such/python: No such file or directory. Name an interpreter that has torch: --python P"));
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

QTEST_GUILESS_MAIN(WorkerClientTest)
#include "tst_worker_client.moc"
