// SPDX-License-Identifier: Apache-2.0
#include "tests/core/runner/party_fixture.h"

using namespace assay;
using namespace assay::tests;
using contract::PartyFailure;
using runner::ForkServer;
using runner::ProcessCandidate;

/// Processes of parties as the judge sees them: answers, deaths, timeouts, fresh processes.
class PartyProcessTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPartyAnswers();
    void anExitIsADeathWithItsCodeAndLastLines();
    void aSignalIsADeathWithItsName();
    void silenceIsATimeout();
    void afterADeathEveryRequestFailsAlikeUntilARestart();
    void aRestartReplaysBuildsAndStates();
    void aClosedConnectionIsADeath();
    void aStopEndsTheWait();
    void gigabytesOfOutputFillNothing();
};

namespace {

/// Loads @p source in a fresh party and returns the failure, if any.
std::optional<PartyFailure> load(ForkServer& server, const QByteArray& source)
{
    ProcessCandidate party(server, setupWith(source));
    if (auto failure = party.start())
        return failure;
    return party.load();
}

} // namespace

void PartyProcessTest::aPartyAnswers()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    ProcessCandidate party(server, setupWith("pass"));
    const auto failure = party.start();
    QVERIFY2(!failure, failure ? failure->message.c_str() : "");
    QCOMPARE(party.hello().versions, std::string(R"({"python":"fake"})"));
    QVERIFY(!party.load());
    for (const std::string& word : server.isolation())
        qInfo() << word.c_str();
    for (const std::string& word : party.hello().isolation)
        qInfo() << word.c_str();
}

void PartyProcessTest::anExitIsADeathWithItsCodeAndLastLines()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    const auto failure = load(server, "import os, sys\nprint('the last line', file=sys.stderr, flush=True)\nos._exit(3)");
    QVERIFY(failure);
    QCOMPARE(failure->kind, PartyFailure::Kind::Died);
    QCOMPARE(failure->type, std::string("exit 3"));
    QCOMPARE(failure->message, std::string("the process exited with 3: the last line"));
}

void PartyProcessTest::aSignalIsADeathWithItsName()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    const auto failure = load(server, "import ctypes\nctypes.string_at(0)");
    QVERIFY(failure);
    QCOMPARE(failure->kind, PartyFailure::Kind::Died);
    QCOMPARE(failure->type, std::string("SIGSEGV"));
}

void PartyProcessTest::silenceIsATimeout()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    runner::PartySetup setup = setupWith("while True: pass");
    setup.limits.load = std::chrono::milliseconds(300);
    ProcessCandidate party(server, setup);
    QVERIFY(!party.start());
    const auto failure = party.load();
    QVERIFY(failure);
    QCOMPARE(failure->kind, PartyFailure::Kind::TimedOut);
    QCOMPARE(failure->message, std::string("no answer within 0.3 s"));
}

void PartyProcessTest::afterADeathEveryRequestFailsAlikeUntilARestart()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    ProcessCandidate party(server,
                           setupWith("def on(request):\n"
                                     "    if request['op'] == 'run': import os; os._exit(7)\n"
                                     "    wire.answer(request, {})\n"
                                     "wire.answer(request, {})"));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    const auto first = party.run({});
    const auto second = party.run({});
    QVERIFY(!first && !second);
    QCOMPARE(first.failure().type, std::string("exit 7"));
    QCOMPARE(second.failure().type, std::string("exit 7"));
    QVERIFY(party.setState(0, {}));
    QVERIFY(!party.restart());
    QVERIFY(!party.setState(0, {}));
}

void PartyProcessTest::aRestartReplaysBuildsAndStates()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    ProcessCandidate party(server,
                           setupWith("seen = []\n"
                                     "def on(request):\n"
                                     "    if request['op'] == 'run':\n"
                                     "        if request['precision'] == 'die': import os; os._exit(7)\n"
                                     "        wire.answer(request, {'ok': False, 'failure': {'kind': 'raised', 'type': 'Seen', "
                                     "'message': ' '.join(seen),\n"
                                     "                    'traceback': '', 'where': 'call'}})\n"
                                     "        return\n"
                                     "    seen.append('%s%s' % (request['op'], request['instance']))\n"
                                     "    wire.answer(request, {'state': []})\n"
                                     "wire.answer(request, {})"));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    contract::Instance like;
    like.init = R"({"tuple":[]})";
    QVERIFY(party.build(1, like, 5));
    QVERIFY(party.build(2, like, 5));
    QVERIFY(!party.setState(2, {}));
    contract::Script script;
    script.precision = "die";
    QVERIFY(!party.run(script));
    QVERIFY(!party.restart());
    script.precision = "native";
    QCOMPARE(party.run(script).failure().message, std::string("build1 build2 state2"));
}

void PartyProcessTest::aClosedConnectionIsADeath()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    const auto failure = load(server, "wire.sock.close()\nimport time\nwhile True: time.sleep(1)");
    QVERIFY(failure);
    QCOMPARE(failure->kind, PartyFailure::Kind::Died);
    QCOMPARE(failure->message, std::string("the process closed its connection"));
}

void PartyProcessTest::aStopEndsTheWait()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    std::stop_source source;
    runner::PartySetup setup = setupWith("while True: pass");
    setup.stop = source.get_token();
    ProcessCandidate party(server, setup);
    QVERIFY(!party.start());
    source.request_stop();
    const auto failure = party.load();
    QVERIFY(failure);
    QCOMPARE(failure->message, std::string("stopped"));
}

void PartyProcessTest::gigabytesOfOutputFillNothing()
{
    ForkServer server(fakeOptions());
    ASSAY_START_OR_SKIP(server);
    ProcessCandidate party(server,
                           setupWith("import os\nblock = b'x' * (1 << 20)\n"
                                     "for i in range(2048): os.write(1, block)\n"
                                     "os.write(2, b'\\nthe end\\n')\nos._exit(9)"));
    QVERIFY(!party.start());
    const auto failure = party.load();
    QVERIFY(failure);
    QCOMPARE(failure->type, std::string("exit 9"));
    QVERIFY(failure->message.size() < 20000);
    QVERIFY(QByteArray(failure->message.c_str()).endsWith("the end"));
}

QTEST_GUILESS_MAIN(PartyProcessTest)
#include "tst_party_process.moc"
