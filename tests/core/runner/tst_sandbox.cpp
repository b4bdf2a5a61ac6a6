// SPDX-License-Identifier: Apache-2.0
#include "tests/core/runner/party_fixture.h"

#include <QDir>
#include <QTemporaryDir>

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

using namespace assay;
using namespace assay::tests;
using contract::PartyFailure;
using runner::ForkServer;
using runner::ProcessCandidate;

/// Attacks from a real confined process. Each row says what the attack must come to.
class SandboxTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void anAttackFails_data();
    void anAttackFails();
    void privateFoldersCanBeWritten_data();
    void privateFoldersCanBeWritten();
    void anotherPartyCannotBeSeenOrRead();
    void aForkBombIsBounded();
    void memoryIsBounded();
    void whatLeavesTheSessionDiesWithTheParty();
    void aKilledJudgeTakesItsPartiesAlong();
    void theEnvironmentIsScrubbed();
    void withoutBubblewrapNothingRuns();
    void theUnsafeWayIsNamed();

private:
    std::string attack(const QByteArray& source);

    std::unique_ptr<ForkServer> m_server;
};

namespace {

/// Processes of this machine whose command line holds @p mark.
int processesWith(const QByteArray& mark)
{
    int count = 0;
    for (const QString& name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(name));
        if (file.open(QIODevice::ReadOnly) && file.readAll().contains(mark))
            ++count;
    }
    return count;
}

/// A source that leaves its session, becomes another program whose command line holds @p mark, and says so.
QByteArray escaping(const QByteArray& mark)
{
    return "import os, sys, time\n"
           "if os.fork() == 0:\n"
           "    os.setsid()\n"
           "    if os.fork(): os._exit(0)\n"
           "    os.execv(sys.executable, [sys.executable, '-c', 'import time\\nwhile True: time.sleep(1)', '"
        + mark
        + "'])\n"
          "def seen():\n"
          "    for name in os.listdir('/proc'):\n"
          "        try:\n"
          "            if name.isdigit() and '"
        + mark
        + "' in open('/proc/%s/cmdline' % name).read(): return True\n"
          "        except OSError: pass\n"
          "while not seen(): time.sleep(0.01)\n"
          "result = 'escaped'";
}

} // namespace

void SandboxTest::initTestCase()
{
    m_server = std::make_unique<ForkServer>(fakeOptions("attack_party"));
    qputenv("ASSAY_TEST_SECRET", "secret");
    ASSAY_START_OR_SKIP(*m_server);
}

/// What @p source left in `result`, or its exception.
std::string SandboxTest::attack(const QByteArray& source)
{
    ProcessCandidate party(*m_server, setupWith(source));
    if (auto failure = party.start())
        return "start: " + failure->message;
    const auto failure = party.load();
    return failure ? failure->message : "no answer";
}

