// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/triage/kernel_corpus.h"
#include "views/evidence/evidence_pane.h"
#include "views/shell/main_window.h"
#include "views/state/filter_stack.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

/// A person with a keyboard, in the real window, on the twelve kernels of kernel_corpus.h.
class WayThroughTheWindowTest final : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    std::unique_ptr<MainWindow> m_window;

    void open(const QString& page, QSize size = {1440, 900})
    {
        const QString path = m_folder.filePath(u"twelve.assay"_s);
        if (!QFile::exists(path))
            tests::writeTwelveKernels(toFilesystemPath(path));
        m_window = std::make_unique<MainWindow>(QString());
        m_window->resize(size);
        m_window->show();
        StartRequest request;
        request.spot.database = path;
        request.spot.place = page;
        request.theme = u"light"_s;
        m_window->start(request);
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QTRY_VERIFY(m_window->isSettled());
    }

    void press(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QVERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers);
        QTRY_VERIFY(m_window->isSettled());
    }

    QTableView& table() const { return *m_window->findChild<QTableView*>(u"triage.table"_s); }
    bool isInEvidence() const
    {
        return m_window->findChild<EvidencePane*>(u"triage.evidence"_s)->isAncestorOf(QApplication::focusWidget());
    }
    QString shownKernel() const
    {
        const int row = table().currentIndex().row();
        return table().model()->index(row, static_cast<int>(store::TriageColumn::Id)).data().toString();
    }

