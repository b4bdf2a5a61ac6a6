// SPDX-License-Identifier: Apache-2.0
#include "tests/core/runner/party_fixture.h"

using namespace assay;
using namespace assay::tests;
using contract::PartyFailure;
using runner::ForkServer;
using runner::ProcessCandidate;
using runner::ProcessReference;

/// A party that has been taken over sends what the protocol forbids: every time a failure of kind Nonsense, and the judge goes
/// on.
class HostilePartyTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aBrokenFrameIsNonsense_data();
    void aBrokenFrameIsNonsense();
    void aBrokenStateIsNonsense_data();
    void aBrokenStateIsNonsense();
    void aBrokenInstanceIsNonsense_data();
    void aBrokenInstanceIsNonsense();
    void aBrokenStepIsNonsense_data();
    void aBrokenStepIsNonsense();
    void brokenResourcesAreNonsense_data();
    void brokenResourcesAreNonsense();
    void soundResourcesAreTaken();
    void aSoundAnswerIsTaken();
    void anArenaThatShrinksIsNonsense();
    void layoutsAreKept();
    void manyFilesLeakNoDescriptor();

private:
    std::unique_ptr<ForkServer> m_server;
};

namespace {

/// A party whose answer to the request after load is the Python expression or statement @p reaction.
QByteArray reacting(const QByteArray& reaction)
{
    return "import json, os, socket, struct\ndef on(request):\n    " + reaction + "\nwire.answer(request, {})";
}

void verifyNonsense(const PartyFailure& failure)
{
    QVERIFY2(failure.kind == PartyFailure::Kind::Nonsense, (failure.type + " / " + failure.message).c_str());
    QVERIFY2(failure.message.starts_with("the process answered with "), failure.message.c_str());
}

} // namespace

void HostilePartyTest::initTestCase()
{
    m_server = std::make_unique<ForkServer>(fakeOptions());
    ASSAY_START_OR_SKIP(*m_server);
}

void HostilePartyTest::aBrokenFrameIsNonsense_data()
{
    QTest::addColumn<QByteArray>("reaction");
    QTest::newRow("length beyond the limit") << QByteArray("wire.sock.sendall(struct.pack('<I', 0xFFFFFFFF))");
    QTest::newRow("no JSON") << QByteArray("wire.send_bytes(b'{')");
    QTest::newRow("empty") << QByteArray("wire.send_bytes(b'')");
    QTest::newRow("no UTF-8") << QByteArray("wire.send_bytes(b'{\"seq\":1,\"ok\":true,\"x\":\"\\xff\"}')");
    QTest::newRow("no object") << QByteArray("wire.send_bytes(b'[1]')");
    QTest::newRow("nested beyond the stack") << QByteArray("wire.send_bytes(b'[' * 1000000 + b']' * 1000000)");
    QTest::newRow("no sequence number") << QByteArray("wire.send_bytes(b'{\"ok\":true}')");
    QTest::newRow("another sequence number") << QByteArray("wire.send_bytes(b'{\"ok\":true,\"seq\":99}')");
    QTest::newRow("sequence number of another type") << QByteArray("wire.send_bytes(b'{\"ok\":true,\"seq\":\"1\"}')");
    QTest::newRow("ok of another type") << QByteArray("wire.answer(request, {'ok': 'yes'})");
    QTest::newRow("a failure without content") << QByteArray("wire.answer(request, {'ok': False})");
    QTest::newRow("a failure of an unknown kind") << QByteArray("wire.answer(request, {'ok': False, 'failure': {'kind': 'died', "
                                                                "'type': '', 'message': '', 'traceback': '', 'where': ''}})");
    QTest::newRow("arena without a file") << QByteArray("wire.answer(request, {'arena_bytes': 64, 'state': []})");
    QTest::newRow("arena shorter than said")
        << QByteArray("wire.answer(request, {'arena_bytes': 64, 'state': []}, [arena(b'1234')])");
    QTest::newRow("negative arena") << QByteArray("wire.answer(request, {'arena_bytes': -1, 'state': []}, [arena(b'1234')])");
    QTest::newRow("arena of another type") << QByteArray(
        "wire.answer(request, {'arena_bytes': 'all', 'state': []}, [arena(b'1234')])");
    QTest::newRow("a pipe as arena") << QByteArray("wire.answer(request, {'arena_bytes': 0, 'state': []}, [os.pipe()[0]])");
    QTest::newRow("a device as arena") << QByteArray(
        "wire.answer(request, {'arena_bytes': 8, 'state': []}, [os.open('/dev/zero', os.O_RDONLY)])");
    QTest::newRow("two files") << QByteArray("wire.answer(request, {'state': []}, [arena(b''), arena(b'')])");
    QTest::newRow("a hundred files") << QByteArray("wire.answer(request, {'state': []}, [arena(b'') for i in range(100)])");
}

