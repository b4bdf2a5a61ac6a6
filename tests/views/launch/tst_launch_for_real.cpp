// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/launch/launched_window.h"

#include "core/text/json.h"
#include "views/launch/error_model.h"
#include "views/launch/timing_panel.h"

#include <QDir>
#include <QFile>
#include <QProcess>

#include <csignal>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;
using contract::StripCell;

namespace {

const QString kPython = QStringLiteral("/usr/bin/python3");

/// Three gates of a real run: what the twelve take together is no matter of the window.
launch::LaunchResult threeGates(launch::LaunchRequest request, const launch::LaunchWatch& watch, std::stop_token stop)
{
    request.gates = {"CMP-01", "ORD-02", "RES-02"};
    return launch::launch(request, watch, std::move(stop));
}

/// Processes of which this one is an ancestor, by what their command line holds.
std::vector<pid_t> descendants(const QByteArray& holds)
{
    std::map<pid_t, pid_t> parents;
    std::vector<pid_t> named;
    for (const QString& name : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        const auto id = static_cast<pid_t>(name.toInt());
        QFile status(u"/proc/%1/stat"_s.arg(id));
        QFile command(u"/proc/%1/cmdline"_s.arg(id));
        if (id == 0 || !status.open(QIODevice::ReadOnly) || !command.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = status.readAll();
        parents[id] = static_cast<pid_t>(text.mid(text.lastIndexOf(')') + 4).split(' ').value(0).toInt());
        if (command.readAll().replace('\0', ' ').contains(holds))
            named.push_back(id);
    }
    std::erase_if(named, [&parents](pid_t id) {
        for (; id > 1; id = parents[id]) {
            if (parents[id] == getpid())
                return false;
        }
        return true;
    });
    return named;
}

} // namespace

/// The launch place with the operator, the worker and the gates as they are, on the CPU.
class LaunchForRealTest final : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<LaunchedWindow> m_place;

    void open()
    {
        m_place->make();
        m_place->open();
        m_place->page().setPython(kPython);
        m_place->page().launchWith(threeGates);
        for (const auto& [line, size] : {std::pair(u"tokens"_s, u"64"_s), {u"keys"_s, u"16"_s}, {u"values"_s, u"16"_s}})
            m_place->type(line, size);
        QTRY_VERIFY(m_place->window().isSettled());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QProcess probe;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"PYTHONPATH"_s, QStringLiteral(ASSAY_BINARY_DIR "/worker"));
        probe.setProcessEnvironment(environment);
        probe.start(kPython, {u"-c"_s, u"import torch, assay_worker._judge"_s});
        if (!probe.waitForFinished(120000) || probe.exitStatus() != QProcess::NormalExit || probe.exitCode() != 0)
            QSKIP("/usr/bin/python3 has no torch, or cannot load the judge");
        QProcess sandbox;
        sandbox.start(u"bwrap"_s, {u"--ro-bind"_s, u"/"_s, u"/"_s, u"--unshare-all"_s, u"true"_s});
        if (!sandbox.waitForFinished(30000) || sandbox.exitCode() != 0)
            QSKIP("there is no sandbox: bubblewrap is missing or may not make namespaces");
    }
    void init() { m_place = std::make_unique<LaunchedWindow>(); }
    void cleanup() { m_place.reset(); }

    void tilesLightOneByOneAndTheResultIsARow()
    {
        open();
        QList<int> doneWhen;
        connect(&m_place->tiles(), &QAbstractItemModel::dataChanged, this, [&] {
            const int done = m_place->tiles().done();
            if (doneWhen.isEmpty() || doneWhen.last() != done)
                doneWhen << done;
        });
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(m_place->page().isRunning());
        QTRY_VERIFY_WITH_TIMEOUT(!m_place->page().isRunning(), 400000);
        QVERIFY2(m_place->text(u"outcome"_s).startsWith(u"Passes every gate that applies"_s),
                 qPrintable(m_place->text(u"outcome"_s) + u'\n' + m_place->log()));
        QCOMPARE(doneWhen, (QList<int>{0, 1, 2, 3}));
        QCOMPARE(m_place->tile(Gate::Cmp01), StripCell::Pass);
        QCOMPARE(m_place->tile(Gate::Ord02), StripCell::Pass);
        QCOMPARE(m_place->tile(Gate::Res02), StripCell::Inapplicable); // no GPU resources on a CPU
        auto* errors = m_place->window().findChild<ErrorModel*>();
        QVERIFY(errors->rowCount() >= 8);
        for (int row = 0; row < errors->rowCount(); ++row)
            QCOMPARE(errors->index(row, 0).data(ErrorModel::CellRole).toInt(), int(StripCell::Pass));
        QCOMPARE(m_place->find<TimingPanel>(u"launch.timing"_s).rows().size(), std::size_t{1});
        QTRY_VERIFY(m_place->window().isSettled());
        QCOMPARE(m_place->stored("SELECT count(*) FROM gdn_run"), 1);
        m_place->press(Qt::Key_Return);
        Selection& selection = m_place->window().context().selection;
        QTRY_COMPARE(selection.spot().place, u"kernels"_s);
        QCOMPARE(selection.kernelId(), m_place->stored("SELECT kernel_id FROM verdict"));
    }

    void aWorkerThatIsKilledCouldNotRun()
    {
        open();
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        std::vector<pid_t> workers;
        QTRY_VERIFY_WITH_TIMEOUT(m_place->tile(Gate::Cmp01) == StripCell::Running || !m_place->page().isRunning(), 400000);
        workers = descendants("assay_worker");
        QVERIFY(!workers.empty());
        kill(workers.front(), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(!m_place->page().isRunning(), 60000);
        QVERIFY2(m_place->text(u"outcome"_s).startsWith(u"Could not run: "_s), qPrintable(m_place->text(u"outcome"_s)));
        QCOMPARE(m_place->tile(Gate::Cmp01), StripCell::Error);
        QCOMPARE(m_place->stored("SELECT count(*) FROM gdn_run"), 0);
    }

    void aGpuThatIsNotThereCouldNotRun()
    {
        QProcess driver;
        driver.start(u"nvidia-smi"_s, {});
        if (driver.waitForFinished(30000) && driver.exitCode() == 0)
            QSKIP("this machine has a GPU");
        open();
        m_place->find<QWidget>(u"launch.deviceChoice"_s).setFocus();
        m_place->press(Qt::Key_Down); // CPU, then the GPU that was not found
        QVERIFY(m_place->page().settings().device == u"cuda:0"_s);
        m_place->type(u"keys"_s, u"64"_s);
        m_place->type(u"values"_s, u"64"_s);
        LaunchSettings settings = m_place->page().settings();
        settings.dtype = u"bfloat16"_s;
        m_place->page().setSettings(settings);
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!m_place->page().isRunning(), 240000);
        QVERIFY2(m_place->text(u"outcome"_s).startsWith(u"Could not run: "_s), qPrintable(m_place->text(u"outcome"_s)));
        for (const Gate gate : contract::kAllGates)
            QVERIFY(!contract::isFailing(m_place->tile(gate)));
    }
};

QTEST_MAIN(LaunchForRealTest)
#include "tst_launch_for_real.moc"
