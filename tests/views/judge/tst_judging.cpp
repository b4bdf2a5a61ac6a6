// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/judge/judged_window.h"

#include "core/contract/contract.h"
#include "views/shell/cheat_sheet.h"
#include "views/shell/job_bar.h"
#include "views/shell/machine_panel.h"
#include "views/state/filter_stack.h"
#include "views/state/judging.h"

#include <QAction>
#include <QProcess>
#include <QScrollBar>

#include <csignal>

using namespace assay;
using namespace assay::tests;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::Gate;
using contract::StripCell;

namespace {

const QString kWorker = QStringLiteral(ASSAY_SOURCE_DIR "/tests/support/fake_worker.py");

/// The fake worker answers under the contract as it was asked, so it is asked with a whole one.
QString wholeContract()
{
    return QString::fromStdString(contract::canonicalText(*contract::profile("strict")));
}

void touch(const QString& path)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
}

} // namespace

/// A person who judges kernels from the window, with tests/support/fake_worker.py as the worker.
class JudgingTest final : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<JudgedWindow> m_judged;

    JudgedWindow& judged() { return *m_judged; }
    /// Sources of one length, so that they are judged in this order.
    void fill(const std::vector<std::string>& candidates)
    {
        const std::size_t length = std::ranges::max(candidates, {}, &std::string::size).size();
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const std::string& candidate : candidates)
            pairs.emplace_back(candidate + std::string(length - candidate.size(), ' '),
                               "reference " + std::to_string(pairs.size()));
        judged().fill(pairs);
    }
    void openWithWorker()
    {
        judged().open();
        judged().chooseSettings(wholeContract(), kWorker);
    }
    void waitForTheEnd() { QTRY_VERIFY_WITH_TIMEOUT(judged().window().isSettled(), 60000); }
    QAction& resumeAction() { return *judged().window().findChild<QAction*>(u"judge.resume"_s); }

private Q_SLOTS:
    void init() { m_judged = std::make_unique<JudgedWindow>(); }
    void cleanup() { m_judged.reset(); }

    void fFiveJudgesTheSelectedKernelAndShowsItsVerdict();
    void fFiveOnceMoreReplacesTheVerdict();
    void theStripFillsGateByGateWhileOthersWait();
    void cancelKeepsWhatIsJudgedAndTheRestGoesOn();
    void cancelBeforeTheFirstVerdictKeepsNothing();
    void anAuditThatWasKilledIsOfferedAndGoesOn();
    void anUnfinishedAuditCanBeLeftAsItIs();
    void aFilteredListIsAnAuditOfItsOwn();
    void selectionAndScrollPositionStayWhileVerdictsCome();
    void theWayBackToTheAuditBeforeIsOneClick();
    void aMissingPythonIsSaidWithTheWayOut();
    void aMachineThatCannotJudgeSaysWhatItLacks();
    void aReadOnlyDatabaseIsNotJudgedInto();
    void kernelsWithoutSourcesAreSaid();
    void withoutAKernelFFiveAsksForOne();
    void settingsThatMakeNoSenseAreNotKept();
    void settingsAreRemembered();
    void thePanelOfTheMachineNamesTheRemedy();
    void theKeysAreOnTheSheet();
};

void JudgingTest::fFiveJudgesTheSelectedKernelAndShowsItsVerdict()
{
    fill({"pass 1", "fail 2", "pass 3"});
    openWithWorker();
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5);
    waitForTheEnd();
    QTRY_COMPARE(judged().finding(), u"The second is wrong."_s);
    QVERIFY(!judged().shownAudit().isEmpty());
    QCOMPARE(judged().rows(), 1);
    QCOMPARE(judged().gate(0, Gate::Cmp01), StripCell::FailHard);
    QVERIFY2(judged().message().startsWith(u"Judged 1 kernel: 1 fail, in "_s), qPrintable(judged().message()));
    QCOMPARE(judged().stored("SELECT count(*) FROM verdict"), 1);
}