void HostilePartyTest::aBrokenFrameIsNonsense()
{
    QFETCH(QByteArray, reaction);
    ProcessCandidate party(*m_server, setupWith(reacting(reaction)));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    contract::Instance like;
    like.init = R"({"tuple":[]})";
    const auto built = party.build(0, like, 1);
    QVERIFY(!built);
    verifyNonsense(built.failure());
}

void HostilePartyTest::aBrokenStateIsNonsense_data()
{
    QTest::addColumn<QByteArray>("fields");
    QTest::newRow("no list") << QByteArray("{}");
    QTest::newRow("element no object") << QByteArray("[1]");
    QTest::newRow("no dtype") << QByteArray("[{'name': 'w', 'shape': [2], 'offset': 0}]");
    QTest::newRow("unknown dtype") << QByteArray("[{'name': 'w', 'dtype': 'float1', 'shape': [2], 'offset': 0}]");
    QTest::newRow("shape no list") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': 2, 'offset': 0}]");
    QTest::newRow("size no integer") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [2.5], 'offset': 0}]");
    QTest::newRow("negative size") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [-2], 'offset': 0}]");
    QTest::newRow("beyond the end") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [5], 'offset': 0}]");
    QTest::newRow("offset beyond the end") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [1], 'offset': 16}]");
    QTest::newRow("negative offset") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [1], 'offset': -4}]");
    QTest::newRow("offset that wraps") << QByteArray(
        "[{'name': 'w', 'dtype': 'float32', 'shape': [1], 'offset': (1 << 63) - 1}]");
    QTest::newRow("size that wraps") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [1 << 62, 4], 'offset': 0}]");
    QTest::newRow("zero beside a size that wraps")
        << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [1 << 62, 1 << 62, 0], 'offset': 0}]");
    QTest::newRow("size beyond 64 bits") << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [1 << 70], 'offset': 0}]");
    QTest::newRow("more dimensions than torch has")
        << QByteArray("[{'name': 'w', 'dtype': 'float32', 'shape': [1] * 65, 'offset': 0}]");
    QTest::newRow("complex without pairs") << QByteArray(
        "[{'name': 'w', 'dtype': 'float32', 'shape': [3], 'offset': 0, 'complex': True}]");
    QTest::newRow("name of another type") << QByteArray("[{'name': 5, 'dtype': 'float32', 'shape': [1], 'offset': 0}]");
}

void HostilePartyTest::aBrokenStateIsNonsense()
{
    QFETCH(QByteArray, fields);
    ProcessCandidate party(
        *m_server,
        setupWith(reacting("wire.answer(request, {'arena_bytes': 16, 'state': " + fields + "}, [arena(b'0123456789abcdef')])")));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    contract::Instance like;
    like.init = R"({"tuple":[]})";
    const auto built = party.build(0, like, 1);
    QVERIFY(!built);
    verifyNonsense(built.failure());
}

void HostilePartyTest::aBrokenInstanceIsNonsense_data()
{
    QTest::addColumn<QByteArray>("change");
    QTest::newRow("tree of no kind") << QByteArray("'init': {'lambda': 1}");
    QTest::newRow("tree of two kinds") << QByteArray("'init': {'list': [], 'tuple': []}");
    QTest::newRow("tree no object") << QByteArray("'init': 5");
    QTest::newRow("tensor without a leaf") << QByteArray("'init': {'tensor': 0}");
    QTest::newRow("leaf numbers out of order") << QByteArray("'inputs': {'tuple': [{'tensor': 1}, {'tensor': 0}]}");
    QTest::newRow("leaf without a tensor") << QByteArray("'inputs': {'tuple': []}");
    QTest::newRow("dictionary of no pairs") << QByteArray("'init': {'dict': [1]}");
    QTest::newRow("value that is a list") << QByteArray("'init': {'value': [1]}");
    QTest::newRow("layout of another rank") << QByteArray(
        "'input_leaves': [{'dtype': 'float32', 'shape': [2, 2], 'offset': 0, 'layout': [1]}]");
    QTest::newRow("negative layout") << QByteArray(
        "'input_leaves': [{'dtype': 'float32', 'shape': [2, 2], 'offset': 0, 'layout': [2, -1]}]");
    QTest::newRow("layout wider than memory")
        << QByteArray("'input_leaves': [{'dtype': 'float32', 'shape': [2, 2], 'offset': 0, 'layout': [1 << 60, 1]}]");
    QTest::newRow("no traits") << QByteArray("'source_traits': None");
    QTest::newRow("state missing") << QByteArray("'state': None");
}

