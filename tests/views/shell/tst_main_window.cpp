// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/error.h"
#include "tests/views/state/small_audit.h"
#include "views/shell/banner_strip.h"
#include "views/shell/cheat_sheet.h"
#include "views/shell/command_palette.h"
#include "views/shell/main_window.h"
#include "views/shell/message_bar.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include <thread>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

class MainWindowTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    QString m_database;
    QString m_session;

    void open(MainWindow& window, const DeepLink& spot = {}, bool readOnly = false)
    {
        window.resize(1440, 900);
        window.show();
        StartRequest request;
        request.spot = spot;
        request.spot.database = m_database;
        request.readOnly = readOnly;
        request.theme = u"light"_s;
        window.start(request);
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTRY_VERIFY(window.isSettled());
    }

    static void run(MainWindow& window, const QString& name)
    {
        auto* action = window.findChild<QAction*>(name);
        QVERIFY2(action, qPrintable(name));
        action->trigger();
    }

    static void type(MainWindow& window, const QString& text)
    {
        run(window, u"palette"_s);
        auto* line = window.findChild<QLineEdit*>(u"paletteLine"_s);
        QTRY_VERIFY(line->hasFocus());
        QTest::keyClicks(line, text);
    }

private Q_SLOTS:
    void init()
    {
        static int number = 0;
        ++number;
        m_database = m_folder.filePath(u"审计 #%1.db"_s.arg(number));
        m_session = m_folder.filePath(u"session-%1.json"_s.arg(number));
        tests::makeSmallAudit(toFilesystemPath(m_database), 9);
    }

    void aFirstStartNamesTheNextAction()
    {
        MainWindow window(m_session);
        window.show();
        window.start({});
        QStringList labels;
        for (const QPushButton* button : window.findChildren<QPushButton*>()) {
            if (button->isVisible())
                labels << button->text();
        }
        QVERIFY(labels.contains(u"Open the sample corpus"_s));
        QVERIFY(labels.contains(u"Import an audit or a corpus"_s));
    }

    void theTitleTellsCorpusAuditAndDevice()
    {
        MainWindow window({});
        open(window);
        QVERIFY2(window.windowTitle().startsWith(u"demo \u00b7 first \u00b7 B200"_s), qPrintable(window.windowTitle()));
    }

    void keysGoToTheFourPlacesAndAltLeftComesBack()
    {
        MainWindow window({});
        open(window);
        Selection& selection = window.context().selection;
        QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(selection.spot().place, u"audit"_s);
        QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
        QCOMPARE(selection.spot().place, u"launch"_s);
        QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(selection.spot().place, u"audit"_s);
        QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(selection.spot().place, u"launch"_s);
        QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
        QCOMPARE(selection.spot().place, u"overview"_s);
    }

    void aClickOnTheRailGoesToThePlace()
    {
        MainWindow window({});
        open(window);
        auto* button = window.findChild<QToolButton*>(u"rail.place.calibrate"_s);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(window.context().selection.spot().place, u"calibrate"_s);
        QVERIFY(button->isChecked());
    }

    void thePaletteFiltersAndRunsByKeyboardAlone()
    {
        MainWindow window({});
        open(window);
        QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
        auto* palette = window.findChild<CommandPalette*>();
        auto* line = window.findChild<QLineEdit*>(u"paletteLine"_s);
        QVERIFY(palette->isVisible());
        QTRY_VERIFY(line->hasFocus());
        const int all = palette->model().rowCount();
        QTest::keyClicks(line, u"dark look"_s);
        QVERIFY(palette->model().rowCount() < all);
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QVERIFY(window.context().theme.isDark());
    }

    void thePaletteOffersSavedViewsAndKernelIds()
    {
        MainWindow window({});
        open(window);
        type(window, u"hard failures"_s);
        auto* palette = window.findChild<CommandPalette*>();
        QTRY_COMPARE(palette->model().index(0).data().toString(), u"Hard failures"_s);
        QTest::keyClick(window.findChild<QLineEdit*>(u"paletteLine"_s), Qt::Key_Return);
        QCOMPARE(window.context().selection.spot().place, u"kernels"_s);
        QCOMPARE(window.context().filters.text(), u"hard>0"_s);
        type(window, u"7"_s);
        QCOMPARE(palette->model().index(0).data().toString(), u"Go to kernel 7"_s);
        QTest::keyClick(window.findChild<QLineEdit*>(u"paletteLine"_s), Qt::Key_Return);
        QTRY_COMPARE(window.context().selection.kernelId(), std::int64_t{7});
    }

    void escapeGivesTheKeyboardBack()
    {
        MainWindow window({});
        open(window);
        auto* scopes = window.findChild<QComboBox*>(u"scopeChooser"_s);
        scopes->setFocus();
        QTRY_VERIFY(scopes->hasFocus());
        type(window, u"x"_s);
        QTest::keyClick(window.findChild<QLineEdit*>(u"paletteLine"_s), Qt::Key_Escape);
        QVERIFY(!window.findChild<CommandPalette*>()->isVisible());
        QTRY_VERIFY(scopes->hasFocus());
    }

    void aKernelThatIsNotThereIsSaidWithoutADialog()
    {
        MainWindow window({});
        open(window);
        QTest::keyClick(&window, Qt::Key_G, Qt::ControlModifier);
        auto* line = window.findChild<QLineEdit*>(u"promptField0"_s);
        QTRY_VERIFY(line->hasFocus());
        QTest::keyClicks(line, u"4711"_s);
        QTest::keyClick(line, Qt::Key_Return);
        auto* bar = window.findChild<MessageBar*>();
        QTRY_VERIFY(bar->text().contains(u"4711"_s));
        QVERIFY(!QApplication::activeModalWidget());
    }

    void messagesQueueWithTheWorstFirstAndStay()
    {
        MainWindow window({});
        open(window);
        Messages& messages = window.context().messages;
        auto* bar = window.findChild<MessageBar*>();
        messages.post(Messages::Level::Info, u"by the way"_s);
        messages.post(Messages::Level::Warning, u"some rows were rejected"_s, u"line 3: no id"_s);
        int ran = 0;
        messages.post(Messages::Level::Error, u"disk full"_s, {}, u"Try again"_s, [&ran] { ++ran; });
        QCOMPARE(bar->text(), u"disk full"_s);
        QCOMPARE(bar->count(), 2);
        QTest::mouseClick(bar->findChild<QPushButton*>(u"messageAction"_s), Qt::LeftButton);
        QCOMPARE(ran, 1);
        QCOMPARE(bar->text(), u"some rows were rejected"_s);
        QTest::mouseClick(bar->findChild<QPushButton*>(u"messageDetails"_s), Qt::LeftButton);
        QVERIFY(bar->findChild<QPlainTextEdit*>()->isVisible());
        QTest::mouseClick(bar->findChild<QPushButton*>(u"messageCopy"_s), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"some rows were rejected\nline 3: no id"_s);
        QTest::mouseClick(bar->findChild<QToolButton*>(u"messageDismiss"_s), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
    }

    void ctrlDotCancelsTheRunningJob()
    {
        MainWindow window({});
        open(window);
        window.context().jobs.start(u"Import of x"_s, [](std::stop_token stop, const Jobs::Progress& progress) -> QString {
            progress(1, 2, u"1 row"_s);
            while (!stop.stop_requested())
                std::this_thread::yield();
            throw Cancelled();
        });
        auto* job = window.findChild<QWidget*>(u"jobBar"_s);
        QTRY_VERIFY(job->isVisible());
        QTest::keyClick(&window, Qt::Key_Period, Qt::ControlModifier);
        QTRY_VERIFY(!job->isVisible());
        QVERIFY(window.findChild<MessageBar*>()->text().contains(u"cancelled"_s));
    }

    void resultsThatWereNotMeasuredKeepABanner()
    {
        m_database = m_folder.filePath(u"illustrative.db"_s);
        tests::makeSmallAudit(toFilesystemPath(m_database), 3, "illustrative");
        MainWindow window({});
        open(window, {}, true);
        auto* banner = window.findChild<BannerStrip*>();
        QVERIFY(banner->isVisible());
        QVERIFY(banner->text().contains(u"Illustrative results: written for demonstration, not measured"_s));
        QVERIFY(banner->text().contains(u"ead-only"_s));
    }

    void theSessionComesBack()
    {
        tests::addSecondAudit(*store::Database::open(toFilesystemPath(m_database), store::OpenMode::ReadWrite));
        {
            MainWindow window(m_session);
            open(window, {{}, u"kernels"_s, u"demo/first"_s, u"6"_s, {}, u"gate:EXC-01"_s});
            QTRY_COMPARE(window.context().selection.kernelId(), std::int64_t{6});
            run(window, u"theme.dark"_s);
            window.close();
        }
        MainWindow window(m_session);
        window.show();
        window.start({});
        QTRY_VERIFY(window.isSettled());
        QCOMPARE(window.context().workspace.path(), m_database);
        QCOMPARE(window.context().workspace.scope()->auditName, std::string("first"));
        QCOMPARE(window.context().selection.spot().place, u"kernels"_s);
        QCOMPARE(window.context().filters.text(), u"gate:EXC-01"_s);
        QTRY_COMPARE(window.context().selection.kernelId(), std::int64_t{6});
        QVERIFY(window.context().theme.isDark());
    }

    void aReadOnlyLookIsForThatOnceOnly()
    {
        {
            MainWindow window(m_session);
            open(window, {}, true);
            QVERIFY(window.context().workspace.isReadOnly());
            window.close();
        }
        MainWindow window(m_session);
        window.show();
        window.start({});
        QTRY_VERIFY(window.isSettled());
        QCOMPARE(window.context().workspace.path(), m_database);
        QVERIFY(!window.context().workspace.isReadOnly());
    }

    void aLinkLeadsBackToTheSameSpot()
    {
        MainWindow window({});
        open(window, {{}, u"kernels"_s, {}, u"3"_s, contract::Gate::Exc01, u"gate:EXC-01"_s});
        QTRY_COMPARE(window.context().selection.kernelId(), std::int64_t{3});
        QGuiApplication::clipboard()->clear();
        QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(QGuiApplication::clipboard()->text().startsWith(u"workbench:///"_s));
        const auto link = parseDeepLink(QGuiApplication::clipboard()->text());
        QVERIFY(link.has_value());
        QCOMPARE(link->kernel, u"3"_s);

        MainWindow other({});
        other.show();
        StartRequest request;
        request.spot = *link;
        other.start(request);
        QTRY_VERIFY(other.isSettled());
        QTRY_COMPARE(other.context().selection.kernelId(), std::int64_t{3});
        QCOMPARE(other.context().selection.gate(), std::optional(contract::Gate::Exc01));
        QCOMPARE(other.context().filters.text(), u"gate:EXC-01"_s);
    }

    void whatAnotherProcessWritesAppears()
    {
        MainWindow window({});
        open(window);
        auto* scopes = window.findChild<QComboBox*>(u"scopeChooser"_s);
        QVERIFY(scopes->currentText().contains(u"9 kernels"_s));
        tests::addKernel(*store::Database::open(toFilesystemPath(m_database), store::OpenMode::ReadWrite), 10);
        QTRY_VERIFY(scopes->currentText().contains(u"10 kernels"_s));
    }

    void aThemeSwitchRepaintsTheWindow()
    {
        MainWindow window({});
        open(window);
        const auto centre = [&window] { return window.grab().toImage().pixelColor(4, window.height() * 3 / 4).lightness(); };
        const int light = centre();
        QTest::keyClick(&window, Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(centre() < light / 2);
    }

    void theCheatSheetShowsTheRealKeys()
    {
        MainWindow window({});
        open(window);
        QTest::keyClick(&window, Qt::Key_F1);
        auto* sheet = window.findChild<CheatSheet*>();
        QTRY_VERIFY(sheet->isVisible());
        QStringList texts;
        for (const QLabel* label : sheet->findChildren<QLabel*>())
            texts << label->text();
        for (const QString& key : {u"Ctrl+K"_s, u"Ctrl+G"_s, u"Alt+Left"_s, u"F11"_s, u"J"_s})
            QVERIFY2(texts.contains(key), qPrintable(key));
        QTest::keyClick(sheet, Qt::Key_Escape);
        QVERIFY(!sheet->isVisible());
    }

    void lettersAreTextWhileATextFieldHasTheKeyboard()
    {
        MainWindow window({});
        open(window, {{}, u"kernels"_s, {}, u"2"_s, {}, {}});
        QTRY_COMPARE(window.context().selection.kernelId(), std::int64_t{2});
        type(window, u"jjm"_s);
        QCOMPARE(window.findChild<QLineEdit*>(u"paletteLine"_s)->text(), u"jjm"_s);
        QCOMPARE(window.context().selection.kernelId(), std::int64_t{2});
    }

    void twoActionsNeverShareAKey()
    {
        MainWindow window({});
        open(window);
        QHash<QString, QString> owner;
        for (const QAction* action : window.findChildren<QAction*>()) {
            if (action->shortcutContext() != Qt::WindowShortcut || action->objectName().isEmpty())
                continue;
            for (const QKeySequence& key : action->shortcuts()) {
                const QString other = owner.value(key.toString());
                QVERIFY2(other.isEmpty() || other == action->objectName(),
                         qPrintable(u"%1: %2 and %3"_s.arg(key.toString(), other, action->objectName())));
                owner[key.toString()] = action->objectName();
            }
        }
        QVERIFY(owner.contains(u"Ctrl+K"_s));
    }

    void everyControlOfTheFrameHasAName()
    {
        MainWindow window({});
        open(window);
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            const bool isControl = qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget)
                || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QPlainTextEdit*>(widget);
            if (!isControl || !widget->isVisible() || widget->objectName().startsWith(u"qt_"_s))
                continue;
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
                     qPrintable(QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->objectName()));
        }
    }

    void aFileThatIsNoDatabaseIsRefusedInThePrompt()
    {
        const QString path = m_folder.filePath(u"rows.jsonl"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{}\n");
        file.close();
        MainWindow window({});
        open(window);
        QTest::keyClick(&window, Qt::Key_O, Qt::ControlModifier);
        auto* line = window.findChild<QLineEdit*>(u"promptField0"_s);
        line->setText(path);
        QTest::keyClick(line, Qt::Key_Return);
        QVERIFY(window.findChild<QLabel*>(u"promptProblem"_s)->text().contains(u"import it"_s));
        QCOMPARE(window.context().workspace.path(), m_database);
    }
};

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