void JudgingTest::fFiveOnceMoreReplacesTheVerdict()
{
    fill({"fail 1"});
    openWithWorker();
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5);
    waitForTheEnd();
    const QString audit = judged().shownAudit();
    judged().change("UPDATE verdict SET finding = 'What it said before.'");
    QTRY_COMPARE(judged().finding(), u"What it said before."_s);
    judged().press(Qt::Key_F5);
    waitForTheEnd();
    QCOMPARE(judged().shownAudit(), audit);
    QCOMPARE(judged().stored("SELECT count(*) FROM verdict"), 1);
    QTRY_COMPARE(judged().finding(), u"The second is wrong."_s);
}

void JudgingTest::theStripFillsGateByGateWhileOthersWait()
{
    const QString go = judged().path(u"go"_s);
    fill({"wait " + go.toStdString(), "fail 2", "pass 3"});
    openWithWorker();
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(judged().gate(0, Gate::Cmp01), StripCell::Pass);
    QTRY_COMPARE(judged().rows(), 3);
    QCOMPARE(judged().gate(0, Gate::Exc01), StripCell::Running);
    QCOMPARE(judged().outcome(0), u"judging"_s);
    QCOMPARE(judged().cell(1, store::TriageColumn::Id), u"2"_s);
    QCOMPARE(judged().outcome(1), u"waits"_s);
    QTRY_COMPARE(judged().finding(), u"Is being judged: 1 of 12 gates so far."_s);
    const auto* bar = judged().window().findChild<JobBar*>();
    QVERIFY(bar->isVisible());
    touch(go);
    waitForTheEnd();
    QCOMPARE(judged().rows(), 3);
    QTRY_COMPARE(judged().gate(1, Gate::Cmp01), StripCell::FailHard);
    QCOMPARE(judged().gate(0, Gate::Exc01), StripCell::Absent);
    QCOMPARE(judged().outcome(2), u"pass"_s);
    QVERIFY(!bar->isVisible());
    QVERIFY(!judged().context().workspace.judging().isRunning());
}

void JudgingTest::cancelKeepsWhatIsJudgedAndTheRestGoesOn()
{
    const QString go = judged().path(u"go"_s);
    fill({"pass 1", "wait " + go.toStdString(), "fail 3"});
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(judged().outcome(1), u"judging"_s);
    judged().press(Qt::Key_Period, Qt::ControlModifier);
    waitForTheEnd();
    QVERIFY2(judged().message().startsWith(u"Judging was stopped after 1 of 3 kernels."_s), qPrintable(judged().message()));
    QCOMPARE(judged().stored("SELECT count(*) FROM verdict"), 1);
    QCOMPARE(judged().messageAction().text(), u"Go on"_s);
    const QString audit = judged().shownAudit();
    touch(go);
    QTRY_VERIFY(resumeAction().isEnabled());
    judged().press(Qt::Key_F5, Qt::ControlModifier);
    waitForTheEnd();
    QCOMPARE(judged().shownAudit(), audit);
    QTRY_COMPARE(judged().rows(), 3);
    QVERIFY2(judged().message().contains(u"1 had their verdict before"_s), qPrintable(judged().message()));
    QCOMPARE(judged().stored("SELECT count(*) FROM audit WHERE origin = 'judged' AND finished_at IS NOT NULL"), 1);
    QTRY_VERIFY(!resumeAction().isEnabled());
}

void JudgingTest::cancelBeforeTheFirstVerdictKeepsNothing()
{
    fill({"wait " + judged().mark(u"never"_s), "pass 2"});
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(judged().outcome(0), u"judging"_s);
    judged().press(Qt::Key_Period, Qt::ControlModifier);
    waitForTheEnd();
    QVERIFY2(judged().message().contains(u"nothing was kept"_s), qPrintable(judged().message()));
    QTRY_COMPARE(judged().shownAudit(), QString());
    QTRY_COMPARE(judged().rows(), 2);
    QCOMPARE(judged().stored("SELECT count(*) FROM audit WHERE origin = 'judged'"), 0);
    QVERIFY(!resumeAction().isEnabled());
}

