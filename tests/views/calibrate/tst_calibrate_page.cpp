// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/calibration_data.h"
#include "core/report/threshold_export.h"
#include "tests/core/report/calibrated_corpus.h"
#include "views/calibrate/calibrate_page.h"
#include "views/calibrate/cell_model.h"
#include "views/figure/figure_canvas.h"
#include "views/calibrate/figure_export.h"
#include "views/calibrate/figure_view.h"
#include "views/calibrate/flip_model.h"
#include "views/shell/main_window.h"
#include "views/shell/prompt.h"
#include "views/shell/rail.h"
#include "views/state/workspace.h"

#include <SQLiteCpp/Database.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

/// The real window on the calibrate place, and a person with a keyboard in front of it.
class CalibrateWindow {
public:
    explicit CalibrateWindow(const QString& database, std::optional<contract::Gate> gate = {}, const QString& theme = u"light"_s)
        : m_database(database)
    {
        m_window.resize(1600, 1000);
        m_window.show();
        StartRequest request;
        request.spot.database = database;
        request.spot.place = u"calibrate"_s;
        request.spot.gate = gate;
        request.theme = theme;
        m_window.start(request);
        isReady = QTest::qWaitForWindowActive(&m_window) && settle();
    }

    bool settle()
    {
        return QTest::qWaitFor([this] { return m_window.isSettled(); }, 20'000);
    }
    bool press(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key(key), modifiers);
        return settle();
    }
    template <typename Widget> Widget& find(const QString& name) const
    {
        auto* widget = m_window.findChild<Widget*>(name);
        if (widget == nullptr)
            qFatal("no %s", qPrintable(name));
        return *widget;
    }
    QString text(const QString& label) const { return find<QLabel>(label).text(); }
    FigureView& figure() const { return find<FigureView>(u"calibrate.figure"_s); }
    QString cell() const { return QString::fromStdString(calibration::title(figure().figure().cell)); }
    MainWindow& window() { return m_window; }
    std::int64_t stored(const std::string& sql) const
    {
        SQLite::Database database(m_database.toStdString(), SQLite::OPEN_READONLY);
        return database.execAndGet(sql).getInt64();
    }

    bool isReady = false;

private:
    QString m_database;
    MainWindow m_window{QString()};
};

} // namespace

/// Reviews of a calibration in the real window, by keys alone.
class CalibratePageTest final : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;
    int m_databases = 0;

    QString newDatabase()
    {
        const QString path = m_folder.filePath(u"%1.assay"_s.arg(++m_databases));
        tests::writeCalibratedCorpus(toFilesystemPath(path));
        return path;
    }

    /// The kinds of limits in the list of the newest calibration, each of which has to be what a table of thresholds says.
    static QSet<QString> limitKinds(const QString& path)
    {
        CalibrateWindow place(path);
        const auto& table = *place.find<QTableView>(u"calibrate.cells"_s).model();
        const auto database = store::Database::open(toFilesystemPath(path), store::OpenMode::ReadOnly);
        const auto rows = report::thresholdRows(*database, report::calibrationVersion(*database, ""));
        QSet<QString> kinds;
        for (int i = 0; i < table.rowCount(); ++i) {
            const auto said = [&](int column) { return table.index(i, column).data().toString().toStdString(); };
            const QModelIndex limit = table.index(i, CellModel::Limit);
            const QString shown = limit.data().toString();
            const QString tip = limit.data(Qt::ToolTipRole).toString();
            const bool isGreyed = limit.data(Qt::ForegroundRole).isValid();
            const auto row = std::ranges::find_if(rows, [&](const calibration::ThresholdRow& one) {
                return one.gate == said(CellModel::Gate) && one.family == said(CellModel::Family)
                    && one.dtype == said(CellModel::Type);
            });
            QString expected;
            if (row == rows.end()) {
                expected = said(CellModel::Family) == "all" ? u"by family"_s : u"\u2013"_s;
            } else if (!row->threshold) {
                expected = u"1 (not calibrated)"_s;
                kinds << (isGreyed && tip.contains(QString::fromStdString(row->reason)) ? u"none"_s : tip);
            } else {
                expected = shortNumber(*row->threshold) + (row->isOneSided ? u", one-sided"_s : QString());
                const bool isMarked = limit.data(Qt::FontRole).value<QFont>().italic() == row->isOneSided && !isGreyed;
                kinds << (!isMarked ? tip : row->isOneSided ? u"one-sided"_s : u"in gap"_s);
            }
            if (shown != expected)
                kinds << shown + u" for "_s + expected;
        }
        return kinds;
    }

    static QByteArray bytesOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : path.toUtf8();
    }