private Q_SLOTS:
    void cleanup() { m_window.reset(); }

    void fiveKeysLeadFromTheOverviewToTheWorstScanAndEscapeLeadsBack()
    {
        open(u"overview"_s);
        for (const int key : {Qt::Key_S, Qt::Key_C, Qt::Key_Return, Qt::Key_E, Qt::Key_Return})
            press(key);
        QCOMPARE(shownKernel(), u"3"_s);
        QVERIFY(isInEvidence());
        press(Qt::Key_Escape);
        QVERIFY(table().hasFocus());
        press(Qt::Key_Escape);
        QCOMPARE(m_window->context().selection.spot().place, u"overview"_s);
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(m_window->context().selection.spot().place, u"kernels"_s);
    }

    void escapeLeavesTheEvidenceFromEverySection()
    {
        open(u"kernels"_s);
        press(Qt::Key_J);
        for (const int key : {Qt::Key_C, Qt::Key_S, Qt::Key_D, Qt::Key_O, Qt::Key_L, Qt::Key_N}) {
            press(Qt::Key_Return); // into the evidence
            QVERIFY(isInEvidence());
            press(key);
            press(Qt::Key_Escape);
            if (key == Qt::Key_N && isInEvidence())
                press(Qt::Key_Escape); // the first one gave up the note
            QVERIFY2(table().hasFocus(), qPrintable(QKeySequence(key).toString()));
        }
    }

    void aSlashOnTheOverviewGoesToTheFilterLine()
    {
        open(u"overview"_s);
        press(Qt::Key_Slash);
        QCOMPARE(m_window->context().selection.spot().place, u"kernels"_s);
        auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(line);
        QTest::keyClicks(line, u"family:conv"_s);
        press(Qt::Key_Return);
        QTRY_COMPARE(table().model()->rowCount(), 4);
        QCOMPARE(m_window->context().filters.text(), u"family:conv"_s);
        QVERIFY(table().hasFocus());
    }

    void lettersInTheFilterLineAreText()
    {
        open(u"kernels"_s);
        press(Qt::Key_Slash);
        auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(line);
        for (const char letter : std::string("jkemdscloNwvfg1"))
            QTest::keyClick(line, letter);
        QCOMPARE(line->text().toLower(), u"jkemdsclonwvfg1"_s);
        QCOMPARE(m_window->context().selection.kernelId(), std::int64_t{0});
        QVERIFY(line->hasFocus());
    }

    void copiedRowsAreTabSeparatedAndCarryHeadersWhenAsked()
    {
        open(u"kernels"_s);
        press(Qt::Key_J);
        press(Qt::Key_J);
        press(Qt::Key_C, Qt::ControlModifier);
        QTRY_VERIFY(QGuiApplication::clipboard()->text().startsWith(u"2\tscan_kernel_2\t"_s));
        press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(QGuiApplication::clipboard()->text().startsWith(u"id\ttitle\t"_s));
        QCOMPARE(QGuiApplication::clipboard()->text().trimmed().count(u'\n'), 1);
    }

    void theThemeSwitchKeepsTheKernelAndTheKeyboard()
    {
        open(u"kernels"_s);
        press(Qt::Key_J);
        press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(m_window->context().theme.isDark());
        QCOMPARE(shownKernel(), u"1"_s);
        QVERIFY(table().hasFocus());
    }

    void aWindowOfEverySizeShowsTheListUpToItsNumbers_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("last");
        QTest::newRow("1600") << QSize(1600, 1000) << static_cast<int>(store::TriageColumn::Relative);
        QTest::newRow("1280") << QSize(1280, 800) << static_cast<int>(store::TriageColumn::Error);
        QTest::newRow("1000") << QSize(1000, 700) << static_cast<int>(store::TriageColumn::Gates);
    }

    void aWindowOfEverySizeShowsTheListUpToItsNumbers()
    {
        QFETCH(QSize, size);
        QFETCH(int, last);
        open(u"kernels"_s, size);
        const QHeaderView& header = *table().horizontalHeader();
        const int end = header.sectionViewportPosition(last) + header.sectionSize(last);
        QVERIFY2(end <= table().viewport()->width(), qPrintable(u"%1 of %2 px"_s.arg(end).arg(table().viewport()->width())));
    }

    void facetsAndAWideEvidenceAreAKeyAway()
    {
        open(u"kernels"_s);
        const auto* split = m_window->findChild<QSplitter*>(u"kernels"_s);
        const int narrow = split->sizes().last();
        press(Qt::Key_V);
        QVERIFY(split->sizes().last() > split->sizes().first());
        press(Qt::Key_V);
        QCOMPARE(split->sizes().last(), narrow);
        const int list = table().width();
        press(Qt::Key_F);
        QVERIFY(table().width() > list);
        press(Qt::Key_F);
        QCOMPARE(table().width(), list);
    }

    void everythingThatTakesTheKeyboardHasAName_data()
    {
        QTest::addColumn<QString>("page");
        for (const char* page : {"overview", "kernels", "audit", "calibrate", "launch"})
            QTest::newRow(page) << QString::fromLatin1(page);
    }

    void everythingThatTakesTheKeyboardHasAName()
    {
        QFETCH(QString, page);
        open(page);
        QStringList sections{QString()};
        if (page == u"kernels"_s) {
            press(Qt::Key_J);
            sections = {u"checks"_s, u"sources"_s, u"diff"_s, u"claim"_s, u"log"_s, u"notes"_s};
        }
        QStringList unnamed;
        for (const QString& section : sections) {
            if (!section.isEmpty())
                m_window->findChild<EvidencePane*>(u"triage.evidence"_s)->showSection(section);
            QTRY_VERIFY(m_window->isSettled());
            for (QWidget* widget : m_window->findChildren<QWidget*>()) {
                if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || widget->focusProxy())
                    continue;
                const QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(widget);
                if (!spoken || spoken->text(QAccessible::Name).trimmed().isEmpty())
                    unnamed << QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->objectName() + u" in "_s
                            + QString::fromLatin1(widget->parentWidget()->metaObject()->className());
            }
        }
        unnamed.removeDuplicates();
        QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(u"; "_s)));
    }
};

QTEST_MAIN(WayThroughTheWindowTest)
#include "tst_way_through_the_window.moc"
