// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/triage/kernel_corpus.h"
#include "views/triage/kernel_list.h"
#include "views/triage/triage_page.h"

#include <QAction>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSignalSpy>
#include <QtTest>

using namespace assay;
using namespace assay::tests;
using namespace Qt::StringLiterals;
using store::TriageColumn;
using views::KernelList;

namespace {

struct Page {
    Window window;
    std::unique_ptr<views::TriagePage> page;
    KernelList* list = nullptr;

    explicit Page(int many = 0)
    {
        if (many > 0)
            window.openMany(many);
        else
            window.openTwelve();
        QGuiApplication::clipboard()->setText(u"before"_s);
        page = std::make_unique<views::TriagePage>(window.context);
        list = page->findChild<KernelList*>();
        page->resize(1000, 600);
        page->show();
        QVERIFY(QTest::qWaitForWindowActive(page.get()));
        page->focusList();
        settle();
    }

    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.isBusy() && list->model().isComplete(), 20'000); }

    void showOnly(std::initializer_list<TriageColumn> columns) const
    {
        for (int column = 0; column < list->model().columnCount(); ++column)
            list->table().setColumnHidden(
                column, std::find(columns.begin(), columns.end(), static_cast<TriageColumn>(column)) == columns.end());
    }

    /// As a click does; selectRow() would heed keys that an earlier test pressed.
    void select(int row) const
    {
        list->table().selectionModel()->setCurrentIndex(list->model().index(row, 0),
                                                        QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }

    static QString clipboard() { return QGuiApplication::clipboard()->text(); }

    QByteArray fileText(const QString& name) const
    {
        QFile file(window.folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
};

} // namespace

class TriageCopyTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void controlCCopiesTheSelectedRowsInTheOrderOfTheColumns()
    {
        Page page;
        page.showOnly({TriageColumn::Id, TriageColumn::Family, TriageColumn::Error});
        page.list->table().horizontalHeader()->moveSection(
            page.list->table().horizontalHeader()->visualIndex(static_cast<int>(TriageColumn::Error)), 0);
        page.select(5);
        QTest::keyClick(&page.list->table(), Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(&page.list->table(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(Page::clipboard(), u"0.5\t6\tmatmul\nNaN\t7\tmatmul\n"_s);
    }

    void withShiftTheHeadersComeAlong()
    {
        Page page;
        page.showOnly({TriageColumn::Id, TriageColumn::Outcome});
        page.select(1);
        QTest::keyClick(&page.list->table(), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(Page::clipboard(), u"id\toutcome\n2\tfail_hard\n"_s);
    }

    void rowsCopyAsMarkdown()
    {
        Page page;
        page.showOnly({TriageColumn::Id, TriageColumn::Gates});
        page.select(8);
        page.page->findChild<QAction*>(u"triage.copyMarkdown"_s)->trigger();
        QCOMPARE(Page::clipboard(), u"| id | fails |\n| ---: | --- |\n| 9 | CMP-01, EXC-01 |\n"_s);
    }

    void everyRowIsCopiedWhetherItWasSeenOrNot()
    {
        Page page(10'000);
        page.showOnly({TriageColumn::Id, TriageColumn::Title});
        QSignalSpy copied(&page.list->copier(), &views::RowCopier::copied);
        QTest::keyClick(&page.list->table(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&page.list->table(), Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(copied.size(), 1, 20'000);
        const QStringList lines = Page::clipboard().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 10'000);
        QCOMPARE(lines.last(), u"10000\tkernel 10000"_s);
    }

    void whatIsTooLargeForTheClipboardIsOfferedAsAFile()
    {
        Page page(10'000);
        page.list->copier().setClipboardLimit(10'000);
        QString action;
        std::function<void()> run;
        connect(&page.window.messages, &views::Messages::posted, this,
                [&](views::Messages::Level, const QString&, const QString&, const QString& label,
                    const std::function<void()>& offered) {
                    action = label;
                    run = offered;
                });
        QTest::keyClick(&page.list->table(), Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(&page.list->table(), Qt::Key_C, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(action, u"Export to a file..."_s, 20'000);
        QCOMPARE(Page::clipboard(), u"before"_s);
        QSignalSpy wanted(&page.list->copier(), &views::RowCopier::saveWanted);
        run();
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<views::RowRequest>().rows(), 10'000);
    }

    void aCopyCanBeCancelled()
    {
        Page page(50'000);
        QSignalSpy cancelled(&page.window.jobs, &views::Jobs::cancelled);
        page.list->copySelection(views::RowFormat::Tsv, false);
        page.window.jobs.cancelAll();
        QTRY_COMPARE_WITH_TIMEOUT(cancelled.size(), 1, 20'000);
        QCOMPARE(Page::clipboard(), u"before"_s);
    }

    void anExportHoldsTheRowsOfTheFilterInItsOrder()
    {
        Page page;
        page.showOnly({TriageColumn::Id, TriageColumn::Error});
        QVERIFY(page.window.filters.setText(u"family:matmul"_s));
        page.window.filters.setSort({TriageColumn::Id, true});
        page.settle();
        QSignalSpy saved(&page.list->copier(), &views::RowCopier::saved);
        page.page->exportTo(page.window.folder.filePath(u"out.csv"_s));
        QTRY_COMPARE(saved.size(), 1);
        QCOMPARE(page.fileText(u"out.csv"_s), QByteArray("id,error\n8,\n7,NaN\n6,0.5\n"));
    }

    void aFailedExportLeavesTheOldFileAndSaysWhy()
    {
        Page page;
        QSignalSpy failed(&page.window.jobs, &views::Jobs::failed);
        page.page->exportTo(page.window.folder.filePath(u"missing/out.csv"_s));
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(failed[0][1].toString().contains(u"missing/out.csv"_s));
    }

    void anUnknownSuffixIsRefusedWithTheKnownOnes()
    {
        Page page;
        QSignalSpy posted(&page.window.messages, &views::Messages::posted);
        page.page->exportTo(page.window.folder.filePath(u"out.xlsx"_s));
        QCOMPARE(posted.size(), 1);
        QVERIFY(posted[0][1].toString().contains(u".jsonl"_s));
        QCOMPARE(page.window.jobs.running(), 0);
    }
};

QTEST_MAIN(TriageCopyTest)
#include "tst_triage_copy.moc"
