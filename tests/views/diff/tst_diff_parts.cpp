// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/error.h"
#include "tests/views/diff/outputs_corpus.h"
#include "views/diff/background_task.h"
#include "views/diff/color_scale.h"
#include "views/diff/diff_engine.h"
#include "views/diff/diff_words.h"
#include "views/diff/grid_painter.h"
#include "views/diff/layout_bar.h"
#include "views/diff/range_control.h"
#include "views/diff/slice_slider.h"
#include "views/diff/viewport.h"
#include "views/diff/worst_model.h"
#include "views/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include <atomic>
#include <cmath>
#include <limits>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

PictureStyle styleOf(const Theme& theme)
{
    PictureStyle style;
    style.values = ColorScale(ColorScale::Map::Viridis, ScaleKind::Linear, 0, 10);
    style.errors = ColorScale(ColorScale::Map::Viridis, ScaleKind::Log, 1e-3, 1);
    style.colors = ClassColors::of(theme);
    return style;
}

/// One row of cells.
diff::CellGrid gridOf(const std::vector<double>& error, const std::vector<double>& reference,
                      const std::vector<double>& candidate, const std::vector<std::uint8_t>& flags)
{
    diff::CellGrid grid;
    grid.resize(1, std::ssize(error));
    grid.error = error;
    grid.reference = reference;
    grid.candidate = candidate;
    grid.firstReference = reference;
    grid.firstCandidate = candidate;
    grid.flags = flags;
    return grid;
}

} // namespace

