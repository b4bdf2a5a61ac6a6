// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/views/diff/outputs_corpus.h"
#include "views/diff/diff_page.h"
#include "views/diff/range_control.h"
#include "views/diff/segment_bar.h"
#include "views/diff/slice_slider.h"
#include "views/diff/tensor_pane.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

/// The page in a window of its own.
struct Shown {
    Theme theme;
    DiffPage page{theme};

    explicit Shown(std::vector<DiffSourcePtr> pairs)
    {
        theme.apply(*qApp);
        page.resize(1200, 900);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        DiffSources sources;
        sources.pairs = std::move(pairs);
        page.setSources(std::move(sources), u"r \u2192 c"_s);
        page.setFocus();
        settle();
    }

    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(page.isSettled(), 20'000); }
    template <typename T> T& find(const char* name) const
    {
        auto* found = page.findChild<T*>(QString::fromLatin1(name));
        if (!found)
            qFatal("no %s", name);
        return *found;
    }
    TensorPane& pane(int side) const { return find<TensorPane>(qPrintable(u"diff.pane%1"_s.arg(side))); }
    QString picked() const { return find<QLabel>("diff.picked").text(); }
    QString said() const { return find<QLabel>("diff.sentences").text(); }
    SliceSlider& slice(int axis) const { return find<SliceSlider>(qPrintable(u"diff.slice%1"_s.arg(axis))); }
    void key(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QWidget* focus = page.focusWidget() ? page.focusWidget() : &page;
        QTest::keyClick(focus, Qt::Key(key), modifiers);
        settle();
    }
    QRgb pixel(const TensorPane& pane, double x, double y) const
    {
        const QRectF canvas = pane.canvas();
        return const_cast<TensorPane&>(pane).grab().toImage().pixel(int(canvas.left() + x * canvas.width()),
                                                                    int(canvas.top() + y * canvas.height()));
    }
};

} // namespace