void SandboxTest::anAttackFails_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QByteArray>("outcome");
    const auto row = [](const char* name, const char* source, const char* outcome) {
        QTest::newRow(name) << QByteArray(source) << QByteArray(outcome);
    };
    const QByteArray call = "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
                            "def call(name, *a):\n    r = getattr(libc, name)(*a)\n    return 'error %d' % ctypes.get_errno() if "
                            "r < 0 else 'done'\n";
    row("an internet socket", "import socket\nsocket.socket(socket.AF_INET)",
        "OSError: [Errno 97] Address family not supported by protocol");
    row("a netlink socket", "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "OSError: [Errno 97] Address family not supported by protocol");
    row("connecting to a socket file", "import socket\nsocket.socket(socket.AF_UNIX).connect('/x')",
        "PermissionError: [Errno 1] Operation not permitted");
    row("a network interface", "import os\nresult = os.listdir('/sys/class/net') and open('/proc/net/dev').read().count(':')",
        "1");
    row("writing to /usr", "open('/usr/x', 'w')", "OSError: [Errno 30] Read-only file system: '/usr/x'");
    row("writing to /etc", "open('/etc/x', 'w')", "OSError: [Errno 30] Read-only file system: '/etc/x'");
    row("writing to /dev", "open('/dev/x', 'w')", "OSError: [Errno 30] Read-only file system: '/dev/x'");
    row("seeing homes", "import os\nresult = os.listdir('/root')", "[]");
    QTest::newRow("tracing") << call + "result = call('ptrace', 16, os.getppid(), 0, 0)" << QByteArray("error 1");
    QTest::newRow("mounting") << call + "result = call('mount', b'none', b'/tmp', b'tmpfs', 0, 0)" << QByteArray("error 1");
    QTest::newRow("new namespaces") << call + "result = call('unshare', 0x10000000)" << QByteArray("error 1");
    QTest::newRow("clone with a user namespace")
        << call + "result = call('syscall', 56, 0x10000000 | 17, 0, 0, 0, 0)" << QByteArray("error 1");
    QTest::newRow("clone3") << call + "result = call('syscall', 435, 0, 0)" << QByteArray("error 38");
    QTest::newRow("io_uring") << call + "result = call('syscall', 425, 1, 0)" << QByteArray("error 1");
    QTest::newRow("bpf") << call + "result = call('syscall', 321, 0, 0, 0)" << QByteArray("error 1");
    QTest::newRow("keyrings") << call + "result = call('syscall', 250, 0, 0)" << QByteArray("error 1");
    QTest::newRow("performance counters") << call + "result = call('syscall', 298, 0, 0, -1, -1, 0)" << QByteArray("error 1");
    QTest::newRow("userfaultfd") << call + "result = call('syscall', 323, 0)" << QByteArray("error 1");
    QTest::newRow("becoming root") << call + "result = call('setuid', 0)" << QByteArray("error 22");
    row("raising a limit", "import resource\nresource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))",
        "ValueError: not allowed to raise maximum limit");
    row("capabilities",
        "result = [l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapPrm', 'CapBnd'))]",
        "['0000000000000000', '0000000000000000', '0000000000000000']");
    row("no new privileges",
        "result = [l.split()[1] for l in open('/proc/self/status') if l.startswith(('NoNewPrivs', 'Seccomp:'))]", "['1', '2']");
    row("killing the first process", "import os, signal\nos.kill(1, signal.SIGKILL)\nresult = 'alive'", "alive");
    row("reading the first process", "open('/proc/1/mem', 'rb')", "PermissionError: [Errno 13] Permission denied: '/proc/1/mem'");
    row("a file larger than allowed",
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nimport os\nos.ftruncate(os.memfd_create('x'), 1 << 40)",
        "OSError: [Errno 27] File too large");
    row("filling the private folder", "f = open('x', 'wb')\nfor i in range(64): f.write(bytes(1 << 20))",
        "OSError: [Errno 28] No space left on device");
    row("sockets and files of the judge", "import os\nresult = sorted(int(n) for n in os.listdir('/proc/self/fd'))[:4]",
        "[0, 1, 2, 3]");
}

void SandboxTest::anAttackFails()
{
    QFETCH(QByteArray, source);
    QFETCH(QByteArray, outcome);
    QCOMPARE(QByteArray::fromStdString(attack(source)), outcome);
}

void SandboxTest::privateFoldersCanBeWritten_data()
{
    QTest::addColumn<QByteArray>("name");
    for (const char* name : {"HOME", "TMPDIR", "TRITON_CACHE_DIR", "TORCH_EXTENSIONS_DIR", "XDG_CACHE_HOME", "CUDA_CACHE_PATH"})
        QTest::newRow(name) << QByteArray(name);
}

void SandboxTest::privateFoldersCanBeWritten()
{
    QFETCH(QByteArray, name);
    const QByteArray source = "import os\npath = os.path.join(os.environ['" + name
        + "'], 'x')\nresult = os.path.exists(path)\nopen(path, 'w').write('mine')\nresult = (result, open(path).read())";
    QCOMPARE(attack(source), std::string("(False, 'mine')"));
    QCOMPARE(attack(source), std::string("(False, 'mine')")); // nothing is left of the party before
}