/// The pieces of the output diff, each alone.
class DiffPartsTest final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void scalesAreMonotoneAndInvert()
    {
        for (const ColorScale& scale : {ColorScale(ColorScale::Map::Viridis, ScaleKind::Linear, -3, 7),
                                        ColorScale(ColorScale::Map::Viridis, ScaleKind::Log, 1e-6, 10),
                                        ColorScale(ColorScale::Map::Diverging, ScaleKind::SymLog, -100, 100),
                                        ColorScale(ColorScale::Map::Viridis, ScaleKind::Linear, -1e308, 1e308)}) {
            double last = scale.valueAt(0);
            for (int i = 1; i <= 50; ++i) {
                const double value = scale.valueAt(i / 50.0);
                QVERIFY(value > last);
                QVERIFY2(std::fabs(scale.position(value) - i / 50.0) < 1e-9, qPrintable(QString::number(scale.position(value))));
                last = value;
            }
            QCOMPARE(scale.color(scale.low()), ColorScale::mapColor(scale.map(), 0));
            QCOMPARE(scale.color(scale.high()), ColorScale::mapColor(scale.map(), 1));
            QCOMPARE(scale.color(kInf), ColorScale::mapColor(scale.map(), 1)); // clamped up, never to the lowest colour
        }
    }

    void scalesOfNothingAndOfSubnormalNumbersAreScales()
    {
        for (const auto kind : {ScaleKind::Linear, ScaleKind::Log, ScaleKind::SymLog}) {
            for (const double high : {0.0, 5e-324, 1e-310, 1.0}) {
                for (const double low : {0.0, high, high * 1e-4}) {
                    const ColorScale scale(ColorScale::Map::Viridis, kind, low, high);
                    QVERIFY(scale.low() < scale.high());
                    for (const double at : {0.0, 0.5, 1.0})
                        QVERIFY(std::isfinite(scale.valueAt(at)) && std::isfinite(scale.position(scale.valueAt(at))));
                }
            }
        }
    }

    void whatIsNotFiniteHasItsOwnColourAndNeverAMaps()
    {
        const Theme theme;
        const PictureStyle style = styleOf(theme);
        using namespace diff;
        const auto flags = [](int value) { return static_cast<std::uint8_t>(value); };
        const DiffPicture picture
            = paintGrid(gridOf({0, 0, 0, 0, 0.5, kInf, 0}, {kNaN, kInf, -kInf, 1, 1, 0, 2}, {kNaN, kInf, -kInf, kInf, 2, 1, 2},
                               {flags(kReferenceNaN | kCandidateNaN), flags(kReferencePosInf | kCandidatePosInf),
                                flags(kReferenceNegInf | kCandidateNegInf), flags(kCandidatePosInf | kMismatch), 0, 0, 0}),
                        style);
        const auto at = [](const QImage& image, int x) { return image.pixel(x, 0); };
        QCOMPARE(at(picture.reference, 0), style.colors.nan.rgb());
        QCOMPARE(at(picture.reference, 1), style.colors.positiveInfinity.rgb());
        QCOMPARE(at(picture.candidate, 2), style.colors.negativeInfinity.rgb());
        QCOMPARE(at(picture.candidate, 3), style.colors.positiveInfinity.rgb());
        QCOMPARE(at(picture.reference, 3), style.values.color(1));
        QVERIFY(at(picture.error, 3) == style.colors.positiveInfinity.rgb() || at(picture.error, 3) == style.colors.hatch.rgb());
        QCOMPARE(at(picture.error, 4), style.errors.color(0.5));
        // A relative error over a zero reference is infinite: the strongest colour, not the weakest.
        QCOMPARE(at(picture.error, 5), ColorScale::mapColor(ColorScale::Map::Viridis, 1));
        QCOMPARE(at(picture.error, 6), style.colors.equal.rgb());
        for (int step = 0; step <= 255; ++step) {
            for (const auto map : {ColorScale::Map::Viridis, ColorScale::Map::Diverging, ColorScale::Map::DarkDiverging}) {
                const QRgb color = ColorScale::mapColor(map, step / 255.0);
                for (const QColor& own : {style.colors.nan, style.colors.positiveInfinity, style.colors.negativeInfinity})
                    QVERIFY2(std::abs(qRed(color) - own.red()) + std::abs(qGreen(color) - own.green())
                                     + std::abs(qBlue(color) - own.blue())
                                 > 60,
                             qPrintable(own.name()));
            }
        }
    }

    /// A wrong element is seen in the candidate's picture at any zoom; errors that no eye sees do not choose what is shown.
    void valuesShowTheWorstPairWhereItCanBeSeen()
    {
        const Theme theme;
        const PictureStyle style = styleOf(theme); // values from 0 to 10
        diff::CellGrid grid = gridOf({5, 0.01}, {9, 9}, {4, 9.01}, {0, 0});
        grid.firstReference = grid.firstCandidate = {1, 1};
        const DiffPicture picture = paintGrid(grid, style);
        QCOMPARE(picture.reference.pixel(0, 0), style.values.color(9));
        QCOMPARE(picture.candidate.pixel(0, 0), style.values.color(4));
        QCOMPARE(picture.reference.pixel(1, 0), style.values.color(1));
        QCOMPARE(picture.candidate.pixel(1, 0), style.values.color(1));
    }

    void overlaysCanBeTurnedOff()
    {
        const Theme theme;
        PictureStyle style = styleOf(theme);
        style.overlays.nan = false;
        const DiffPicture picture
            = paintGrid(gridOf({0}, {kNaN}, {kNaN}, {std::uint8_t(diff::kReferenceNaN | diff::kCandidateNaN)}), style);
        QCOMPARE(qAlpha(picture.reference.pixel(0, 0)), 0);
    }

    void theViewportKeepsWhatIsUnderThePointerWhileItZooms()
    {
        Viewport viewport;
        viewport.setPaneSize({400, 300});
        viewport.setPlane(8192, 8192);
        QVERIFY(viewport.isFitted());
        QCOMPARE(viewport.scale(), 300.0 / 8192);
        const QPointF pointer(250, 100);
        const QPointF before = viewport.elementAt(pointer);
        viewport.zoom(4, pointer);
        QVERIFY(QLineF(before, viewport.elementAt(pointer)).length() < 1e-6);
        viewport.pan({-1e9, -1e9});
        QCOMPARE(viewport.visible().row + viewport.visible().rows, std::int64_t{8192});
        viewport.fit();
        QCOMPARE(viewport.visible(), (diff::ElementRect{0, 0, 8192, 8192}));
        viewport.reveal({8000, 17});
        QVERIFY(viewport.scale() >= 8);
        QCOMPARE(viewport.cellAt(viewport.toPane({8000, 17, 1, 1}).center()), std::optional(diff::Cell{8000, 17}));
    }

    void thinPlanesAreNoHair()
    {
        Viewport viewport;
        viewport.setPaneSize({400, 300});
        viewport.setPlane(2, 100'000);
        QVERIFY(viewport.toPane({0, 0, 2, 1}).height() >= 2);
        QVERIFY(!viewport.cellAt({200, 5}));
    }

    void indexesAreReadAsTheyAreTyped()
    {
        const std::vector<std::int64_t> shape{3, 4, 5};
        const auto read = [&](const QString& text) { return diff_words::parseIndex(text, shape); };
        QCOMPARE(read(u"1, 2, 3"_s), std::optional(std::vector<std::int64_t>{1, 2, 3}));
        QCOMPARE(read(u"(1 2 3)"_s), std::optional(std::vector<std::int64_t>{1, 2, 3}));
        QCOMPARE(read(u"[-1,-1,-1]"_s), std::optional(std::vector<std::int64_t>{2, 3, 4}));
        QCOMPARE(read(u"33"_s), std::optional(std::vector<std::int64_t>{1, 2, 3}));
        for (const QString& wrong : {u"1, 2"_s, u"3, 0, 0"_s, u"60"_s, u"a, b, c"_s, QString(), u"-1"_s, u"-4,0,0"_s})
            QVERIFY2(!read(wrong), qPrintable(wrong));
    }

    void theWorstModelIsAModel()
    {
        WorstModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const DiffSourcePtr pair = tests::wrongTail();
        model.setElements({diff::exactPair(pair->reference.view, pair->candidate.view, {2, 0, 10, 20}),
                           diff::exactPair(pair->reference.view, pair->candidate.view, {1, 2, 0, 43})});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.index(0, WorstModel::Place).data().toString(), u"(2, 0, 10, 20)"_s);
        QCOMPARE(model.index(0, WorstModel::Candidate).data().toString(), u"NaN"_s);
        QCOMPARE(model.index(0, WorstModel::Absolute).data().toString(), u"\u2013"_s);
        QCOMPARE(model.index(1, WorstModel::Absolute).data().toString(), u"0.5"_s);
        QVERIFY(model.index(1, 0).data(Qt::ToolTipRole).toString().contains(u"0x"_s));
        QCOMPARE(model.index(0, WorstModel::Reference).data().toString(), u"-0.12533525"_s);
        model.setBrief(true);
        QCOMPARE(model.index(0, WorstModel::Reference).data().toString(), u"-0.1253"_s);
        QCOMPARE(model.index(0, WorstModel::Candidate).data().toString(), u"NaN"_s);
        model.setElements({});
        QCOMPARE(model.rowCount(), 0);
    }

    void axesCannotBeRowsAndColumnsAtOnce()
    {
        const Theme theme;
        LayoutBar bar(theme);
        bar.setShape({3, 4, 5, 6});
        QCOMPARE(bar.sliders().size(), std::size_t{2});
        QSignalSpy changed(&bar, &LayoutBar::arrangementChanged);
        auto* rows = bar.axes()->findChild<QComboBox*>(u"diff.rows"_s);
        rows->setCurrentIndex(3);
        Q_EMIT rows->activated(3);
        QCOMPARE(bar.arrangement().rowAxes, std::vector{3});
        QCOMPARE(bar.arrangement().columnAxis, 2);
        QCOMPARE(changed.size(), 1);
        bar.axes()->findChild<QPushButton*>(u"diff.flatten"_s)->click();
        QCOMPARE(bar.arrangement().rowAxes, (std::vector{0, 1, 3}));
        QVERIFY(bar.sliders().empty());
        delete bar.axes();
    }

    void slicesStepToTheNextFailingOne()
    {
        const Theme theme;
        SliceSlider slider(theme, 0, 6);
        slider.setFailures({0, 3, 0, 0, 9, 0}, u"with differences"_s);
        QCOMPARE(slider.failingFrom(1), std::int64_t{1});
        slider.setIndex(1);
        QCOMPARE(slider.failingFrom(1), std::int64_t{4});
        QCOMPARE(slider.failingFrom(-1), std::int64_t{-1});
        slider.setIndex(99);
        QCOMPARE(slider.index(), std::int64_t{5});
    }

    void rangeHandlesAreDraggedAndNeverCross()
    {
        const Theme theme;
        RangeControl control(theme);
        control.resize(300, 120);
        control.setData({{1, 2, 5}, {50, 60, 5}}, 0, 100);
        control.setScale(ColorScale(ColorScale::Map::Viridis, ScaleKind::Linear, 0, 100));
        control.show();
        QSignalSpy changed(&control, &RangeControl::rangeChanged);
        const auto drag = [&](double from, double to) {
            QTest::mousePress(&control, Qt::LeftButton, {}, QPoint(int(control.positionOf(from)), 30));
            QTest::mouseMove(&control, QPoint(int(control.positionOf(to)), 30));
            QTest::mouseRelease(&control, Qt::LeftButton, {}, QPoint(int(control.positionOf(to)), 30));
        };
        connect(&control, &RangeControl::rangeChanged, &control, [&](double low, double high) {
            QVERIFY(low < high);
            control.setScale(ColorScale(ColorScale::Map::Viridis, ScaleKind::Linear, low, high));
        });
        drag(100, 50);
        QVERIFY(!changed.isEmpty());
        QVERIFY(std::fabs(control.scale().high() - 50) < 1);
        drag(0, 90); // beyond the upper end
        QVERIFY(control.scale().low() < control.scale().high());
    }

    void theNewestRequestIsTheOneThatIsDelivered()
    {
        BackgroundTask task(BackgroundTask::WhenBusy::Stop);
        std::atomic<bool> wasStopped{false};
        std::atomic<bool> hasBegun{false};
        QList<int> delivered;
        task.start<int>(
            [&](const std::stop_token& stop) {
                hasBegun = true;
                while (!stop.stop_requested())
                    std::this_thread::yield();
                wasStopped = true;
                return 1;
            },
            [&](int result) { delivered << result; });
        QTRY_VERIFY(hasBegun);
        task.start<int>([](const std::stop_token&) { return 2; }, [&](int result) { delivered << result; });
        QTRY_VERIFY(!task.isRunning());
        QVERIFY(wasStopped);
        QCOMPARE(delivered, QList<int>{2});
        QSignalSpy failed(&task, &BackgroundTask::failed);
        task.start<int>([](const std::stop_token&) -> int { throw Error("a", "b", "c"); },
                        [&](int result) { delivered << result; });
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(failed[0][0].toString(), u"a: b. c"_s);
    }

    void theEngineMeasuresThePictureFirstAndDropsStaleViews()
    {
        DiffEngine engine;
        QStringList order;
        connect(&engine, &DiffEngine::pyramidChanged, &engine, [&] {
            order << u"pyramid"_s;
            QVERIFY(engine.isBusy()); // the rest is still to come
            engine.measureRest();
        });
        connect(&engine, &DiffEngine::factsChanged, &engine, [&] { order << u"facts"_s; });
        const DiffSourcePtr pair = tests::wrongTail();
        DiffView view;
        view.arrangement = diff::Arrangement::usual(pair->reference.view.shape);
        engine.setSource(pair, view);
        QTRY_VERIFY(!engine.isBusy());
        QCOMPARE(order, (QStringList{u"pyramid"_s, u"facts"_s}));
        QCOMPARE(engine.pyramid()->largestError(), 0.0); // slice (0, 0) is right
        view.arrangement = diff::Arrangement::flattened(pair->reference.view.shape);
        engine.setView(view);
        QTRY_VERIFY(!engine.isBusy());
        QVERIFY(std::fabs(engine.pyramid()->largestError() - 0.5) < 1e-6);
        QCOMPARE(order.count(u"facts"_s), 1); // another look changes no statistics
        QCOMPARE(engine.facts()->comparison.classMismatch, std::int64_t{2});
        QCOMPARE(engine.facts()->failures.axes[0].marked, (std::vector<std::int64_t>{0, 280, 2}));
        QCOMPARE(engine.facts()->worst[0].index, (std::vector<std::int64_t>{2, 0, 10, 20}));
        view.bound = diff::Bound{1, 0};
        engine.setView(view);
        QTRY_VERIFY(!engine.isBusy());
        QCOMPARE(engine.facts()->failures.marked, std::int64_t{2}); // NaN and infinity are within no bound
    }

    /// The judge's reference is the truth in fp64; a float16 candidate is measured in its own ulp.
    void ulpOfAJudgedCandidateAreItsOwn()
    {
        const auto artifact = [](const char* role, const char* dtype, const auto& value) {
            store::ArtifactRecord record;
            record.gate = "CMP-01";
            record.role = role;
            record.dtype = dtype;
            record.shape = {1};
            record.bytes.assign(reinterpret_cast<const char*>(&value), sizeof value);
            return record;
        };
        const std::uint16_t half = 0x3C02; // 1 + 2 ulp
        const DiffSources sources = sourcesOf({artifact("reference", "float64", 1.0), artifact("candidate", "float16", half)});
        QVERIFY(sources.pairs.at(0)->countsUlpOfCandidate());
        DiffEngine engine;
        connect(&engine, &DiffEngine::pyramidChanged, &engine, &DiffEngine::measureRest);
        engine.setSource(sources.pairs[0], {diff::Arrangement::usual({1}), diff::Metric::UlpOfCandidate, {}});
        QTRY_VERIFY(!engine.isBusy());
        QCOMPARE(engine.facts()->comparison.maxUlp, std::optional<std::uint64_t>(2));
        QCOMPARE(engine.facts()->worst.at(0).ulp, std::optional<std::uint64_t>(2));
        QCOMPARE(engine.pyramid()->largestError(), 2.0);
    }

    void artifactsBecomePairsOrRefusals()
    {
        const auto artifact = [](const char* role, std::vector<std::int64_t> shape, std::size_t bytes, const char* name = "") {
            store::ArtifactRecord record;
            record.gate = "CMP-01";
            record.role = role;
            record.name = name;
            record.dtype = "float32";
            record.shape = std::move(shape);
            record.bytes.assign(bytes, '\0');
            return record;
        };
        const DiffSources good
            = sourcesOf({artifact("reference", {2}, 8, "y"), artifact("input", {2}, 8, "y"), artifact("candidate", {2}, 8, "y")});
        QCOMPARE(good.pairs.size(), std::size_t{1});
        QCOMPARE(good.pairs[0]->name, u"CMP-01, check 1, output y"_s);
        QCOMPARE(sourcesOf({artifact("reference", {2}, 8), artifact("candidate", {3}, 12)}).refusals.size(), 1);
        QCOMPARE(sourcesOf({artifact("reference", {2}, 8), artifact("candidate", {2}, 7)}).refusals.size(), 1);
        QVERIFY(sourcesOf({artifact("reference", {2}, 8)}).pairs.empty());
    }
};

QTEST_MAIN(DiffPartsTest)
#include "tst_diff_parts.moc"