/// The page of the output diff with real clicks and keys.
class DiffPageTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void itSaysWhereTheDifferencesAreAndOpensAtTheLargest()
    {
        Shown shown({tests::wrongTail()});
        QVERIFY2(shown.said().contains(
                     u"280 elements (1.2 %) differ: all of them in the last 7 columns of slice 2 of axis 1 of slice 1 of axis 0, "
                     "where all do."_s),
                 qPrintable(shown.said()));
        QVERIFY(shown.said().contains(u"2 elements (0.0083 %) are NaN or infinite"_s));
        QCOMPARE(shown.slice(0).index(), std::int64_t{1});
        QCOMPARE(shown.slice(1).index(), std::int64_t{2});
        QCOMPARE(shown.find<QToolButton>("overlay.0").text(), u"NaN  1 \u2192 2"_s);
        QCOMPARE(shown.find<QToolButton>("overlay.1").text(), u"+Inf  0 \u2192 1"_s);
        QCOMPARE(shown.find<QToolButton>("overlay.3").text(), u"other class  2"_s);
    }

    void enterInTheListJumpsToTheElementInItsSlice()
    {
        Shown shown({tests::wrongTail()});
        auto& table = shown.find<QTableView>("diff.worst");
        table.setFocus();
        table.selectRow(0);
        shown.key(Qt::Key_Return);
        QCOMPARE(shown.slice(0).index(), std::int64_t{2});
        QCOMPARE(shown.slice(1).index(), std::int64_t{0});
        QTRY_VERIFY(shown.picked().startsWith(u"(2, 0, 10, 20)"_s));
        QVERIFY2(shown.picked().contains(u"cand NaN 0x7fc00000"_s), qPrintable(shown.picked()));
        QVERIFY(shown.picked().contains(u"not both finite"_s));
    }

    void aClickPicksAndArrowsMoveThePick()
    {
        Shown shown({makeFlat()});
        TensorPane& pane = shown.pane(2);
        const QRectF canvas = pane.canvas();
        QTest::mouseClick(&pane, Qt::LeftButton, {}, canvas.center().toPoint());
        shown.settle();
        const QString first = shown.picked();
        QVERIFY2(first.startsWith(u"(10, 15)"_s), qPrintable(first));
        pane.setFocus();
        shown.key(Qt::Key_Right);
        shown.key(Qt::Key_Down);
        QVERIFY2(shown.picked().startsWith(u"(11, 16)"_s), qPrintable(shown.picked()));
        shown.key(Qt::Key_Left, Qt::ShiftModifier);
        QVERIFY2(shown.picked().startsWith(u"(11, 0)"_s), qPrintable(shown.picked()));
    }

    void aClickOnAPixelOfManyElementsPicksTheWorst()
    {
        // One wrong element among 2000 x 2000, shown far below one pixel an element.
        Shown shown({tests::makePair({2000, 2000}, [](std::vector<float>& values) { values[1234 * 2000 + 777] += 3; })});
        TensorPane& pane = shown.pane(2);
        const QRectF canvas = pane.canvas();
        const double side = std::min(canvas.width(), canvas.height());
        const QPointF corner = canvas.center() - QPointF(side, side) / 2;
        const QPointF at = corner + QPointF(780, 1236) * side / 2000; // the middle of the 8 x 8 elements that a cell stands for
        const QRgb there = pane.grab().toImage().pixel(at.toPoint());
        QVERIFY2(there != shown.pixel(pane, 0.5, 0.5), "a single wrong element has to be seen at any zoom");
        QTest::mouseClick(&pane, Qt::LeftButton, {}, at.toPoint());
        shown.settle();
        QVERIFY2(shown.picked().startsWith(u"(1234, 777)"_s), qPrintable(shown.picked()));
    }

    void holdingBShowsTheCandidateInTheReferencesPlace()
    {
        Shown shown({makeFlat()});
        shown.find<SegmentBar>("diff.mode").findChildren<QToolButton*>()[1]->click(); // Blink
        QVERIFY(!shown.pane(1).isVisible() && !shown.pane(2).isVisible());
        shown.settle();
        TensorPane& pane = shown.pane(0);
        pane.setFocus();
        const QRgb reference = shown.pixel(pane, 0.98, 0.5);
        QTest::keyPress(&pane, Qt::Key_B);
        QCOMPARE(pane.shownSide(), TensorPane::Side::Candidate);
        QVERIFY(shown.pixel(pane, 0.98, 0.5) != reference);
        QTest::keyRelease(&pane, Qt::Key_B);
        QCOMPARE(pane.shownSide(), TensorPane::Side::Reference);
        QCOMPARE(shown.pixel(pane, 0.98, 0.5), reference);
    }

    void bBlinksFromTheListToo()
    {
        Shown shown({makeFlat()});
        auto& table = shown.find<QTableView>("diff.worst");
        table.setFocus();
        QTest::keyPress(&table, Qt::Key_B);
        QCOMPARE(shown.pane(0).shownSide(), TensorPane::Side::Candidate);
        QTest::keyRelease(&table, Qt::Key_B);
        QCOMPARE(shown.pane(0).shownSide(), TensorPane::Side::Reference);
    }

    void xStepsThroughTheMetrics()
    {
        Shown shown({makeFlat()});
        auto& metrics = shown.find<SegmentBar>("diff.metric");
        for (const auto wanted : {diff::Metric::Relative, diff::Metric::Ulp, diff::Metric::OverBound, diff::Metric::Absolute}) {
            shown.key(Qt::Key_X);
            QCOMPARE(metrics.current(), int(wanted));
        }
    }

    void bracketsStepThroughSlicesAndWithShiftToTheNextFailingOne()
    {
        Shown shown({tests::wrongTail()});
        QCOMPARE(shown.slice(0).index(), std::int64_t{1});
        shown.key(Qt::Key_BracketLeft);
        QCOMPARE(shown.slice(0).index(), std::int64_t{0});
        QTest::keyClick(shown.page.focusWidget(), Qt::Key_BraceRight, Qt::ShiftModifier);
        shown.settle();
        QCOMPARE(shown.slice(0).index(), std::int64_t{1});
        shown.key(Qt::Key_BracketRight);
        QCOMPARE(shown.slice(0).index(), std::int64_t{2});
        shown.key(Qt::Key_BracketRight);
        QCOMPARE(shown.slice(0).index(), std::int64_t{2});
    }

    void ctrlGGoesToAnIndex()
    {
        Shown shown({tests::wrongTail()});
        shown.key(Qt::Key_G, Qt::ControlModifier);
        auto& edit = shown.find<QLineEdit>("diff.index");
        QVERIFY(edit.hasFocus());
        QTest::keyClicks(&edit, u"2, 3, 4, 5"_s);
        shown.key(Qt::Key_Return);
        QTRY_VERIFY2(shown.picked().startsWith(u"(2, 3, 4, 5)"_s), qPrintable(shown.picked()));
        QVERIFY(shown.picked().endsWith(u"equal"_s));
        QVERIFY(!edit.hasFocus());
        shown.key(Qt::Key_G, Qt::ControlModifier);
        QTest::keyClicks(&edit, u"9, 9, 9, 9"_s);
        shown.key(Qt::Key_Return);
        QVERIFY(shown.picked().contains(u"is no index of a tensor of shape (3, 4, 40, 50)"_s));
    }

    void flattenShowsEverySliceInOnePicture()
    {
        Shown shown({tests::wrongTail()});
        shown.find<QPushButton>("diff.flatten").click();
        shown.settle();
        QVERIFY(shown.page.findChildren<SliceSlider*>().isEmpty());
        shown.page.goTo({2, 3, 39, 49});
        QTRY_VERIFY(shown.picked().startsWith(u"(2, 3, 39, 49)"_s));
    }

    void boundsTurnToErrorOverBound()
    {
        Shown shown({makeFlat()});
        auto& edit = shown.find<QLineEdit>("diff.atol");
        edit.setFocus();
        QTest::keyClicks(&edit, u"2"_s);
        shown.key(Qt::Key_Return);
        QCOMPARE(shown.find<SegmentBar>("diff.metric").current(), int(diff::Metric::OverBound));
        QVERIFY2(shown.said().contains(u"All elements are within the bound; 20 of 600 differ."_s), qPrintable(shown.said()));
        edit.setFocus();
        edit.selectAll();
        QTest::keyClicks(&edit, u"0.5"_s);
        shown.key(Qt::Key_Return);
        QVERIFY2(shown.said().contains(u"20 elements (3.3 %) are beyond the bound: all of them in column 29, where all do."_s),
                 qPrintable(shown.said()));
    }

    void rFitsADraggedRange()
    {
        Shown shown({makeFlat()});
        auto& control = shown.find<RangeControl>("diff.range");
        const double high = control.scale().high();
        Q_EMIT control.rangeChanged(0.1, 0.2);
        shown.settle();
        QCOMPARE(control.scale().high(), 0.2);
        shown.pane(0).setFocus();
        shown.key(Qt::Key_R);
        QCOMPARE(control.scale().high(), high);
    }

    void overlaysAreSwitchedByTheirButtons()
    {
        Shown shown({tests::makePair({20, 30}, [](std::vector<float>& values) {
            for (std::size_t i = 0; i < values.size(); ++i)
                values[i] = NAN;
        })});
        const TensorPane& pane = shown.pane(1);
        const QRgb magenta = shown.pixel(pane, 0.5, 0.5);
        shown.find<QToolButton>("overlay.0").click();
        shown.settle();
        QVERIFY(shown.pixel(pane, 0.5, 0.5) != magenta);
    }

    void theWheelZoomsAllPanesTogether()
    {
        Shown shown({makeFlat()});
        const QImage before = shown.pane(2).grab().toImage();
        TensorPane& pane = shown.pane(0);
        const QPointF at = pane.canvas().center();
        QWheelEvent turn(at, pane.mapToGlobal(at), {}, {0, 240}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&pane, &turn);
        shown.settle();
        QVERIFY(shown.pane(2).grab().toImage() != before);
        pane.setFocus();
        shown.key(Qt::Key_0);
        QCOMPARE(shown.pane(2).grab().toImage(), before);
    }

    void longRowsGetTheWholeWidth()
    {
        Shown shown({tests::makePair({3, 80}, [](std::vector<float>& values) { values[7] = 1e30F; })});
        QVERIFY(shown.pane(1).geometry().top() > shown.pane(0).geometry().bottom());
        QCOMPARE(shown.pane(1).width(), shown.pane(0).width());
        Shown square({makeFlat()});
        QVERIFY(square.pane(1).geometry().left() > square.pane(0).geometry().right());
    }

    void ctrlCCopiesARowOfTheList()
    {
        Shown shown({makeFlat()});
        auto& table = shown.find<QTableView>("diff.worst");
        table.setFocus();
        table.selectRow(0);
        shown.key(Qt::Key_C, Qt::ControlModifier);
        QVERIFY2(QApplication::clipboard()->text().startsWith(u"("_s) && QApplication::clipboard()->text().contains(u"\t1\t"_s),
                 qPrintable(QApplication::clipboard()->text()));
    }

    void severalPairsAreChosenFromAList()
    {
        Shown shown({tests::makePair(
                         {4, 4}, [](std::vector<float>&) {}, u"a"_s),
                     tests::makePair(
                         {4, 4}, [](std::vector<float>& values) { values[0] = 99; }, u"b"_s)});
        QVERIFY2(shown.said().startsWith(u"All 16 elements are equal, bit for bit."_s), qPrintable(shown.said()));
        auto& pairs = shown.find<QComboBox>("diff.pairs");
        pairs.setCurrentIndex(1);
        Q_EMIT pairs.activated(1);
        shown.settle();
        QVERIFY(shown.said().startsWith(u"1 element (6.2 %) differs: at (0, 0)."_s));
    }

    void scalarsLinesAndEmptyTensorsAreShown()
    {
        for (const auto& shape : {std::vector<std::int64_t>{}, {1}, {10000}, {0}, {3, 0, 2}, {1, 1, 1}}) {
            Shown shown({tests::makePair(shape, [](std::vector<float>& values) {
                if (!values.empty())
                    values.back() += 1;
            })});
            const bool isEmpty = std::ranges::find(shape, 0) != shape.end();
            QVERIFY2(shown.said().contains(isEmpty ? u"no elements"_s : u"iffer"_s), qPrintable(shown.said()));
        }
    }

    void nothingToCompareIsSaid()
    {
        const Theme theme;
        DiffPage page(theme);
        DiffSources sources;
        sources.refusals << u"y: the shapes differ, (2,) and (3,)."_s;
        page.setSources(std::move(sources));
        QVERIFY(!page.hasPair());
        QCOMPARE(page.findChild<QLabel*>(u"diff.message"_s)->text(), u"y: the shapes differ, (2,) and (3,)."_s);
    }

    void aPageThatGoesWhileItMeasuresEndsItsWork()
    {
        for (int i = 0; i < 5; ++i) {
            const Theme theme;
            DiffPage page(theme);
            page.resize(800, 600);
            page.show();
            DiffSources sources;
            sources.pairs = {tests::makePair({1500, 1500}, [](std::vector<float>& values) { values[5] = 1; })};
            page.setSources(std::move(sources));
            QCoreApplication::processEvents();
        }
    }

private:
    /// 20 x 30, the last column off by one.
    static DiffSourcePtr makeFlat()
    {
        return tests::makePair({20, 30}, [](std::vector<float>& values) {
            for (std::size_t row = 0; row < 20; ++row)
                values[row * 30 + 29] += 1;
        });
    }
};

QTEST_MAIN(DiffPageTest)
#include "tst_diff_page.moc"
