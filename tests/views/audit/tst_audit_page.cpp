// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/database.h"
#include "core/store/sample_label.h"
#include "core/store/sample_plan.h"
#include "tests/views/audit/audited_corpus.h"
#include "views/audit/audit_page.h"
#include "views/evidence/evidence_pane.h"
#include "views/evidence/gate_strip_bar.h"
#include "views/shell/main_window.h"
#include "views/shell/prompt.h"
#include "views/state/workspace.h"

#include <SQLiteCpp/Database.h>

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <cstdio>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

/// The real window on the corpus of sixty kernels, and a person with a keyboard in front of it.
class AuditingWindow {
public:
    explicit AuditingWindow(const QString& database)
        : m_database(database)
    {
        if (!QFile::exists(database))
            tests::writeAuditedCorpus(toFilesystemPath(database));
        m_window = std::make_unique<MainWindow>(QString());
        m_window->resize(1440, 900);
        m_window->show();
        StartRequest request;
        request.spot.database = database;
        request.spot.place = u"audit"_s;
        request.theme = u"light"_s;
        m_window->start(request);
        isReady = QTest::qWaitForWindowActive(m_window.get()) && settle();
    }

    bool settle() const
    {
        return QTest::qWaitFor([this] { return m_window->isSettled(); }, 20'000);
    }

    /// A key to whatever has the focus, without waiting for anything.
    static void key(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers);
    }
    bool press(int code, Qt::KeyboardModifiers modifiers = {}) const
    {
        key(code, modifiers);
        return settle();
    }
    static void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }

    template <typename Widget> Widget& find(const QString& name) const
    {
        auto* widget = m_window->findChild<Widget*>(name);
        if (widget == nullptr)
            qFatal("no %s", qPrintable(name));
        return *widget;
    }
    QString text(const QString& label) const { return find<QLabel>(label).text(); }
    EvidencePane& evidence() const { return *m_window->findChild<AuditPage*>()->findChild<EvidencePane*>(); }
    MainWindow& window() const { return *m_window; }

    /// A number of the database, over a connection of its own.
    std::int64_t stored(const std::string& sql) const
    {
        SQLite::Database database(m_database.toStdString(), SQLite::OPEN_READONLY);
        return database.execAndGet(sql).getInt64();
    }

    bool isReady = false;

private:
    QString m_database;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace

/// A sample from the plan to the report in the real window, by keys alone.
class AuditPageTest final : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    int m_databases = 0;

    QString newDatabase() { return m_folder.filePath(u"%1.assay"_s.arg(++m_databases)); }