void JudgingTest::anAuditThatWasKilledIsOfferedAndGoesOn()
{
    const QString go = judged().path(u"go"_s);
    fill({"pass 1", "wait " + go.toStdString(), "fail 3"});
    QFile contract(judged().path(u"contract.json"_s));
    QVERIFY(contract.open(QIODevice::WriteOnly) && contract.write(wholeContract().toUtf8()) > 0);
    contract.close();
    QProcess process;
    process.setReadChannel(QProcess::StandardError);
    process.start(QStringLiteral(ASSAY_CLI),
                  {u"audit"_s, u"--db"_s, judged().database(), u"--contract"_s, contract.fileName(), u"--python"_s, kWorker,
                   u"--progress"_s});
    QByteArray said;
    while (!said.contains("1 of 3")) {
        QVERIFY2(process.waitForReadyRead(60000) || process.bytesAvailable() > 0, said.constData());
        said += process.readAllStandardError();
    }
    QVERIFY(process.processId() > 0); // 0 is whoever runs these tests
    ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
    QVERIFY(process.waitForFinished(60000));
    touch(go);

    judged().open();
    QTRY_VERIFY2(judged().message().endsWith(u"did not come to its end: 1 of 3 kernels have their verdict."_s),
                 qPrintable(judged().message()));
    judged().chooseSettings(u"strict"_s, kWorker); // the audit's own contract and seed are what counts
    QTest::mouseClick(&judged().messageAction(), Qt::LeftButton);
    waitForTheEnd();
    QTRY_COMPARE(judged().rows(), 3);
    QCOMPARE(judged().outcome(2), u"fail, hard"_s);
    QCOMPARE(judged().stored("SELECT count(*) FROM audit WHERE origin = 'judged'"), 1);
    QCOMPARE(judged().stored("SELECT count(*) FROM verdict"), 3);
}

void JudgingTest::anUnfinishedAuditCanBeLeftAsItIs()
{
    const QString go = judged().path(u"go"_s);
    fill({"pass 1", "wait " + go.toStdString()});
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(judged().outcome(1), u"judging"_s);
    judged().press(Qt::Key_Period, Qt::ControlModifier);
    waitForTheEnd();
    QTRY_VERIFY(resumeAction().isEnabled());
    judged().window().findChild<QAction*>(u"judge.leave"_s)->trigger();
    QTRY_VERIFY(!resumeAction().isEnabled());
    judged().close();
    judged().open();
    QCOMPARE(judged().message(), QString());
    QCOMPARE(judged().rows(), 1);
}

void JudgingTest::aFilteredListIsAnAuditOfItsOwn()
{
    fill({"pass 1", "fail 2", "pass 3"});
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    waitForTheEnd();
    const QString all = judged().shownAudit();
    QVERIFY(judged().context().filters.setText(u"outcome:pass"_s));
    QTRY_COMPARE(judged().rows(), 2);
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    waitForTheEnd();
    QVERIFY(judged().shownAudit() != all);
    QTRY_COMPARE(judged().rows(), 2);
    QCOMPARE(judged().context().filters.text(), u"outcome:pass"_s);
    QCOMPARE(judged().stored("SELECT count(*) FROM verdict WHERE audit_id = (SELECT max(id) FROM audit)"), 2);
}

