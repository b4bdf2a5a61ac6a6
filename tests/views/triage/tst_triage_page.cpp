// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/store/kernel_details.h"
#include "tests/views/triage/kernel_corpus.h"
#include "views/triage/facet_model.h"
#include "views/triage/facet_panel.h"
#include "views/triage/filter_edit.h"
#include "views/triage/gate_tips.h"
#include "views/triage/kernel_table_model.h"
#include "views/triage/kernel_table_view.h"
#include "views/triage/strip_geometry.h"
#include "views/triage/triage_page.h"

#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include <SQLiteCpp/Database.h>

using namespace assay;
using namespace assay::tests;
using namespace Qt::StringLiterals;
using store::TriageColumn;
using views::FacetModel;
using views::KernelTableModel;

namespace {

/// The page in a window of its own, with the keyboard in the table.
struct Page {
    Window window;
    std::unique_ptr<views::TriagePage> page;

    explicit Page(int many = 0)
    {
        if (many > 0)
            window.openMany(many);
        else
            window.openTwelve();
        window.selection.setPlace(u"kernels"_s);
        page = std::make_unique<views::TriagePage>(window.context);
        page->resize(1200, 700);
        page->show();
        QVERIFY(QTest::qWaitForWindowActive(page.get()));
        page->focusList();
        QTRY_VERIFY(settled());
    }

    bool settled() const { return !window.workspace.isBusy() && model().isComplete(); }
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(settled(), 20'000); }

    views::KernelTableView& table() const { return *page->findChild<views::KernelTableView*>(u"triage.table"_s); }
    KernelTableModel& model() const { return *static_cast<KernelTableModel*>(table().model()); }
    views::FilterEdit& filter() const { return *page->findChild<views::FilterEdit*>(u"triage.filter"_s); }
    views::FacetPanel& facets() const { return *page->findChild<views::FacetPanel*>(u"triage.facets"_s); }
    QWidget& named(const char16_t* name) const { return *page->findChild<QWidget*>(QStringView(name).toString()); }
    QString label(const char16_t* name) const { return page->findChild<QLabel*>(QStringView(name).toString())->text(); }

    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        QWidget* focus = page->focusWidget() ? page->focusWidget() : page.get();
        QTest::keyClick(focus, key, modifiers);
    }

    QString externalId(int row) const { return model().index(row, static_cast<int>(TriageColumn::Id)).data().toString(); }
    QString current() const { return table().currentIndex().isValid() ? externalId(table().currentIndex().row()) : QString(); }
    std::int64_t idOf(const char* external) const { return kernelId(*window.otherProcess(), external); }

    QStringList ids() const
    {
        QStringList ids;
        for (int row = 0; row < model().rowCount(); ++row)
            ids << externalId(row);
        return ids;
    }

    QRect cellRect(int row, TriageColumn column) const
    {
        return table().visualRect(model().index(row, static_cast<int>(column)));
    }

    void clickFacet(const char16_t* field, const char16_t* value, Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        const auto& facetModel = *static_cast<FacetModel*>(facets().model());
        const QModelIndex index = facetModel.find(QStringView(field).toString(), QStringView(value).toString());
        QVERIFY(index.isValid());
        facets().scrollTo(index);
        QTest::mouseClick(facets().viewport(), Qt::LeftButton, modifiers, facets().visualRect(index).center());
    }
};

} // namespace

class TriagePageTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void jAndKWalkTheListAndTheSelectionFollows()
    {
        Page page;
        page.key(Qt::Key_J);
        QCOMPARE(page.current(), u"1"_s);
        page.key(Qt::Key_J);
        page.key(Qt::Key_J);
        QCOMPARE(page.current(), u"3"_s);
        QCOMPARE(page.window.selection.kernelId(), page.idOf("3"));
        page.key(Qt::Key_K);
        QCOMPARE(page.window.selection.kernelId(), page.idOf("2"));
    }

    void shiftJFindsTheNextFailingKernelAcrossPages()
    {
        Page page(2000);
        QVERIFY(page.window.filters.setText(u"-id:3,6,9 soft=0"_s));
        page.settle();
        page.key(Qt::Key_J, Qt::ShiftModifier);
        page.settle();
        QTRY_COMPARE(page.current(), u"12"_s);
        QTest::keyClick(&page.table(), Qt::Key_End);
        page.settle();
        QTRY_COMPARE(page.current(), u"2000"_s);
        page.key(Qt::Key_K, Qt::ShiftModifier);
        QTRY_COMPARE(page.current(), u"1998"_s);
    }

    void homeAndEndAreTheFirstAndTheLastKernel()
    {
        Page page;
        page.key(Qt::Key_J);
        page.key(Qt::Key_End);
        QCOMPARE(page.current(), u"12"_s);
        page.key(Qt::Key_Home);
        QCOMPARE(page.current(), u"1"_s);
    }

    void aSelectionMadeElsewhereMovesTheTable()
    {
        Page page;
        page.window.selection.setKernel(page.idOf("9"));
        QCOMPARE(page.current(), u"9"_s);
        QVERIFY(page.table().selectionModel()->isRowSelected(8, {}));
        page.window.selection.back();
        QVERIFY(page.window.selection.kernelId() == 0);
    }

    void aKernelOutsideTheFilterIsAnnouncedAndClearingTheFilterFindsIt()
    {
        Page page;
        QVERIFY(page.window.filters.setText(u"family:scan"_s));
        page.settle();
        page.window.selection.setKernel(page.idOf("9"));
        QVERIFY(page.named(u"triage.notice").isVisible());
        QVERIFY(page.current().isEmpty());
        QTest::mouseClick(page.named(u"triage.notice").findChild<QPushButton*>(), Qt::LeftButton);
        page.settle();
        QCOMPARE(page.window.filters.text(), QString());
        QCOMPARE(page.current(), u"9"_s);
        QVERIFY(!page.named(u"triage.notice").isVisible());
    }

    void aFilterThatHidesTheSelectedKernelSaysSo()
    {
        Page page;
        page.key(Qt::Key_J);
        QVERIFY(!page.named(u"triage.notice").isVisible());
        QVERIFY(page.window.filters.setText(u"family:conv"_s));
        page.settle();
        QVERIFY(page.named(u"triage.notice").isVisible());
        page.window.filters.undoAction()->trigger();
        page.settle();
        QVERIFY(!page.named(u"triage.notice").isVisible());
        QCOMPARE(page.current(), u"1"_s);
    }

    void aLinkWithAFilterScrollsToItsKernel()
    {
        Page page(3000);
        QVERIFY(page.window.filters.setText(u"family:scan"_s));
        page.window.selection.setKernel(page.idOf("2000"));
        page.settle();
        QCOMPARE(page.current(), u"2000"_s);
        QVERIFY(page.table().viewport()->rect().contains(page.cellRect(page.table().currentIndex().row(), TriageColumn::Id)));
    }

    void anotherAuditBringsItsOwnRows()
    {
        Page page;
        writeManyKernels(views::toFilesystemPath(page.window.databasePath()), 5);
        page.window.workspace.checkForChanges();
        QTRY_COMPARE(page.window.workspace.scopes().size(), std::size_t{2});
        page.window.workspace.setScope(page.window.workspace.scopes().back().id);
        page.settle();
        QCOMPARE(page.model().rowCount(), 5);
        QCOMPARE(page.label(u"triage.counts"), u"5 of 5"_s);
    }

    void theTipOfAGateSaysWhatWasMeasuredAgainstWhat()
    {
        Page page;
        views::GateTips tips(page.window.workspace);
        QSignalSpy detailed(&tips, &views::GateTips::detailed);
        const std::int64_t id = page.idOf("3");
        const auto tip = [&] { return tips.text(id, contract::Gate::Cmp01, contract::StripCell::FailSoft); };
        tips.show(page.page.get(), QRect(0, 0, 10, 10), QPoint(5, 5), id, contract::Gate::Cmp01, contract::StripCell::FailSoft);
        QVERIFY(tip().startsWith(u"CMP-01 value under input variation: "_s));
        QTRY_COMPARE(detailed.size(), 1);
        QVERIFY(tip().contains(u"Measured 1.12e+22 against 6.05e+21, 8.00e-05 of the output's scale."_s));
    }

    void aClickOnAStripCellSelectsKernelAndGate()
    {
        Page page;
        const QRect cell = page.cellRect(2, TriageColumn::Gates);
        const QPoint spot = views::StripGeometry(QRectF(cell)).cell(contract::Gate::Prc02).center().toPoint();
        QTest::mouseClick(page.table().viewport(), Qt::LeftButton, {}, spot);
        QCOMPARE(page.window.selection.kernelId(), page.idOf("3"));
        QVERIFY(page.window.selection.gate() == contract::Gate::Prc02);
        QCOMPARE(page.model().index(2, 0).data(KernelTableModel::MarkedGateRole).toInt(),
                 contract::indexOf(contract::Gate::Prc02));
    }

    void theHeaderNamesEachGateAboveItsCell()
    {
        Page page;
        const QRect cell = page.cellRect(0, TriageColumn::Gates);
        for (const contract::Gate gate : contract::kAllGates) {
            const QPointF centre = views::StripGeometry(QRectF(cell)).cell(gate).center();
            QVERIFY(views::StripGeometry(QRectF(cell)).gateAt(centre) == gate);
        }
        QVERIFY(views::StripGeometry::fullWidth() <= cell.width());
    }

    void aClickOnAHeaderSortsAndASecondOneTurnsTheOrder()
    {
        Page page;
        QHeaderView* header = page.table().horizontalHeader();
        const int error = static_cast<int>(TriageColumn::Error);
        const QPoint spot(header->sectionViewportPosition(error) + 20, header->height() / 2);
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, spot);
        page.settle();
        QCOMPARE(page.window.filters.sort(), (store::TriageSort{TriageColumn::Error, true}));
        QCOMPARE(page.externalId(0), u"7"_s);
        QCOMPARE(header->sortIndicatorSection(), error);
        QCOMPARE(header->sortIndicatorOrder(), Qt::DescendingOrder);
        QVERIFY(header->isSortIndicatorShown());
        QVERIFY(page.table().selectedRanges().empty());
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, spot);
        page.settle();
        QCOMPARE(page.externalId(0), u"9"_s);
        QCOMPARE(header->sortIndicatorOrder(), Qt::AscendingOrder);
    }

    void eLeadsToTheLargestErrorThatAnOrderFits()
    {
        Page page;
        page.key(Qt::Key_E);
        page.settle();
        QCOMPARE(page.current(), u"3"_s);
        QCOMPARE(page.window.filters.text(), u"-error:nan"_s);
    }

    void enterDrillsAndEscapeStepsOut()
    {
        Page page;
        QSignalSpy drill(page.page.get(), &views::TriagePage::drillRequested);
        page.key(Qt::Key_J);
        page.key(Qt::Key_Return);
        QCOMPARE(drill.size(), 1);
        page.window.selection.setGate(contract::Gate::Exc01);
        page.key(Qt::Key_Escape);
        QVERIFY(!page.window.selection.gate());
        QCOMPARE(page.window.selection.spot().place, u"kernels"_s);
        page.key(Qt::Key_Escape);
        QCOMPARE(page.window.selection.spot().place, u"overview"_s);
    }

    void slashGoesToTheFilterLineAndEnterAppliesIt()
    {
        Page page;
        page.key(Qt::Key_Slash);
        QVERIFY(page.filter().hasFocus());
        QTest::keyClicks(&page.filter(), u"family:norm"_s);
        page.key(Qt::Key_Return);
        page.settle();
        QCOMPARE(page.ids(), QStringList({u"4"_s, u"5"_s}));
        QCOMPARE(page.label(u"triage.counts"), u"2 of 12"_s);
        QVERIFY(page.table().hasFocus());
    }

    void lettersTypedIntoTheFilterLineAreText()
    {
        Page page;
        page.key(Qt::Key_J);
        page.key(Qt::Key_Slash);
        QTest::keyClicks(&page.filter(), u"jkme"_s);
        QCOMPARE(page.filter().text(), u"jkme"_s);
        QCOMPARE(page.current(), u"1"_s);
    }

    void aMistakeIsShownUnderTheLineAndTheOldFilterStays()
    {
        Page page;
        QVERIFY(page.window.filters.setText(u"family:scan"_s));
        page.settle();
        page.page->focusFilter();
        QTest::keyClicks(&page.filter(), u"famly:scan"_s);
        QVERIFY(page.label(u"triage.problem").contains(u"family"_s));
        QVERIFY(page.named(u"triage.problem").isVisible());
        page.key(Qt::Key_Return);
        QCOMPARE(page.window.filters.text(), u"family:scan"_s);
        QCOMPARE(page.filter().text(), u"famly:scan"_s);
        page.key(Qt::Key_Escape);
        QCOMPARE(page.filter().text(), u"family:scan"_s);
        QVERIFY(page.table().hasFocus());
        QVERIFY(!page.named(u"triage.problem").isVisible());
    }

    void tabTakesTheFirstCompletion()
    {
        Page page;
        page.page->focusFilter();
        QTest::keyClicks(&page.filter(), u"outc"_s);
        QTest::keyClick(&page.filter(), Qt::Key_Tab);
        QCOMPARE(page.filter().text(), u"outcome:"_s);
        QVERIFY(page.filter().hasFocus());
    }

    void aFacetClickFiltersAndAControlClickLeavesOut()
    {
        Page page;
        page.clickFacet(u"family", u"conv");
        page.settle();
        QCOMPARE(page.ids(), QStringList({u"9"_s, u"10"_s, u"11"_s, u"12"_s}));
        page.clickFacet(u"language", u"cuda", Qt::ControlModifier);
        page.settle();
        QCOMPARE(page.ids(), QStringList({u"9"_s, u"10"_s, u"11"_s}));
        QCOMPARE(page.filter().text(), u"family:conv -language:cuda"_s);
        page.clickFacet(u"family", u"conv");
        page.settle();
        QCOMPARE(page.filter().text(), u"-language:cuda"_s);
    }

    void facetsWorkFromTheKeyboard()
    {
        Page page;
        const auto& model = *static_cast<FacetModel*>(page.facets().model());
        page.facets().setFocus();
        page.facets().setCurrentIndex(model.find(u"family"_s, u"scan"_s));
        QTest::keyClick(&page.facets(), Qt::Key_Space);
        QCOMPARE(page.window.filters.text(), u"family:scan"_s);
        QTest::keyClick(&page.facets(), Qt::Key_Left);
        QTest::keyClick(&page.facets(), Qt::Key_Left);
        QCOMPARE(page.facets().collapsed(), QStringList({u"family"_s}));
        QTest::keyClick(&page.facets(), Qt::Key_Right);
        QVERIFY(page.facets().collapsed().isEmpty());
    }

    void undoBringsTheLastFilterBack()
    {
        Page page;
        page.clickFacet(u"family", u"scan");
        page.settle();
        page.window.filters.undoAction()->trigger();
        page.settle();
        QCOMPARE(page.filter().text(), QString());
        QCOMPARE(page.model().rowCount(), 12);
    }

    void anEmptyListNamesTheNextAction()
    {
        Page page;
        QVERIFY(page.window.filters.setText(u"family:none"_s));
        page.settle();
        QVERIFY(page.named(u"triage.empty").isVisible());
        QTest::mouseClick(&page.named(u"triage.emptyAction"), Qt::LeftButton);
        page.settle();
        QCOMPARE(page.model().rowCount(), 12);
        QVERIFY(!page.named(u"triage.empty").isVisible());
    }

    void columnsAreChosenMovedAndRemembered()
    {
        Page page;
        QMenu menu;
        page.table().fillColumnMenu(menu);
        menu.findChild<QAction*>(u"triage.column.elapsed"_s)->trigger();
        menu.findChild<QAction*>(u"triage.column.title"_s)->trigger();
        QHeaderView* header = page.table().horizontalHeader();
        header->moveSection(header->visualIndex(static_cast<int>(TriageColumn::Error)), 0);
        header->resizeSection(static_cast<int>(TriageColumn::Error), 123);
        const auto shown = page.table().shownColumns();
        QVERIFY(shown.front() == TriageColumn::Error);
        QVERIFY(std::find(shown.begin(), shown.end(), TriageColumn::Title) == shown.end());
        page.facets().setCollapsed({u"status"_s});
        const QByteArray state = page.page->saveState();

        Page later;
        QVERIFY(later.page->restoreState(state));
        QVERIFY(later.table().shownColumns() == shown);
        QCOMPARE(later.table().columnWidth(static_cast<int>(TriageColumn::Error)), 123);
        QCOMPARE(later.facets().collapsed(), QStringList({u"status"_s}));
        QVERIFY(!later.page->restoreState("{\"version\": 99}"));
        QVERIFY(later.table().shownColumns() == shown);
    }

    void theLastColumnCannotBeHidden()
    {
        Page page;
        for (const TriageColumn column : page.table().shownColumns()) {
            QMenu menu;
            page.table().fillColumnMenu(menu);
            const auto actions = menu.actions();
            actions[static_cast<int>(column)]->trigger();
        }
        QCOMPARE(page.table().shownColumns().size(), std::size_t{1});
    }

    void aRefreshKeepsSelectionAndScrollPosition()
    {
        Page page(3000);
        page.table().selectionModel()->setCurrentIndex(page.model().index(1500, 0),
                                                       QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        page.settle();
        page.table().scrollToTopRow(1490);
        page.settle();
        QItemSelection two;
        two.select(page.model().index(1500, 0), page.model().index(1501, 0));
        page.table().selectionModel()->select(two, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        // One row leaves far above, so that every row moves up by one.
        const auto other = page.window.otherProcess();
        other->sqlite().exec("DELETE FROM triage WHERE kernel_id = 7");
        page.window.workspace.checkForChanges();
        QTRY_COMPARE(page.model().rowCount(), 2999);
        page.settle();
        QCOMPARE(page.current(), u"1501"_s);
        QCOMPARE(page.table().topRow(), 1489);
        QCOMPARE(page.table().selectedRanges(), (std::vector<views::RowRange>{{1499, 1500}}));
    }

    void mMarksTheKernelAndMarksItNoMore()
    {
        Page page;
        page.key(Qt::Key_J);
        page.key(Qt::Key_M);
        const auto flags = [&] { return page.model().index(0, 0).data(KernelTableModel::FlagsRole).toInt(); };
        QTRY_COMPARE(flags() & KernelTableModel::Bookmarked, int(KernelTableModel::Bookmarked));
        page.settle();
        page.key(Qt::Key_M);
        QTRY_COMPARE(flags() & KernelTableModel::Bookmarked, 0);
        QCOMPARE(page.current(), u"1"_s);
    }

    void aSavedViewBringsFilterOrderAndColumnsBack()
    {
        Page page;
        QVERIFY(page.window.filters.setText(u"family:conv"_s));
        page.window.filters.setSort({TriageColumn::Title, true});
        page.settle();
        page.page->findChild<QAction*>(u"triage.saveView"_s)->trigger();
        auto* name = page.page->findChild<QLineEdit*>(u"triage.viewName"_s);
        QVERIFY(name->isVisible());
        QTest::keyClicks(name, u"my convolutions"_s);
        QTest::keyClick(name, Qt::Key_Return);
        page.window.filters.clear();
        page.window.filters.setSort({});
        auto* menu = page.page->findChild<QMenu*>(u"triage.views"_s);
        const auto entry = [menu]() -> QAction* {
            for (QAction* action : menu->actions()) {
                if (action->text() == u"my convolutions"_s)
                    return action;
            }
            return nullptr;
        };
        QTRY_VERIFY(entry());
        page.settle();
        entry()->trigger();
        page.settle();
        QCOMPARE(page.filter().text(), u"family:conv"_s);
        QCOMPARE(page.window.filters.sort(), (store::TriageSort{TriageColumn::Title, true}));
        QCOMPARE(page.ids(), QStringList({u"9"_s, u"12"_s, u"11"_s, u"10"_s}));
    }

    void everythingThatTakesTheKeyboardHasAName()
    {
        Page page;
        for (const QWidget* widget : page.page->findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || widget->focusProxy())
                continue;
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
                     qPrintable(QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->objectName()));
        }
    }
};

QTEST_MAIN(TriagePageTest)
#include "tst_triage_page.moc"