private Q_SLOTS:
    void theListHasOursAndThePublishedMargins()
    {
        CalibrateWindow place(newDatabase());
        QVERIFY(place.isReady);
        const auto& table = place.find<QTableView>(u"calibrate.cells"_s);
        const QAbstractItemModelTester tester(table.model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        QStringList lines;
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            QStringList line;
            for (int column = 0; column < table.model()->columnCount(); ++column)
                line << table.model()->index(row, column).data().toString();
            lines << line.join(u'|');
        }
        const QString all = lines.join(u'\n');
        QVERIFY2(lines.first().startsWith(u"CMP-01|all|"_s), qPrintable(all));
        const auto published = lines.indexOf(u"CMP-01|published||\u2013|4.21\u00D710\u207B\u2075|2.17|1.76|safe"_s);
        QVERIFY2(published >= 0, qPrintable(all));
        const QString ratios = table.model()->index(int(published), CellModel::Below).data(Qt::ToolTipRole).toString();
        QVERIFY2(ratios.contains(u"2.17 (147\u00D7) below and 1.76 (57.2\u00D7) above"_s), qPrintable(ratios));
        QVERIFY2(all.contains(u"ORD-03|published||\u2013|0.00102|3.56|0.09|no safe gap"_s), qPrintable(all));
        QVERIFY2(all.contains(u"no defects"_s), qPrintable(all));
        QVERIFY2(all.contains(u"EXC-01|published||\u2013|\u2013|||no tolerance\n"_s), qPrintable(all));
        const auto row = lines.indexOf(u"EXC-01|published||\u2013|\u2013|||no tolerance"_s);
        QCOMPARE(table.model()->index(int(row), 0).data(Qt::ToolTipRole).toString(),
                 u"no tolerance: right passes, defect fails"_s);
        QVERIFY2(all.contains(u"an fp16 accumulator fails from length 2048"_s), qPrintable(all));
    }

    /// What the table made from this calibration gives.
    void theListSaysWhatDecides()
    {
        const QString path = newDatabase();
        QCOMPARE(limitKinds(path), (QSet<QString>{u"in gap"_s, u"one-sided"_s}));
        {
            const auto database = store::Database::open(toFilesystemPath(path), store::OpenMode::ReadWrite);
            const report::CalibrationVersion version = report::calibrationVersion(*database, "");
            calibration::FrozenCalibration untried = version.frozen;
            untried.holdOutShare = 0; // no limit is calibrated without kernels that try it
            store::insertCalibration(*database, untried, "nothing held out",
                                     store::calibrationSamples(*database, version.summary.id));
        }
        QCOMPARE(limitKinds(path), QSet<QString>{u"none"_s});
    }

    /// A window of the size that the pictures have.
    void everyStateIsWideEnoughToRead()
    {
        CalibrateWindow place(newDatabase());
        const auto& table = place.find<QTableView>(u"calibrate.cells"_s);
        const int state = table.columnViewportPosition(CellModel::State);
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const QString text = table.model()->index(row, CellModel::State).data().toString();
            if (text.startsWith(u"an fp16"_s))
                continue; // what was published instead of margins, which has its tool tip
            const int wide = table.sizeHintForIndex(table.model()->index(row, CellModel::State)).width();
            QVERIFY2(state + wide <= table.viewport()->width(),
                     qPrintable(u"%1: %2 + %3 of %4"_s.arg(text).arg(state).arg(wide).arg(table.viewport()->width())));
        }
    }

    void aTriedThresholdStartsFromWhatDecides()
    {
        CalibrateWindow place(newDatabase());
        const auto& table = place.find<QTableView>(u"calibrate.cells"_s);
        FigureView& figure = place.figure();
        bool isOneSided = false;
        for (int row = 0; row < table.model()->rowCount() && !isOneSided; ++row) {
            isOneSided = table.model()->index(row, CellModel::Limit).data().toString().contains(u"one-sided"_s);
            if (!isOneSided)
                QVERIFY(place.press(Qt::Key_J));
        }
        QVERIFY(isOneSided);
        const double limit = figure.figure().limit->value;
        QVERIFY(limit != figure.figure().threshold);
        QVERIFY2(place.text(u"calibrate.trial"_s).startsWith(u"Limit "_s), qPrintable(place.text(u"calibrate.trial"_s)));
        QVERIFY(place.press(Qt::Key_BracketLeft));
        QVERIFY2(std::abs(std::log10(*figure.ghost() / limit) + 0.05) < 1e-9, qPrintable(QString::number(*figure.ghost())));
        // Without a safe gap what is written does not decide, and it says so before it is written.
        QVERIFY2(place.text(u"calibrate.trial"_s).contains(u"it does not decide"_s),
                 qPrintable(place.text(u"calibrate.trial"_s)));
        QVERIFY(place.press(Qt::Key_P));
        QVERIFY(place.press(Qt::Key_P));
        QTRY_COMPARE(place.stored("SELECT count(*) FROM calibration"), 2);
        QVERIFY(place.settle());
        QTRY_VERIFY(figure.figure().isByHand);
        QCOMPARE(figure.figure().limit->value, limit);
    }

    void arrowsWalkThroughTheCells()
    {
        CalibrateWindow place(newDatabase(), contract::Gate::Ord01);
        QCOMPARE(place.cell(), u"ORD-01, all families, float32"_s);
        QVERIFY(place.press(Qt::Key_Right));
        QCOMPARE(place.cell(), u"ORD-01, matmul, float32"_s);
        QVERIFY(place.press(Qt::Key_Left));
        QVERIFY(place.press(Qt::Key_Left));
        QCOMPARE(place.cell(), u"EXC-01, published"_s);
        QCOMPARE(place.text(u"calibrate.trial"_s), u"Published: no tolerance: right passes, defect fails."_s);
        QVERIFY(place.press(Qt::Key_Left));
        QCOMPARE(place.cell(), u"CMP-01, published"_s);
        QVERIFY(place.text(u"calibrate.trial"_s).startsWith(u"Published margins"_s));
    }

    void aTriedThresholdCountsAndChangesNothing()
    {
        CalibrateWindow place(newDatabase());
        FigureView& figure = place.figure();
        const double frozen = *figure.figure().threshold;
        const QString before = place.text(u"calibrate.trial"_s);
        QVERIFY2(before.startsWith(u"Midway "_s), qPrintable(before));
        for (int i = 0; i < 2; ++i)
            QVERIFY(place.press(Qt::Key_BraceLeft, Qt::ShiftModifier));
        QVERIFY2(std::abs(std::log10(*figure.ghost() / frozen) + 1) < 1e-9,
                 qPrintable(QString::number(*figure.ghost() / frozen)));
        const auto expected = calibration::tryThreshold(figure.figure(), *figure.ghost());
        QVERIFY(expected.onCalibration.falseAlarmSamples.hits > 0);
        const QString tried = place.text(u"calibrate.trial"_s);
        QVERIFY2(tried.contains(u"false alarms %1 of"_s.arg(expected.onCalibration.falseAlarmSamples.hits)), qPrintable(tried));
        QVERIFY(place.press(Qt::Key_Escape));
        QVERIFY(!figure.ghost());
        QCOMPARE(place.text(u"calibrate.trial"_s), before);
        QCOMPARE(place.stored("SELECT count(*) FROM calibration"), 1);
        QCOMPARE(*figure.figure().threshold, frozen);
    }

    void theLineFollowsTheMouse()
    {
        CalibrateWindow place(newDatabase());
        FigureView& figure = place.figure();
        const double onset = figure.figure().separation.onset;
        QTest::mousePress(&figure, Qt::LeftButton, {}, figure.placeOf(*figure.figure().threshold).toPoint());
        QTest::mouseMove(&figure, figure.placeOf(onset).toPoint());
        QTest::mouseRelease(&figure, Qt::LeftButton, {}, figure.placeOf(onset).toPoint());
        QVERIFY(figure.ghost().has_value());
        QVERIFY2(std::abs(std::log10(*figure.ghost() / onset)) < 0.03, qPrintable(QString::number(*figure.ghost())));
        QVERIFY(place.text(u"calibrate.trial"_s).startsWith(u"Tried "_s));
        QVERIFY(place.press(Qt::Key_J)); // another cell has no tried threshold
        QVERIFY(!figure.ghost());
    }

    void aProposalShowsTheFlipsAndWritesAVersion()
    {
        CalibrateWindow place(newDatabase());
        QVERIFY(place.press(Qt::Key_P)); // nothing was moved
        QVERIFY(!place.find<QLabel>(u"calibrate.flips"_s).isVisible());
        FigureView& figure = place.figure();
        figure.setGhost(0.55);
        QVERIFY(place.press(Qt::Key_P));
        QVERIFY2(place.text(u"calibrate.flips"_s).contains(u"flip this gate for 2 kernels, and the whole verdict for 2"_s),
                 qPrintable(place.text(u"calibrate.flips"_s)));
        auto& flips = *place.find<QTableView>(u"calibrate.flipTable"_s).model();
        const QAbstractItemModelTester tester(&flips, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(flips.rowCount(), 2);
        QCOMPARE(flips.index(0, FlipModel::Kernel).data().toString(), u"6"_s);
        QCOMPARE(place.stored("SELECT count(*) FROM calibration"), 1);
        QVERIFY(place.press(Qt::Key_Escape)); // closes the list and keeps the line
        QVERIFY(figure.ghost().has_value());
        QVERIFY(place.press(Qt::Key_P));
        QVERIFY(place.press(Qt::Key_P));
        QTRY_COMPARE(place.stored("SELECT count(*) FROM calibration"), 2);
        QVERIFY(place.settle());
        QTRY_VERIFY(figure.figure().isByHand);
        QCOMPARE(*figure.figure().threshold, 0.55);
        QVERIFY(!figure.ghost());
        QCOMPARE(place.find<QComboBox>(u"calibrate.versions"_s).count(), 2);
        QCOMPARE(place.stored("SELECT count(*) FROM verdict WHERE outcome = 'pass'"), 7); // stored verdicts stay
    }

    void aPresentationIsTheFigureAlone()
    {
        CalibrateWindow place(newDatabase());
        QVERIFY(place.press(Qt::Key_F11));
        auto& page = *place.window().findChild<CalibratePage*>();
        QVERIFY(page.isPresenting());
        QVERIFY(!place.find<QTableView>(u"calibrate.cells"_s).isVisible());
        QVERIFY(!place.window().findChild<Rail*>()->isVisible());
        const QString first = place.cell();
        QVERIFY(place.press(Qt::Key_Right));
        QVERIFY(place.cell() != first);
        QVERIFY(place.press(Qt::Key_Escape));
        QVERIFY(!page.isPresenting());
        QVERIFY(place.find<QTableView>(u"calibrate.cells"_s).isVisible());
        QVERIFY(place.window().findChild<Rail*>()->isVisible());
    }

    void aFigureGoesToAFile()
    {
        CalibrateWindow place(newDatabase());
        QVERIFY(place.press(Qt::Key_E, Qt::ControlModifier));
        QVERIFY(place.window().findChild<Prompt*>()->isVisible());
        auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
        QVERIFY(line);
        QVERIFY(line->text().endsWith(u"CMP-01-all-bfloat16.svg"_s) || line->text().endsWith(u"CMP-01-all-float32.svg"_s));
        const QString path = m_folder.filePath(u"figure.svg"_s);
        line->selectAll();
        QTest::keyClicks(line, path);
        QVERIFY(place.press(Qt::Key_Return));
        QTRY_VERIFY(QFile::exists(path));
        QVERIFY(QFile::exists(m_folder.filePath(u"figure.csv"_s)));
        // What the command line writes of the same cell.
        const QString other = m_folder.filePath(u"other.svg"_s);
        const auto database
            = store::Database::open(toFilesystemPath(place.window().context().workspace.path()), store::OpenMode::ReadOnly);
        exportFigure(report::loadFigure(*database, report::calibrationVersion(*database, ""), place.figure().figure().cell, {}),
                     *figureSize(u"180mm"_s), other);
        QCOMPARE(bytesOf(path), bytesOf(other));
    }

    void withoutACalibrationItSaysWhatToRun()
    {
        const QString path = m_folder.filePath(u"none.assay"_s);
        store::Database::open(toFilesystemPath(path), store::OpenMode::ReadWriteCreate);
        CalibrateWindow place(path);
        QVERIFY(place.isReady);
        bool isSaid = false;
        for (const QLabel* label : place.window().findChildren<QLabel*>())
            isSaid = isSaid || (label->isVisible() && label->text().contains(u"assay calibrate"_s));
        QVERIFY(isSaid);
    }

    void theNoiseFloorOfAnotherDeviceIsCompared()
    {
        const QString path = newDatabase();
        {
            const auto database = store::Database::open(toFilesystemPath(path), store::OpenMode::ReadWrite);
            const report::CalibrationVersion version = report::calibrationVersion(*database, "");
            auto samples = store::calibrationSamples(*database, version.summary.id);
            for (store::CalibrationSample& one : samples)
                one.sample.value.value *= 3;
            calibration::FrozenCalibration other = version.frozen;
            other.device = "cuda:0";
            store::insertCalibration(*database, other, "other device", samples);
        }
        CalibrateWindow place(path);
        QVERIFY2(place.text(u"calibrate.drift"_s).startsWith(u"Noise floor against cpu"_s),
                 qPrintable(place.text(u"calibrate.drift"_s)));
    }
};

QTEST_MAIN(CalibratePageTest)
#include "tst_calibrate_page.moc"
