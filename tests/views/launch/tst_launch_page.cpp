// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/launch/launched_window.h"
#include "tests/views/launch/staged_launch.h"

#include "views/launch/error_model.h"
#include "views/launch/plan_view.h"
#include "views/launch/timing_panel.h"
#include "views/shell/cheat_sheet.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QComboBox>
#include <QSignalSpy>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;
using contract::Severity;
using contract::StripCell;
using contract::Verdict;

namespace {

launch::LaunchResult judged(Verdict verdict = Verdict::Pass)
{
    launch::LaunchResult result;
    result.end = launch::LaunchResult::End::Judged;
    result.judgement.verdict = verdict;
    result.seconds = 41;
    for (const Gate gate : contract::kAllGates)
        result.judgement.gates[std::size_t(contract::indexOf(gate))].gate = gate;
    return result;
}

StagedLaunch::Step starts(Gate gate)
{
    return [gate](const launch::LaunchWatch& watch) { watch.gateStarted(gate); };
}

StagedLaunch::Step ends(const contract::GateResult& result)
{
    return [result](const launch::LaunchWatch& watch) { watch.gateFinished(result); };
}

} // namespace

/// The launch place in the real window, by keys and clicks, with runs whose steps the test allows.
class LaunchPageTest final : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<LaunchedWindow> m_place;
    std::unique_ptr<StagedLaunch> m_launch;

    void open(bool hasDatabase = true, const QString& session = {})
    {
        m_place->open(hasDatabase, session);
        m_place->page().launchWith(m_launch->function());
    }
    bool isRunning() const { return m_place->page().isRunning(); }