void HostilePartyTest::aBrokenInstanceIsNonsense()
{
    QFETCH(QByteArray, change);
    ProcessReference party(
        *m_server,
        setupWith(
            "traits = {'sorts': False, 'widens': False, 'random': False, 'mutates': False}\n"
            "def on(request):\n"
            "    content = {'arena_bytes': 16, 'init': {'tuple': []}, 'inputs': {'tuple': [{'tensor': 0}]}, 'init_leaves': [],\n"
            "        'input_leaves': [{'dtype': 'float32', 'shape': [2, 2], 'offset': 0, 'layout': [1, 2]}], 'state': [],\n"
            "        'conforming': [], 'outputs_require_grad': False, 'source_traits': traits}\n"
            "    content.update({"
            + change
            + "})\n"
              "    wire.answer(request, content, [arena(bytes(16))])\n"
              "wire.answer(request, {'slots': []})"));
    QVERIFY(!party.start());
    QVERIFY(party.load());
    const auto built = party.build(0, {}, 1);
    QVERIFY(!built);
    verifyNonsense(built.failure());
}

void HostilePartyTest::aBrokenStepIsNonsense_data()
{
    QTest::addColumn<QByteArray>("steps");
    QTest::newRow("none") << QByteArray("None");
    QTest::newRow("too few") << QByteArray("[]");
    QTest::newRow("too many") << QByteArray("[{}, {}]");
    QTest::newRow("no object") << QByteArray("[5]");
    QTest::newRow("failure no object") << QByteArray("[{'failure': 5}]");
    QTest::newRow("calls no list") << QByteArray("[{'calls': {}}]");
    QTest::newRow("call without outputs") << QByteArray("[{'calls': [{}]}]");
    QTest::newRow("more leaves than tree") << QByteArray("[{'calls': [{'outputs': {'none': True}, 'leaves': [leaf]}]}]");
    QTest::newRow("layout of another rank") << QByteArray(
        "[{'calls': [{'outputs': {'tensor': 0}, 'leaves': [dict(leaf, layout=[])]}]}]");
    QTest::newRow("storage of another type")
        << QByteArray("[{'calls': [{'outputs': {'tensor': 0}, 'leaves': [dict(leaf, storage='x')]}]}]");
    QTest::newRow("storage out of range") << QByteArray(
        "[{'calls': [{'outputs': {'tensor': 0}, 'leaves': [dict(leaf, storage=1 << 40)]}]}]");
    QTest::newRow("more bytes than an answer may have")
        << QByteArray("[{'calls': [{'outputs': {'tuple': [{'tensor': i} for i in range(9)]}, 'leaves': [leaf] * 9}]}]");
    QTest::newRow("gradient of another type") << QByteArray("[{'input_grads': [5], 'state_grads': [], 'requires_grad': []}]");
    QTest::newRow("residency of another type")
        << QByteArray("[{'calls': [{'outputs': {'tuple': []}, 'leaves': [], 'residency': {'launches': 'many'}}]}]");
}

void HostilePartyTest::aBrokenStepIsNonsense()
{
    QFETCH(QByteArray, steps);
    runner::PartySetup setup = setupWith(reacting(
        "leaf = {'dtype': 'float32', 'shape': [2], 'offset': 0, 'layout': [1], 'device': 'cpu', 'storage': 0, 'python': False}\n"
        "    wire.answer(request, {'arena_bytes': 8, 'steps': "
        + steps + "}, [arena(b'01234567')])"));
    setup.limits.answerBytes = 64;
    ProcessCandidate party(*m_server, setup);
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    contract::Script script;
    script.steps.resize(1);
    script.steps[0].action = contract::Step::Do::Restore;
    const auto results = party.run(script);
    QVERIFY(!results);
    verifyNonsense(results.failure());
}

namespace {

/// A candidate whose answer to `resources` has one kernel and one extension, with members @p change.
QByteArray withResources(const QByteArray& change)
{
    return "code = {'metadata': '{}', 'ptx': {'offset': 0, 'bytes': 4}, 'cubin': {'offset': 8, 'bytes': 8}, 'error': ''}\n"
           "kernel = dict(code, name='scale', loaded=True, autotuned=False, blackwell=dict(code, error='refused'))\n"
           "made = {'outcome': 'rejected', 'cubin': None, 'log': 'no header'}\n"
           "build = {'name': 'extension', 'library': {'offset': 0, 'bytes': 16}, 'device': [], 'blackwell': [made]}\n"
           "def on(request):\n"
           "    content = {'arena_bytes': 16, 'capability': [9, 0], 'functions': 1, 'kernels': [kernel], 'builds': [build],\n"
           "        'errors': [{'where': 'read', 'name': 'other', 'type': 'ValueError', 'message': 'no metadata\\nat all'}]}\n"
           "    content.update({"
        + change
        + "})\n"
          "    wire.answer(request, content, [arena(b'0123456789abcdef')])\n"
          "wire.answer(request, {})";
}

} // namespace