void JudgingTest::selectionAndScrollPositionStayWhileVerdictsCome()
{
    const QString go = judged().path(u"go"_s);
    std::vector<std::string> candidates(60, "pass");
    for (std::size_t i = 0; i < candidates.size(); ++i)
        candidates[i] += ' ' + std::to_string(i);
    candidates[30] = "wait " + go.toStdString();
    fill(candidates);
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE_WITH_TIMEOUT(judged().outcome(30), u"judging"_s, 60000);
    QTRY_COMPARE(judged().rows(), 60);
    const std::int64_t kernel = judged().table().model()->index(50, 0).data(KernelTableModel::IdRole).toLongLong();
    judged().context().selection.setKernel(kernel);
    QTRY_COMPARE(judged().table().currentIndex().row(), 50);
    const int scrolled = judged().table().verticalScrollBar()->value();
    QVERIFY(scrolled > 0);
    touch(go);
    waitForTheEnd();
    QCOMPARE(judged().rows(), 60);
    QCOMPARE(judged().outcome(59), u"pass"_s);
    QCOMPARE(judged().context().selection.kernelId(), kernel);
    QCOMPARE(judged().table().currentIndex().row(), 50);
    QCOMPARE(judged().table().verticalScrollBar()->value(), scrolled);
}

void JudgingTest::theWayBackToTheAuditBeforeIsOneClick()
{
    fill({"pass 1", "fail 2"});
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    waitForTheEnd();
    const QString first = judged().shownAudit();
    judged().chooseSettings(wholeContract(), kWorker, u"8"_s);
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5);
    waitForTheEnd();
    QVERIFY2(judged().shownAudit() != first, qPrintable(judged().message()));
    QCOMPARE(judged().messageAction().text(), u"Back to %1"_s.arg(first));
    QTest::mouseClick(&judged().messageAction(), Qt::LeftButton);
    QCOMPARE(judged().shownAudit(), first);
}

void JudgingTest::aMissingPythonIsSaidWithTheWayOut()
{
    fill({"pass 1"});
    judged().open();
    judged().chooseSettings(u"strict"_s, u"/nowhere/python3"_s);
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5);
    waitForTheEnd();
    QVERIFY2(judged().message().startsWith(u"Nothing was judged: cannot start /nowhere/python3"_s),
             qPrintable(judged().message()));
    QVERIFY2(judged().message().contains(u"Name a Python that has torch"_s), qPrintable(judged().message()));
    QCOMPARE(judged().stored("SELECT count(*) FROM audit WHERE origin = 'judged'"), 0);
    QCOMPARE(judged().messageAction().text(), u"What is missing"_s);
    QTest::mouseClick(&judged().messageAction(), Qt::LeftButton);
    QVERIFY(judged().window().findChild<MachinePanel*>()->isVisible());
}

void JudgingTest::aMachineThatCannotJudgeSaysWhatItLacks()
{
    fill({"pass 1"});
    const QString worker = judged().path(u"no_sandbox"_s);
    QFile file(worker);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\nread line\necho '{\"id\":1,\"event\":\"doctor\",\"findings\":[{\"name\":\"parties\",\"present\":false,"
               "\"detail\":\"there is no sandbox\",\"remedy\":\"Install bubblewrap\"}],\"versions\":null}'\nread line\n");
    file.setPermissions(file.permissions() | QFile::ExeOwner);
    file.close();
    judged().open();
    judged().chooseSettings(u"strict"_s, worker);
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5);
    waitForTheEnd();
    QCOMPARE(judged().message(), u"Nothing was judged: there is no sandbox: %1. Install bubblewrap"_s.arg(worker));
    QCOMPARE(judged().stored("SELECT count(*) FROM audit WHERE origin = 'judged'"), 0);
}

void JudgingTest::aReadOnlyDatabaseIsNotJudgedInto()
{
    fill({"pass 1"});
    judged().open(true);
    judged().press(Qt::Key_J);
    judged().press(Qt::Key_F5);
    QVERIFY2(judged().message().contains(u"is open read-only, so no verdict can be stored."_s), qPrintable(judged().message()));
    QCOMPARE(judged().context().jobs.running(), 0);
}