private Q_SLOTS:
    void init()
    {
        m_place = std::make_unique<LaunchedWindow>();
        m_launch = std::make_unique<StagedLaunch>();
        m_place->make();
    }
    void cleanup()
    {
        m_place.reset();
        m_launch.reset();
    }

    void tilesLightWhileItRuns()
    {
        m_launch->plan({[](const launch::LaunchWatch& watch) {
                            watch.measured({{"dq", 2e-7, 1e-6, true}});
                        },
                        [](const launch::LaunchWatch& watch) {
                            launch::LaunchTiming timing;
                            timing.device = "cpu";
                            timing.kernel = "chunks of 64, fp32";
                            timing.backwardMilliseconds = 12.5;
                            timing.floorSource = "no floor is known of this CPU";
                            timing.samples = 20;
                            watch.timed(timing);
                        },
                        starts(Gate::Cmp01), ends(gateOf(Gate::Cmp01)), starts(Gate::Cmp02),
                        ends(gateOf(Gate::Cmp02, Verdict::Fail, Severity::Hard)),
                        ends(gateOf(Gate::Cmp03, Verdict::Inapplicable)), ends(gateOf(Gate::Exc01, Verdict::NotExercised))},
                       judged(Verdict::Fail));
        open(false);
        const QAbstractItemModelTester tiles(&m_place->tiles(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester errors(m_place->window().findChild<ErrorModel*>(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(isRunning());
        QVERIFY(!m_place->find<QPushButton>(u"launch.run"_s).isEnabled());
        QVERIFY(m_place->find<QPushButton>(u"launch.stop"_s).isEnabled());
        m_launch->next();
        QTRY_COMPARE(m_place->window().findChild<ErrorModel*>()->rowCount(), 1);
        m_launch->next();
        QTRY_COMPARE(m_place->find<TimingPanel>(u"launch.timing"_s).rows().size(), std::size_t{1});
        QVERIFY(m_place->text(u"timingRemark"_s).contains(u"no floor is known of this CPU"_s));
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp01), StripCell::Running);
        QCOMPARE(m_place->tile(Gate::Cmp02), StripCell::Absent);
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp01), StripCell::Pass);
        QCOMPARE(m_place->text(u"outcome"_s), u"1 of 12 gates, 12 checks so far"_s);
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp02), StripCell::Running);
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp02), StripCell::FailHard);
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp03), StripCell::Inapplicable);
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Exc01), StripCell::NotExercised);
        m_launch->next();
        QTRY_VERIFY(!isRunning());
        m_place->press(Qt::Key_Right); // to the gate that fails
        QCOMPARE(m_place->text(u"finding"_s), u"CMP-02: dk differs from the reference at 3 of 4,096 elements"_s);
        QVERIFY(!m_place->find<QPushButton>(u"launch.show"_s).isEnabled()); // nothing was kept
        QVERIFY(m_launch->request().dbPath.empty());
    }

    void aLineThatIsWrongGetsTheKeyboardInsteadOfARun()
    {
        open();
        m_place->press(Qt::Key_F);
        m_place->type(u"heads"_s, u"two"_s);
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(!isRunning());
        auto& heads = m_place->find<QLineEdit>(u"launch.heads"_s);
        QVERIFY(heads.hasFocus());
        QVERIFY(m_place->find<QLabel>(u"launch.problem.launch.heads"_s).isVisible());
        m_launch->plan({}, judged());
        QTest::keyClicks(&heads, u"2"_s); // over what was marked
        m_place->press(Qt::Key_Return);   // Enter in a line of the form runs
        QVERIFY(isRunning());
        m_launch->finish();
        QTRY_VERIFY(!isRunning());
        QCOMPARE(m_launch->request().shape.heads, 2);
        QCOMPARE(m_launch->request().dbPath, toFilesystemPath(m_place->database()));
    }

    void aHelperThatDiesIsNeverTheOperatorsFault()
    {
        launch::LaunchResult result;
        result.end = launch::LaunchResult::End::CouldNotRun;
        result.reason = "the worker ended: signal 9";
        result.remedy = "Run it again";
        m_launch->plan({ends(gateOf(Gate::Cmp01)), starts(Gate::Cmp02)}, result);
        open();
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        m_launch->finish();
        QTRY_VERIFY(!isRunning());
        QCOMPARE(m_place->text(u"outcome"_s), u"Could not run: the worker ended: signal 9. Run it again."_s);
        QCOMPARE(m_place->tile(Gate::Cmp01), StripCell::Pass);
        QCOMPARE(m_place->tile(Gate::Cmp02), StripCell::Error);
        QCOMPARE(m_place->tile(Gate::Res02), StripCell::Absent);
        QVERIFY(m_place->log().contains(u"signal 9"_s));
    }

    void stopEndsTheRunAndKeepsNothing_data()
    {
        QTest::addColumn<bool>("byKey");
        QTest::newRow("Ctrl+.") << true;
        QTest::newRow("button") << false;
    }

    void stopEndsTheRunAndKeepsNothing()
    {
        QFETCH(bool, byKey);
        m_launch->plan({ends(gateOf(Gate::Cmp01)), starts(Gate::Cmp02), starts(Gate::Cmp03)}, judged());
        open();
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        m_launch->next();
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp02), StripCell::Running);
        if (byKey)
            m_place->press(Qt::Key_Period, Qt::ControlModifier);
        else
            QTest::mouseClick(&m_place->find<QPushButton>(u"launch.stop"_s), Qt::LeftButton);
        QTRY_VERIFY(!isRunning());
        QCOMPARE(m_place->text(u"outcome"_s), u"Stopped after 1 of 12 gates; nothing is kept."_s);
        QCOMPARE(m_place->tiles().index(1).data(GateTileModel::StateRole).toString(), u"stopped"_s);
        QVERIFY(m_place->find<QPushButton>(u"launch.run"_s).isEnabled());
    }

    void aWindowThatClosesStopsTheRun()
    {
        m_launch->plan({starts(Gate::Cmp01), starts(Gate::Cmp02)}, judged());
        open();
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        m_launch->next();
        QTRY_COMPARE(m_place->tile(Gate::Cmp01), StripCell::Running);
        m_place->close(); // waits for the job, which only ends because it was asked to
    }

    void theResultIsARowAndEnterAndDLeadToIt()
    {
        const auto file = store::Database::open(m_place->database().toStdString(), store::OpenMode::ReadWrite);
        tests::import(*file, {tests::resultRow("other", tests::verdict()), tests::resultRow("gdn2 1x128", tests::verdict())},
                      "launched");
        launch::LaunchResult result = judged();
        result.kernelId = tests::number(*file, "SELECT id FROM kernel WHERE external_id = 'gdn2 1x128'");
        result.verdictId = tests::number(*file, "SELECT id FROM verdict WHERE kernel_id = " + std::to_string(*result.kernelId));
        m_launch->plan({}, result);
        open();
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        m_launch->finish();
        QTRY_VERIFY(!isRunning());
        QTRY_VERIFY(m_place->window().isSettled());
        m_place->press(Qt::Key_Return);
        Selection& selection = m_place->window().context().selection;
        QTRY_COMPARE(selection.spot().place, u"kernels"_s);
        QCOMPARE(selection.kernelId(), *result.kernelId);
        QCOMPARE(selection.gate(), std::optional(Gate::Cmp01));
        selection.back();
        QTRY_COMPARE(selection.spot().place, u"launch"_s);
        m_place->press(Qt::Key_D);
        QTRY_COMPARE(selection.spot().place, u"kernels"_s);
        QTRY_COMPARE(m_place->window().findChild<MessageBar*>()->text(),
                     u"No check of this run kept outputs: only those that fail do."_s);
    }

    void anotherDatabaseHasOtherRows()
    {
        launch::LaunchResult result = judged();
        result.kernelId = result.verdictId = 1;
        m_launch->plan({}, result);
        open();
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        m_launch->finish();
        QTRY_VERIFY(!isRunning());
        QVERIFY(m_place->find<QPushButton>(u"launch.show"_s).isEnabled());
        const QString other = m_place->path(u"other.db"_s);
        store::Database::open(other.toStdString(), store::OpenMode::ReadWriteCreate);
        m_place->window().openDatabase(other);
        QTRY_VERIFY(m_place->window().isSettled());
        QVERIFY(!m_place->find<QPushButton>(u"launch.show"_s).isEnabled());
        QCOMPARE(m_place->text(u"title"_s), u"No run yet"_s);
        // A run that was begun for one database offers nothing in another.
        m_launch->plan({starts(Gate::Cmp01)}, result);
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(isRunning());
        m_place->window().openDatabase(m_place->database());
        m_launch->finish();
        QTRY_VERIFY(!isRunning());
        QVERIFY(!m_place->find<QPushButton>(u"launch.show"_s).isEnabled());
    }

    void lettersTurnTheTabs()
    {
        open(false);
        auto& tabs = m_place->find<QTabWidget>(u"launch.tabs"_s);
        m_place->press(Qt::Key_L);
        QCOMPARE(tabs.tabText(tabs.currentIndex()), u"Log"_s);
        m_place->press(Qt::Key_E);
        QCOMPARE(tabs.tabText(tabs.currentIndex()), u"Errors and times"_s);
        m_place->press(Qt::Key_P);
        QCOMPARE(tabs.tabText(tabs.currentIndex()), u"Plan"_s);
        QVERIFY(m_place->find<PlanView>(u"launch.plan"_s).figure());
    }

    void thePlanFollowsTheSizesAndGoesIntoAFile()
    {
        open();
        m_place->type(u"keys"_s, u"128"_s);
        m_place->type(u"values"_s, u"128"_s);
        QTRY_VERIFY(m_place->window().isSettled());
        const auto& figure = m_place->find<PlanView>(u"launch.plan"_s).figure();
        QCOMPARE(figure->keys, 128);
        QCOMPARE(figure->values, 128);
        m_place->press(Qt::Key_E, Qt::ControlModifier);
        auto& line = m_place->find<QLineEdit>(u"promptField0"_s);
        QTRY_VERIFY(line.hasFocus());
        line.selectAll();
        QTest::keyClicks(&line, m_place->path(u"plan.svg"_s));
        QTest::keyClick(&line, Qt::Key_Return);
        QVERIFY(QFile::exists(m_place->path(u"plan.svg"_s)));
        QVERIFY(QFile::exists(m_place->path(u"plan.csv"_s)));
    }

    void theFormComesBackWithTheNextStart()
    {
        const QString session = m_place->path(u"session.json"_s);
        open(true, session);
        m_place->find<QComboBox>(u"launch.family"_s).setCurrentIndex(1);
        m_place->type(u"tokens"_s, u"193"_s);
        m_place->window().close();
        m_place->close();
        open(true, session);
        QCOMPARE(m_place->page().settings().family, u"kda"_s);
        QCOMPARE(m_place->page().settings().tokens, u"193"_s);
    }

    void aLaunchThatTheDatabaseRemembersIsShown()
    {
        const auto file = store::Database::open(m_place->database().toStdString(), store::OpenMode::ReadWrite);
        store::GateRecord failing = tests::gate(Gate::Ord01, Verdict::Fail, Severity::Soft, "bound", tensor::measured(14));
        failing.threshold = tensor::measured(1);
        failing.exercised = failing.total = 9;
        tests::import(*file, {tests::resultRow("1", tests::verdict({failing}))}, "launched");
        file->sqlite().exec(
            "INSERT INTO gdn_run (verdict_id, family, shape, dtype, device, errors, created_at) VALUES (1, 'gdn2', "
            "'[1,64,2,64,64]', 'float32', 'cpu', '{\"errors\":{\"dq\":1e-7},\"tolerance\":{\"dq\":1e-6}}', "
            "'2026-12-01T12:00:00Z')");
        open();
        QTRY_COMPARE(m_place->tile(Gate::Ord01), StripCell::FailSoft);
        QCOMPARE(m_place->tiles().index(contract::indexOf(Gate::Ord01)).data(GateTileModel::NumberRole).toString(), u"14 of 1"_s);
        QVERIFY(m_place->text(u"outcome"_s).endsWith(u"Run on 2026-12-01."_s));
        QVERIFY2(m_place->text(u"title"_s).contains(u"T 64"_s), qPrintable(m_place->text(u"title"_s)));
        QVERIFY(m_place->find<QPushButton>(u"launch.show"_s).isEnabled());
        // A run of this window takes its place at once.
        m_launch->plan({}, judged());
        m_place->press(Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(m_place->tile(Gate::Ord01), StripCell::Absent);
        m_launch->finish();
        QTRY_VERIFY(!isRunning());
    }

    void everyKeyIsOnTheCheatSheet()
    {
        open(false);
        m_place->press(Qt::Key_F1);
        auto* sheet = m_place->window().findChild<CheatSheet*>();
        QVERIFY(sheet->isVisible());
        QStringList texts;
        for (const QLabel* label : sheet->findChildren<QLabel*>())
            texts << label->text();
        for (const QAction* action : m_place->page().keyActions())
            QVERIFY2(texts.contains(action->text()), qPrintable(action->text()));
    }
};

QTEST_MAIN(LaunchPageTest)
#include "tst_launch_page.moc"