void HostilePartyTest::brokenResourcesAreNonsense_data()
{
    QTest::addColumn<QByteArray>("change");
    QTest::newRow("kernels no list") << QByteArray("'kernels': {}");
    QTest::newRow("kernel no object") << QByteArray("'kernels': [5]");
    QTest::newRow("too many kernels") << QByteArray("'kernels': [kernel] * 257");
    QTest::newRow("kernel without code") << QByteArray("'kernels': [{'name': 'scale', 'loaded': True, 'autotuned': False}]");
    QTest::newRow("loaded of another type") << QByteArray("'kernels': [dict(kernel, loaded=1)]");
    QTest::newRow("a long name") << QByteArray("'kernels': [dict(kernel, name='x' * 5000)]");
    QTest::newRow("metadata no text") << QByteArray("'kernels': [dict(kernel, metadata={})]");
    QTest::newRow("long metadata") << QByteArray("'kernels': [dict(kernel, metadata='x' * 70000)]");
    QTest::newRow("PTX no place") << QByteArray("'kernels': [dict(kernel, ptx='.version 8.7')]");
    QTest::newRow("PTX beyond the limit") << QByteArray("'kernels': [dict(kernel, ptx={'offset': 0, 'bytes': (4 << 20) + 1})]");
    QTest::newRow("code beyond the arena") << QByteArray("'kernels': [dict(kernel, cubin={'offset': 9, 'bytes': 8})]");
    QTest::newRow("code at a negative place") << QByteArray("'kernels': [dict(kernel, cubin={'offset': -1, 'bytes': 8})]");
    QTest::newRow("code of negative size") << QByteArray("'kernels': [dict(kernel, cubin={'offset': 0, 'bytes': -8})]");
    QTest::newRow("Blackwell of another type") << QByteArray("'kernels': [dict(kernel, blackwell=True)]");
    QTest::newRow("a long refusal") << QByteArray("'kernels': [dict(kernel, error='x' * 40000)]");
    QTest::newRow("too many extensions") << QByteArray("'builds': [build] * 33");
    QTest::newRow("too many sources") << QByteArray("'builds': [dict(build, blackwell=[made] * 17)]");
    QTest::newRow("too many sources for the device") << QByteArray("'builds': [dict(build, device=[made] * 17)]");
    QTest::newRow("an outcome of no kind") << QByteArray("'builds': [dict(build, blackwell=[dict(made, outcome='passed')])]");
    QTest::newRow("capability of three parts") << QByteArray("'capability': [9, 0, 0]");
    QTest::newRow("capability out of range") << QByteArray("'capability': [1 << 40, 0]");
    QTest::newRow("too many errors") << QByteArray("'errors': [{'name': '', 'type': '', 'message': ''}] * 65");
    QTest::newRow("functions no number") << QByteArray("'functions': 'many'");
}

void HostilePartyTest::brokenResourcesAreNonsense()
{
    QFETCH(QByteArray, change);
    ProcessCandidate party(*m_server, setupWith(withResources(change)));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    const auto asked = party.resources(0, true);
    QVERIFY(!asked);
    verifyNonsense(asked.failure());
}

void HostilePartyTest::soundResourcesAreTaken()
{
    ProcessCandidate party(*m_server, setupWith(withResources({})));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    const auto asked = party.resources(0, true);
    QVERIFY2(static_cast<bool>(asked), asked ? "" : asked.failure().message.c_str());
    QCOMPARE(asked->deviceSm, 90);
    QVERIFY(asked->definesKernels);
    QCOMPARE(asked->kernels.size(), std::size_t{1});
    const contract::TritonKernel& kernel = asked->kernels.front();
    QCOMPARE(kernel.own.ptx, std::string("0123"));
    QCOMPARE(kernel.own.cubin.size(), std::size_t{8});
    QVERIFY(kernel.own.cubin.front() == std::byte{'8'});
    QVERIFY(kernel.isLoaded && !kernel.isAutotuned && kernel.hasBlackwell);
    QCOMPARE(kernel.blackwell.error, std::string("refused"));
    QCOMPARE(asked->builds.front().library.size(), std::size_t{16});
    QVERIFY(asked->builds.front().blackwell.front().outcome == contract::CudaCompilation::Outcome::Rejected);
    QCOMPARE(asked->gaps, std::vector<std::string>{"other: ValueError: no metadata"});
}