void SandboxTest::anotherPartyCannotBeSeenOrRead()
{
    ProcessCandidate victim(*m_server, setupWith("secret = 'x' * 100"));
    QVERIFY(!victim.start());
    // Two processes: the first of the namespace and the party itself.
    QCOMPARE(attack("import os\nresult = sorted(int(n) for n in os.listdir('/proc') if n.isdigit())"), std::string("[1, 2]"));
    const std::string found
        = attack("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nresult = []\n"
                 "for pid in range(3, 400):\n    try: os.kill(pid, 0); result.append(pid)\n    except ProcessLookupError: pass");
    QCOMPARE(found, std::string("[]"));
}

void SandboxTest::aForkBombIsBounded()
{
    const std::string result = attack("import os, time\ncount = 0\n"
                                      "try:\n    while True:\n        if os.fork() == 0: time.sleep(1000)\n        count += 1\n"
                                      "except BlockingIOError: result = 0 < count < 64\n");
    if (::geteuid() != 0 || m_server->isolation().empty())
        QCOMPARE(result, std::string("True"));
}

void SandboxTest::memoryIsBounded()
{
    QCOMPARE(attack("blocks = []\ntry:\n    while len(blocks) < 4096: blocks.append(bytearray(1 << 20))\n"
                    "    result = 'unbounded'\nexcept MemoryError:\n    blocks.clear(); result = 'bounded'"),
             std::string("bounded"));
}

void SandboxTest::whatLeavesTheSessionDiesWithTheParty()
{
    const QByteArray mark = "assay-escape-" + QByteArray::number(QCoreApplication::applicationPid());
    {
        ProcessCandidate party(*m_server, setupWith(escaping(mark)));
        QVERIFY(!party.start());
        QCOMPARE(party.load()->message, std::string("escaped"));
        QCOMPARE(processesWith(mark), 1);
    }
    QCOMPARE(processesWith(mark), 0);
}

void SandboxTest::aKilledJudgeTakesItsPartiesAlong()
{
    const QByteArray mark = "assay-orphan-" + QByteArray::number(QCoreApplication::applicationPid());
    const pid_t judge = ::fork();
    if (judge == 0) {
        ForkServer server(fakeOptions("attack_party"));
        server.start();
        ProcessCandidate party(server, setupWith(escaping(mark)));
        party.start();
        party.load();
        ::raise(SIGSTOP); // until the test has seen the escaped process
        ::_exit(1);
    }
    int status = 0;
    QCOMPARE(::waitpid(judge, &status, WUNTRACED), judge);
    QVERIFY(WIFSTOPPED(status));
    QCOMPARE(processesWith(mark), 1);
    ::kill(judge, SIGKILL);
    QCOMPARE(::waitpid(judge, &status, 0), judge);
    QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), 0, 30000);
}

void SandboxTest::theEnvironmentIsScrubbed()
{
    QCOMPARE(attack("import os\nresult = [n for n in os.environ if 'SECRET' in n]"), std::string("[]"));
}

void SandboxTest::withoutBubblewrapNothingRuns()
{
    const QByteArray path = qgetenv("PATH");
    const QTemporaryDir empty;
    qputenv("PATH", empty.path().toUtf8());
    ForkServer server(fakeOptions());
    QString refusal;
    try {
        server.start();
    } catch (const Error& error) {
        refusal = QString::fromUtf8(error.what());
    }
    qputenv("PATH", path);
    QVERIFY2(refusal.startsWith(QStringLiteral("no sandbox: bwrap not found")), qPrintable(refusal));
    QVERIFY(refusal.contains(QStringLiteral("apt install bubblewrap")));
}

void SandboxTest::theUnsafeWayIsNamed()
{
    runner::ForkServerOptions options = fakeOptions("attack_party");
    options.sandbox = false;
    ForkServer server(options);
    server.start();
    QVERIFY(server.isolation().at(0).starts_with("no sandbox, as demanded"));
    ProcessCandidate party(server, setupWith("import os\nresult = os.path.isdir(os.environ['HOME'])"));
    QVERIFY(!party.start());
    QCOMPARE(party.load()->message, std::string("True"));
}

QTEST_GUILESS_MAIN(SandboxTest)
#include "tst_sandbox.moc"