void JudgingTest::kernelsWithoutSourcesAreSaid()
{
    {
        const auto file = store::Database::open(judged().database().toStdString(), store::OpenMode::ReadWriteCreate);
        import(*file, {row("1"), row("2")});
    }
    openWithWorker();
    judged().press(Qt::Key_F5, Qt::ShiftModifier);
    waitForTheEnd();
    QVERIFY2(judged().message().startsWith(u"Nothing was judged: the database has no sources of 2 kernels."_s),
             qPrintable(judged().message()));
}

void JudgingTest::withoutAKernelFFiveAsksForOne()
{
    fill({"pass 1"});
    openWithWorker();
    judged().press(Qt::Key_F5);
    QCOMPARE(judged().message(), u"Choose a kernel in the list first."_s);
}

void JudgingTest::settingsThatMakeNoSenseAreNotKept()
{
    JudgeSettings settings;
    const JudgeSettings before = settings;
    const QStringList right{u"cuda:0"_s, u"strict"_s, u"3"_s, u"2"_s, u"python3"_s, u"ssh gpu01"_s};
    for (const auto& [field, wrong] : {std::pair<int, QString>{0, u"cuda:x\""_s},
                                       {1, u"/no/such/contract.json"_s},
                                       {1, u"{\"gate\": []}"_s},
                                       {2, u"-1"_s},
                                       {3, u"0"_s},
                                       {5, u"ssh 'gpu01"_s}}) {
        QStringList answers = right;
        answers[field] = wrong;
        QVERIFY2(!readSettings(answers, settings).isEmpty(), qPrintable(wrong));
        QVERIFY(settings == before);
    }
    QCOMPARE(readSettings(right, settings), QString());
    QVERIFY(settings == (JudgeSettings{u"cuda:0"_s, u"strict"_s, 3, 2, u"python3"_s, u"ssh gpu01"_s}));
}

void JudgingTest::settingsAreRemembered()
{
    fill({"pass 1"});
    const QString session = judged().path(u"session.json"_s);
    judged().open(false, session);
    judged().chooseSettings(u"training"_s, kWorker, u"11"_s);
    judged().close();
    judged().open(false, session);
    judged().press(Qt::Key_J, Qt::ControlModifier);
    const auto* prompt = judged().window().findChild<Prompt*>();
    QCOMPARE(prompt->findChild<QLineEdit*>(u"promptField1"_s)->text(), u"training"_s);
    QCOMPARE(prompt->findChild<QLineEdit*>(u"promptField2"_s)->text(), u"11"_s);
    QCOMPARE(prompt->findChild<QLineEdit*>(u"promptField4"_s)->text(), kWorker);
}

void JudgingTest::thePanelOfTheMachineNamesTheRemedy()
{
    fill({"pass 1"});
    judged().open();
    judged().chooseSettings(u"strict"_s, u"/nowhere/python3"_s);
    judged().press(Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
    const auto* panel = judged().window().findChild<MachinePanel*>();
    QVERIFY(panel->isVisible());
    waitForTheEnd();
    const QString summary = panel->findChild<QLabel*>(u"machineSummary"_s)->text();
    QVERIFY2(summary.startsWith(u"Nothing can be judged on cpu: cannot start /nowhere/python3"_s), qPrintable(summary));
    QVERIFY2(panel->text().contains(u"python: missing: /nowhere/python3: not found"_s), qPrintable(panel->text()));
    judged().press(Qt::Key_Escape);
    QVERIFY(!panel->isVisible());
}

void JudgingTest::theKeysAreOnTheSheet()
{
    fill({"pass 1"});
    judged().open();
    judged().press(Qt::Key_F1);
    QStringList texts;
    for (const QLabel* line : judged().window().findChild<CheatSheet*>()->findChildren<QLabel*>())
        texts << line->text();
    for (const QString& wanted : {u"F5"_s, u"Shift+F5"_s, u"Ctrl+F5"_s, u"Ctrl+J"_s, u"Judge the selected kernels"_s})
        QVERIFY2(texts.contains(wanted), qPrintable(wanted));
}

QTEST_MAIN(JudgingTest)
#include "tst_judging.moc"