void HostilePartyTest::aSoundAnswerIsTaken()
{
    ProcessCandidate party(*m_server,
                           setupWith(reacting("leaf = {'dtype': 'float32', 'shape': [2], 'offset': 4, 'layout': [1], 'device': "
                                              "'cpu', 'storage': 3, 'python': False}\n"
                                              "    wire.answer(request, {'arena_bytes': 12, 'steps': [{'calls': [{'outputs': "
                                              "{'dict': [['y', {'tensor': 0}], ['z', {'none': "
                                              "True}]]}, 'leaves': [leaf]}]}]}, [arena(struct.pack('<fff', 1, 2, 3))])")));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    contract::Script script;
    script.steps.resize(1);
    script.steps[0].action = contract::Step::Do::Restore;
    const auto results = party.run(script);
    QVERIFY2(results, results ? "" : results.failure().message.c_str());
    const contract::CallRecord& call = results->at(0).calls.at(0);
    QCOMPARE(call.outputs.size(), std::size_t{2});
    QCOMPARE(call.outputs[0].path, std::string("y"));
    QCOMPARE(call.outputs[0].storage, 3);
    QCOMPARE(call.outputs[0].value.toDoubles(), (std::vector<double>{2, 3}));
    QVERIFY(call.outputs[1].isNone);
    QCOMPARE(call.structure, std::string(R"({"dict":[["y",{"tensor":0}],["z",{"none":1}]]})"));
}

void HostilePartyTest::anArenaThatShrinksIsNonsense()
{
    // The first tensor is large, so the file shrinks while it is read; whatever the race gives, the judge goes on.
    ProcessCandidate party(*m_server,
                           setupWith(reacting("size = 32 << 20\n    fd = arena(bytes(size))\n"
                                              "    wire.answer(request, {'arena_bytes': size, 'state': [{'name': 'w', 'dtype': "
                                              "'uint8', 'shape': [size], 'offset': 0}]}, [fd])\n"
                                              "    os.ftruncate(fd, 0)")));
    QVERIFY(!party.start());
    QVERIFY(!party.load());
    contract::Instance like;
    like.init = R"({"tuple":[]})";
    const auto built = party.build(0, like, 1);
    if (!built)
        verifyNonsense(built.failure());
    else
        QCOMPARE(built->at(0).value.count(), std::int64_t{32} << 20);
}

void HostilePartyTest::layoutsAreKept()
{
    ProcessReference party(
        *m_server,
        setupWith("import struct\ntraits = {'sorts': False, 'widens': False, 'random': False, 'mutates': False}\n"
                  "def on(request):\n"
                  "    wire.answer(request, {'arena_bytes': 16, 'init': {'tuple': []}, 'inputs': {'tuple': [{'tensor': 0}]}, "
                  "'init_leaves': [],\n"
                  "        'input_leaves': [{'dtype': 'float32', 'shape': [2, 2], 'offset': 0, 'layout': [1, 3]}], 'state': [],\n"
                  "        'conforming': [], 'outputs_require_grad': False, 'source_traits': traits},\n"
                  "        [arena(struct.pack('<ffff', 1, 2, 3, 4))])\n"
                  "wire.answer(request, {'slots': []})"));
    QVERIFY(!party.start());
    QVERIFY(party.load());
    const auto built = party.build(0, {}, 1);
    QVERIFY2(built, built ? "" : built.failure().message.c_str());
    QCOMPARE(built->inputLeaves[0].strides(), (std::vector<std::int64_t>{1, 3}));
    QCOMPARE(built->inputLeaves[0].toDoubles(), (std::vector<double>{1, 2, 3, 4}));
}

void HostilePartyTest::manyFilesLeakNoDescriptor()
{
    const auto open = [] {
        return QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System).size();
    };
    const auto before = open();
    for (int i = 0; i < 3; ++i) {
        ProcessCandidate party(*m_server,
                               setupWith(reacting("wire.answer(request, {'state': []}, [arena(b'') for i in range(8)])")));
        QVERIFY(!party.start());
        QVERIFY(!party.load());
        contract::Instance like;
        like.init = R"({"tuple":[]})";
        QVERIFY(!party.build(0, like, 1));
    }
    QCOMPARE(open(), before);
}

QTEST_GUILESS_MAIN(HostilePartyTest)
#include "tst_hostile_party.moc"
