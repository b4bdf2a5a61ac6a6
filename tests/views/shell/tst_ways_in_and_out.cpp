// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ingest/data_file.h"
#include "core/store/calibration_store.h"
#include "tests/views/state/small_audit.h"
#include "views/shell/main_window.h"
#include "views/shell/message_bar.h"
#include "views/shell/message_history.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

/// How data gets into the window and rows get out of it, as a person does it: by dropping, clicking and typing.
class WaysInAndOutTest final : public QObject {
    Q_OBJECT
private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<MainWindow> m_window;

    QString path(const QString& name) const { return m_folder->filePath(name); }
    Workspace& workspace() const { return m_window->context().workspace; }
    QString message() const { return m_window->findChild<MessageBar*>()->text(); }

    QString writeRows(const QString& name, int first, int last) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(file.fileName()));
        for (int i = first; i <= last; ++i)
            file.write(QByteArray::fromStdString(tests::auditRowText(i, i % 2 == 0)));
        return file.fileName();
    }

    void openWindow(const StartRequest& request = {})
    {
        m_window = std::make_unique<MainWindow>(QString());
        m_window->resize(1440, 900);
        m_window->show();
        m_window->start(request);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }

    void openSmallAudit()
    {
        tests::makeSmallAudit(toFilesystemPath(path(u"small.db"_s)), 9);
        StartRequest request;
        request.spot.database = path(u"small.db"_s);
        request.spot.place = u"kernels"_s;
        openWindow(request);
        QTRY_VERIFY(m_window->isSettled());
    }

    /// What the window system sends where something is dragged in and let go. @return whether the window would take it
    bool drop(const QList<QUrl>& urls) const
    {
        QMimeData data;
        data.setUrls(urls);
        const QPoint middle = m_window->rect().center();
        QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        enter.ignore();
        QApplication::sendEvent(m_window.get(), &enter);
        if (!enter.isAccepted())
            return false;
        QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        return drop.isAccepted();
    }

    bool dropFiles(const QStringList& files) const
    {
        QList<QUrl> urls;
        for (const QString& file : files)
            urls << QUrl::fromLocalFile(file);
        return drop(urls);
    }

    QString shownCorpus() const
    {
        const store::Scope* scope = workspace().scope();
        return scope ? QString::fromStdString(scope->corpusName) : QString();
    }

    /// Calibrations that come with the program.
    static qsizetype calibrationFiles()
    {
        const QDir folder(QString::fromStdString(ingest::dataFile("calibration").string()));
        return folder.entryList({u"*.jsonl.gz"_s}, QDir::Files).size();
    }
    std::int64_t rowsOf(const std::string& corpus) const
    {
        std::int64_t rows = -1;
        for (const store::Scope& scope : workspace().scopes()) {
            if (scope.corpusName == corpus)
                rows = scope.kernels;
        }
        return rows;
    }

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    }

    void cleanup() { m_window.reset(); }

    void aDroppedCorpusIsImportedIntoTheOpenDatabaseAndShown()
    {
        openSmallAudit();
        QVERIFY(dropFiles({writeRows(u"审计 #1.jsonl"_s, 1, 40)}));
        QTRY_COMPARE(shownCorpus(), u"审计 #1"_s);
        QCOMPARE(workspace().path(), path(u"small.db"_s));
        QCOMPARE(workspace().scope()->kernels, 40);
        QVERIFY2(message().contains(u"40 kept"_s), qPrintable(message()));
    }

    void withoutADatabaseADropMakesOne()
    {
        openWindow();
        QVERIFY(dropFiles({writeRows(u"rows.jsonl"_s, 1, 3)}));
        QTRY_COMPARE(shownCorpus(), u"rows"_s);
        QVERIFY(workspace().path().startsWith(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)));
    }

    void filesDroppedTogetherGoInOneAfterTheOther()
    {
        openSmallAudit();
        QVERIFY(dropFiles(
            {writeRows(u"first-file.jsonl"_s, 1, 5), path(u"missing.jsonl"_s), writeRows(u"second-file.jsonl"_s, 1, 7)}));
        QTRY_COMPARE(rowsOf("second-file"), std::int64_t{7});
        QCOMPARE(rowsOf("first-file"), std::int64_t{5});
        QVERIFY2(message().contains(path(u"missing.jsonl"_s)), qPrintable(message()));
    }

    void aDroppedDatabaseIsOpened()
    {
        openWindow();
        tests::makeSmallAudit(toFilesystemPath(path(u"other.assay"_s)), 4);
        QVERIFY(dropFiles({path(u"other.assay"_s)}));
        QCOMPARE(workspace().path(), path(u"other.assay"_s));
        QVERIFY(workspace().scope());
        QCOMPARE(workspace().scope()->kernels, 4);
    }

    void aDroppedFolderIsImported()
    {
        openSmallAudit();
        QVERIFY(QDir(path({})).mkdir(u"results"_s));
        writeRows(u"results/audit_rows.jsonl"_s, 1, 6);
        QVERIFY(drop({QUrl::fromLocalFile(path(u"results/"_s))}));
        QTRY_VERIFY(shownCorpus() != u"demo"_s);
        QCOMPARE(workspace().scope()->kernels, 6);
    }

    void whatIsNoFileIsNotTaken()
    {
        openSmallAudit();
        QVERIFY(!drop({QUrl(u"https://example.org/rows.jsonl"_s)}));
        QCOMPARE(m_window->context().jobs.running(), 0);
    }

    void aFileThatIsNoCorpusIsSaidInOneLine()
    {
        openSmallAudit();
        QFile file(path(u"picture.png"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\x89PNG\r\n\x1a\n no rows here");
        file.close();
        QVERIFY(dropFiles({file.fileName()}));
        QTRY_VERIFY2(message().contains(u"picture.png"_s), qPrintable(message()));
        QVERIFY(!message().contains(u'\n'));
        QCOMPARE(shownCorpus(), u"demo"_s);
    }

    void nothingIsImportedIntoAReadOnlyDatabase()
    {
        tests::makeSmallAudit(toFilesystemPath(path(u"small.db"_s)), 9);
        StartRequest request;
        request.spot.database = path(u"small.db"_s);
        request.readOnly = true;
        openWindow(request);
        QVERIFY(dropFiles({writeRows(u"a.jsonl"_s, 1, 2), writeRows(u"b.jsonl"_s, 1, 2)}));
        QTRY_VERIFY2(message().contains(u"read-only"_s), qPrintable(message()));
        QCOMPARE(m_window->context().jobs.running(), 0);
        QCOMPARE(workspace().scopes().size(), std::size_t{1});
    }

    void aStartThatImportsEndsAtTheSpotItWasAskedFor()
    {
        StartRequest request;
        request.importPath = writeRows(u"rows.jsonl"_s, 1, 12);
        request.spot.database = path(u"new/made.db"_s);
        request.spot.place = u"kernels"_s;
        request.spot.kernel = u"8"_s;
        request.spot.filter = u"gate:EXC-01"_s;
        openWindow(request);
        QTRY_VERIFY(m_window->isSettled());
        QCOMPARE(shownCorpus(), u"rows"_s);
        QCOMPARE(m_window->context().selection.spot().place, u"kernels"_s);
        QCOMPARE(m_window->context().filters.text(), u"gate:EXC-01"_s);
        QCOMPARE(m_window->context().selection.kernelId(), std::int64_t{8});
    }

    void theSampleCorpusIsAClickAwayAndSaysWhatWasMeasured()
    {
        openWindow();
        QPushButton* button = nullptr;
        for (QPushButton* candidate : m_window->findChildren<QPushButton*>()) {
            if (candidate->isVisible() && candidate->text() == u"Open the sample corpus"_s)
                button = candidate;
        }
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(shownCorpus(), u"sample"_s, 60'000);
        QTRY_VERIFY(m_window->isSettled());
        QCOMPARE(m_window->context().selection.spot().place, u"overview"_s);
        QCOMPARE(workspace().scope()->corpusOrigin, std::string("import"));
        QCOMPARE(workspace().scope()->auditName, std::string("sample on an H200"));
        QVERIFY(workspace().scope()->auditId.has_value());
        const auto scopesNow = workspace().scopes();
        QVERIFY(std::ranges::any_of(scopesNow, [](const auto& scope) {
            return scope.corpusName == "sample run" && scope.corpusOrigin == "illustrative";
        }));
        const std::size_t scopes = workspace().scopes().size();
        QVERIFY(rowsOf("sample run") > 0);
        const auto database = store::Database::open(toFilesystemPath(workspace().path()), store::OpenMode::ReadOnly);
        QCOMPARE(store::calibrations(*database).size(), std::size_t(calibrationFiles())); // those that come with it

        // A second time it is there already.
        m_window->findChild<QAction*>(u"file.close"_s)->trigger();
        m_window->findChild<QAction*>(u"file.sample"_s)->trigger();
        QCOMPARE(m_window->context().jobs.running(), 0);
        QCOMPARE(workspace().scopes().size(), scopes);
    }

    void theSampleCorpusOpensOverAnyPlace()
    {
        openWindow();
        QTest::keyClick(m_window.get(), Qt::Key_2, Qt::ControlModifier);
        m_window->findChild<QAction*>(u"file.sample"_s)->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(shownCorpus(), u"sample"_s, 60'000);
        QCOMPARE(m_window->context().selection.spot().place, u"overview"_s);
    }

    void theExportDialogWritesTheRowsOfTheList()
    {
        openSmallAudit();
        QVERIFY(m_window->context().filters.setText(u"gate:EXC-01"_s));
        auto* table = m_window->findChild<QTableView*>(u"triage.table"_s);
        QTRY_COMPARE(table->model()->rowCount(), 3);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_E, Qt::ControlModifier);
        auto* dialog = m_window->findChild<QFileDialog*>(u"triage.exportDialog"_s);
        QVERIFY(dialog);
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        QVERIFY2(dialog->windowTitle().contains(u'3'), qPrintable(dialog->windowTitle()));
        auto* name = dialog->findChild<QLineEdit*>(u"fileNameEdit"_s);
        QVERIFY(name);
        name->clear();
        QTest::keyClicks(name, path(u"failing"_s)); // the suffix is that of the chosen format
        QTest::keyClick(name, Qt::Key_Return);
        QTRY_VERIFY(QFile::exists(path(u"failing.csv"_s)));
        QTRY_VERIFY2(message().contains(u"failing.csv"_s), qPrintable(message()));
        QFile file(path(u"failing.csv"_s));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 4);
        QVERIFY(lines[0].startsWith("id,"));
        QVERIFY(lines[1].startsWith("3,"));
        QTRY_VERIFY(m_window->findChildren<QFileDialog*>().isEmpty());
    }

    void theExportButtonOpensOneDialogThatEscapeCloses()
    {
        openSmallAudit();
        QToolButton* button = nullptr;
        for (QToolButton* candidate : m_window->findChildren<QToolButton*>()) {
            if (candidate->isVisible() && candidate->defaultAction()
                && candidate->defaultAction()->objectName() == u"triage.export"_s)
                button = candidate;
        }
        QVERIFY(button);
        QTest::mouseClick(button, Qt::LeftButton);
        auto* dialog = m_window->findChild<QFileDialog*>(u"triage.exportDialog"_s);
        QVERIFY(dialog);
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        QVERIFY(!dialog->isModal());
        QTest::mouseClick(button, Qt::LeftButton); // asked again, it is made anew
        QCOMPARE(m_window->findChildren<QFileDialog*>().size(), 1);
        dialog = m_window->findChild<QFileDialog*>(u"triage.exportDialog"_s);
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(m_window->findChildren<QFileDialog*>().isEmpty());
        QCOMPARE(m_window->context().jobs.running(), 0);
    }

    void whatWasSaidCanBeReadAgain()
    {
        openSmallAudit();
        Messages& messages = m_window->context().messages;
        messages.post(Messages::Level::Info, u"by the way"_s);
        messages.post(Messages::Level::Warning, u"some rows were rejected"_s, u"line 3: no id"_s);
        messages.post(Messages::Level::Warning, u"some rows were rejected"_s, u"line 3: no id"_s);
        auto* table = m_window->findChild<QTableView*>(u"triage.table"_s);
        table->setFocus();
        QTest::keyClick(table, Qt::Key_H, Qt::ControlModifier);
        auto* panel = m_window->findChild<MessageHistory*>();
        QTRY_VERIFY(panel->isVisible());
        auto* list = panel->findChild<QListWidget*>(u"messageHistoryList"_s);
        QTRY_VERIFY(list->hasFocus());
        QCOMPARE(list->count(), 2);
        QVERIFY(QRegularExpression(u"^\\d\\d:\\d\\d:\\d\\d  some rows were rejected$"_s).match(list->item(0)->text()).hasMatch());
        QCOMPARE(panel->findChild<QPlainTextEdit*>(u"messageHistoryWhole"_s)->toPlainText(),
                 u"some rows were rejected\nline 3: no id"_s);
        QTest::keyClick(list, Qt::Key_Down);
        QTest::keyClick(list, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"by the way"_s);
        messages.post(Messages::Level::Error, u"disk full"_s); // while the panel is open
        QCOMPARE(list->count(), 3);
        QVERIFY(list->currentItem()->text().endsWith(u"by the way"_s));
        QTest::keyClick(list, Qt::Key_Escape);
        QVERIFY(!panel->isVisible());
        QTRY_VERIFY(table->hasFocus());
    }

    void anEmptyHistorySaysSo()
    {
        openSmallAudit();
        QTest::mouseClick(m_window->findChild<QToolButton*>(u"openMessageHistory"_s), Qt::LeftButton);
        auto* panel = m_window->findChild<MessageHistory*>();
        QTRY_VERIFY(panel->isVisible());
        QVERIFY(!panel->findChild<QListWidget*>()->isVisible());
        QTest::keyClick(panel, Qt::Key_Escape);
        QVERIFY(!panel->isVisible());
    }
};

QTEST_MAIN(WaysInAndOutTest)
#include "tst_ways_in_and_out.moc"