private Q_SLOTS:
    void thirtyOneKernelsByTheKeyboardAlone()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.isReady);
        QCOMPARE(audit.text(u"audit.planSaid"_s), u"31 of 51 kernels in 2 strata."_s);
        QVERIFY(audit.press(Qt::Key_Return)); // the form has the focus and a plan to draw
        QCOMPARE(audit.stored("SELECT count(*) FROM sample_item"), 31);
        QCOMPARE(audit.text(u"audit.progress"_s), u"0 of 31 labelled"_s);
        for (int i = 0; i < 31; ++i) {
            QVERIFY(audit.press(i % 8 == 7 ? Qt::Key_2 : Qt::Key_1));
            QVERIFY(audit.press(Qt::Key_Return));
            QCOMPARE(audit.text(u"audit.progress"_s), u"%1 of 31 labelled"_s.arg(i + 1));
        }
        QCOMPARE(audit.stored("SELECT count(DISTINCT item_id) FROM label WHERE kind = 'label' AND blinded = 1"), 31);
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE label = 'false_positive'"), 3);
        QVERIFY2(audit.text(u"audit.more"_s).startsWith(u"28 of 31 decided are confirmed"_s),
                 qPrintable(audit.text(u"audit.more"_s)));
    }

    void aKillAfterTheTwentiethLosesNothing()
    {
        const QString database = newDatabase();
        QProcess reviewer;
        reviewer.start(QCoreApplication::applicationFilePath(), {u"--label-twenty"_s, database});
        QVERIFY(reviewer.waitForStarted());
        QByteArray said;
        while (!said.contains("twenty\n") && reviewer.waitForReadyRead(30'000))
            said += reviewer.readAllStandardOutput();
        QVERIFY2(said.contains("twenty\n"), reviewer.readAllStandardError().constData());
        reviewer.kill(); // SIGKILL
        QVERIFY(reviewer.waitForFinished());
        QCOMPARE(reviewer.exitStatus(), QProcess::CrashExit);

        const AuditingWindow audit(database);
        QVERIFY(audit.isReady);
        QCOMPARE(audit.text(u"audit.progress"_s), u"20 of 31 labelled"_s);
        QVERIFY(audit.find<QLabel>(u"audit.progress"_s).isVisible());
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_Return)); // and goes on with the twenty-first
        QCOMPARE(audit.stored("SELECT count(DISTINCT item_id) FROM label"), 21);
    }

    void aQuickHandIsNeverAKernelBehind()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        for (const int answer : {Qt::Key_1, Qt::Key_2, Qt::Key_3, Qt::Key_4, Qt::Key_1}) {
            AuditingWindow::key(answer);
            AuditingWindow::key(Qt::Key_Return);
        }
        QVERIFY(audit.settle());
        QCOMPARE(audit.stored("SELECT count(*) FROM label"), 5);
        QCOMPARE(audit.stored("SELECT count(DISTINCT item_id) FROM label"), 5);
        QCOMPARE(
            audit.stored("SELECT position FROM sample_item WHERE id = (SELECT item_id FROM label WHERE label = 'ambiguous')"), 3);
        QCOMPARE(audit.text(u"audit.progress"_s), u"5 of 31 labelled"_s);
    }

    void theVerdictIsHiddenUntilAskedForAndThatIsKept()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        const EvidencePane& evidence = audit.evidence();
        auto* finding = evidence.findChild<QLabel*>(u"finding"_s);
        QVERIFY(!finding->isVisible());
        QVERIFY(!evidence.findChild<GateStripBar*>()->isVisible());
        QVERIFY(audit.press(Qt::Key_C)); // the checks would tell
        QCOMPARE(evidence.section(), u"sources"_s);
        QVERIFY(audit.press(Qt::Key_V));
        QVERIFY(finding->isVisible());
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE kind = 'reveal'"), 1);
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_Return));
        QVERIFY(!finding->isVisible()); // the next one is hidden again
        QCOMPARE(audit.stored("SELECT blinded FROM label WHERE kind = 'label'"), 0);
    }

    void labelsAreTakenBackByKeys()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        for (const int key : {Qt::Key_1, Qt::Key_Return, Qt::Key_2, Qt::Key_Return})
            QVERIFY(audit.press(key));
        QVERIFY(audit.press(Qt::Key_Backspace));
        QCOMPARE(audit.text(u"audit.progress"_s), u"1 of 31 labelled"_s);
        QVERIFY(audit.press(Qt::Key_Z, Qt::ControlModifier));
        QCOMPARE(audit.text(u"audit.progress"_s), u"0 of 31 labelled"_s);
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE kind = 'undo'"), 2);
        QVERIFY(audit.press(Qt::Key_Backspace));
        QVERIFY(audit.text(u"audit.said"_s).contains(u"no label to take back"_s));
        QCOMPARE(audit.stored("SELECT count(*) FROM label"), 4);
    }

    void fieldsKeepTheirLettersAndEnterSaves()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_R));
        audit.type(u"shape"_s);
        QCOMPARE(audit.text(u"audit.suggested"_s), u"Tab: shape_hardcoded"_s);
        QVERIFY(audit.press(Qt::Key_Tab));
        QCOMPARE(audit.find<QLineEdit>(u"audit.reason"_s).text(), u"shape_hardcoded"_s);
        audit.find<QLineEdit>(u"audit.reason"_s).clear();
        audit.type(u"own_code"_s);
        QVERIFY(audit.press(Qt::Key_Escape));
        QVERIFY(audit.press(Qt::Key_N));
        audit.type(u"line 4 jumps, v2"_s);
        QVERIFY(audit.press(Qt::Key_Escape));
        QVERIFY(audit.press(Qt::Key_U));
        audit.type(u"https://example.org/7 shot.png"_s);
        QVERIFY(audit.press(Qt::Key_Return));
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE label = 'confirmed' AND reason = 'own_code' AND "
                              "note = 'line 4 jumps, v2' AND json_array_length(evidence) = 2"),
                 1);
        QVERIFY(audit.find<QLineEdit>(u"audit.note"_s).text().isEmpty());
        QVERIFY(audit.press(Qt::Key_K));
        QCOMPARE(audit.find<QLineEdit>(u"audit.note"_s).text(), u"line 4 jumps, v2"_s);
        QVERIFY(audit.find<QPushButton>(u"audit.answer1"_s).isChecked());
        QVERIFY(audit.press(Qt::Key_J));
        QVERIFY(audit.press(Qt::Key_Return)); // no answer chosen
        QVERIFY(audit.text(u"audit.said"_s).startsWith(u"Choose an answer first"_s));
        QCOMPARE(audit.stored("SELECT count(*) FROM label"), 1);
    }

    void aConfirmedDefectIsWeighedByKeys()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        QVERIFY(audit.press(Qt::Key_Q));
        QCOMPARE(audit.text(u"audit.said"_s), u"Only a confirmed defect is weighed: 1 first."_s);
        QVERIFY(!audit.find<QPushButton>(u"audit.severityQ"_s).isEnabled());
        const auto weighed = [&] {
            QString keys;
            for (const QChar key : u"QWE"_s)
                keys += audit.find<QPushButton>(u"audit.severity"_s + key).isChecked() ? QString(key) : QString();
            return keys;
        };
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_W));
        QVERIFY(audit.press(Qt::Key_E)); // one at a time
        QCOMPARE(weighed(), u"E"_s);
        QVERIFY(audit.press(Qt::Key_E)); // the same again takes it back
        QCOMPARE(weighed(), QString());
        QVERIFY(audit.press(Qt::Key_Q));
        QVERIFY(audit.press(Qt::Key_2)); // no defect, nothing to weigh
        QCOMPARE(weighed(), QString());
        for (const int key : {Qt::Key_1, Qt::Key_W, Qt::Key_Return})
            QVERIFY(audit.press(key));
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE label = 'confirmed' AND severity = 'major'"), 1);
        QCOMPARE(weighed(), QString()); // of the next kernel nothing is known
        QVERIFY(audit.text(u"audit.more"_s).contains(u"Of the confirmed: critical 0, major 1, minor 0."_s));
        QVERIFY(audit.press(Qt::Key_K));
        QCOMPARE(weighed(), u"W"_s);
        QVERIFY(audit.press(Qt::Key_J));
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_Return)); // without a weight
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE severity IS NULL"), 1);
    }

    void aKernelIsSkippedWithoutALabel()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        for (const int key : {Qt::Key_1, Qt::Key_Return, Qt::Key_Space, Qt::Key_1, Qt::Key_Return})
            QVERIFY(audit.press(key));
        QCOMPARE(audit.stored("SELECT count(*) FROM label l JOIN sample_item i ON i.id = l.item_id WHERE i.position IN (1, 3)"),
                 2);
        QVERIFY(audit.press(Qt::Key_K));
        QVERIFY(audit.press(Qt::Key_K));
        QVERIFY(audit.press(Qt::Key_K));
        QVERIFY(audit.press(Qt::Key_Space)); // over the labelled ones
        for (const int key : {Qt::Key_2, Qt::Key_Return})
            QVERIFY(audit.press(key));
        QCOMPARE(audit.stored("SELECT count(*) FROM label l JOIN sample_item i ON i.id = l.item_id WHERE i.position = 2"), 1);
    }

    void aSecondReviewerAndAnAdjudication()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        auto& reviewer = audit.find<QLineEdit>(u"audit.reviewer"_s);
        const auto comes = [&](const QString& name) {
            reviewer.setFocus();
            reviewer.selectAll();
            audit.type(name);
            return audit.press(Qt::Key_Escape);
        };
        QVERIFY(comes(u"ada"_s));
        for (const int key : {Qt::Key_1, Qt::Key_Return, Qt::Key_1, Qt::Key_Return})
            QVERIFY(audit.press(key));
        QVERIFY(comes(u"bob"_s));
        QCOMPARE(audit.text(u"audit.progress"_s), u"0 of 31 labelled"_s);
        QVERIFY(audit.press(Qt::Key_K)); // what ada labelled is bob's to judge again
        QVERIFY(audit.press(Qt::Key_K));
        for (const int key : {Qt::Key_1, Qt::Key_Return, Qt::Key_4, Qt::Key_Return})
            QVERIFY(audit.press(key));
        QVERIFY(audit.text(u"audit.more"_s).contains(u"ada and bob: 1 of 2 alike"_s));
        QVERIFY(audit.press(Qt::Key_A));
        QCOMPARE(audit.text(u"audit.progress"_s), u"0 of 1 labelled"_s);
        QCOMPARE(audit.text(u"audit.others"_s), u"ada: Confirmed defect\nbob: Inconclusive"_s);
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_Return));
        QCOMPARE(audit.stored("SELECT count(*) FROM label WHERE kind = 'adjudication' AND reviewer = 'bob'"), 1);
        QVERIFY(audit.text(u"audit.more"_s).startsWith(u"2 of 2 decided are confirmed"_s));
    }

    void labelsOfAnotherProcessAppear()
    {
        const QString path = newDatabase();
        const AuditingWindow audit(path);
        QVERIFY(audit.press(Qt::Key_Return));
        {
            const auto other = store::Database::open(toFilesystemPath(path), store::OpenMode::ReadWrite);
            store::NewLabel label;
            label.itemId = 1;
            label.label = store::AuditLabel::Confirmed;
            label.reviewer = "bob";
            store::addLabel(*other, label);
        }
        QTRY_VERIFY(audit.text(u"audit.more"_s).startsWith(u"1 of 1 decided"_s));
    }

    void aFilterThatMakesNoSenseIsSaidAndDrawsNothing()
    {
        const AuditingWindow audit(newDatabase());
        auto& filter = audit.find<QLineEdit>(u"audit.planFilter"_s);
        filter.setFocus();
        filter.selectAll();
        audit.type(u"famly:scan"_s);
        QVERIFY(audit.settle());
        QVERIFY(audit.text(u"audit.planSaid"_s).contains(u"famly"_s));
        QVERIFY(audit.press(Qt::Key_Return));
        QCOMPARE(audit.stored("SELECT count(*) FROM sample_plan"), 0);
    }

    void theReportGoesToAFileByItsEnding()
    {
        const AuditingWindow audit(newDatabase());
        QVERIFY(audit.press(Qt::Key_Return));
        QVERIFY(audit.press(Qt::Key_1));
        QVERIFY(audit.press(Qt::Key_Return));
        for (const char* ending : {"csv", "md", "html", "pdf"}) {
            const QString path = m_folder.filePath(u"report.%1"_s.arg(QLatin1String(ending)));
            QVERIFY(audit.press(Qt::Key_E, Qt::ControlModifier));
            auto* prompt = audit.window().findChild<Prompt*>();
            QVERIFY(prompt->isVisible());
            auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
            QVERIFY(line);
            line->selectAll();
            audit.type(path);
            QVERIFY(audit.press(Qt::Key_Return));
            QTRY_VERIFY2(QFileInfo(path).size() > 500, qPrintable(path));
            QTRY_VERIFY(!prompt->isVisible());
        }
    }
};

namespace {

/// Labels twenty kernels by keys, says so and waits to be killed.
int labelTwenty(const QString& database)
{
    const AuditingWindow audit(database);
    if (!audit.isReady || !audit.press(Qt::Key_Return))
        return 1;
    for (int i = 0; i < 20; ++i) {
        if (!audit.press(Qt::Key_1) || !audit.press(Qt::Key_Return))
            return 1;
    }
    std::puts("twenty");
    std::fflush(stdout);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.value(1) == u"--label-twenty"_s)
        return labelTwenty(arguments.value(2));
    AuditPageTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_audit_page.moc"
