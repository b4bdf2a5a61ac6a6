// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/calibration_data.h"
#include "core/text/error.h"
#include "tests/core/report/calibrated_corpus.h"
#include "tests/core/store/store_fixture.h"
#include "views/calibrate/figure_export.h"
#include "views/calibrate/figure_painter.h"
#include "views/calibrate/limit_words.h"

#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;

/// One figure on every device.
class FigureTest final : public QObject {
    Q_OBJECT
private:
    tests::Folder m_folder;
    calibration::FigureData m_figure;

    calibration::FigureData figure(const calibration::CellName& cell) const
    {
        const auto database = m_folder.open();
        return report::loadFigure(*database, report::calibrationVersion(*database, ""), cell, {.replicates = 200, .threads = 1});
    }
    static QByteArray read(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Share of pixels that differ by more than a shade.
    static double difference(const QImage& first, const QImage& second)
    {
        std::int64_t differing = 0;
        for (int y = 0; y < first.height(); ++y) {
            for (int x = 0; x < first.width(); ++x) {
                const QColor a = first.pixelColor(x, y);
                const QColor b = second.pixelColor(x, y);
                if (std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) > 90)
                    ++differing;
            }
        }
        return static_cast<double>(differing) / static_cast<double>(first.width() * first.height());
    }

private Q_SLOTS:
    void initTestCase()
    {
        tests::writeCalibratedCorpus(m_folder.path());
        m_figure = figure({"CMP-01", "softmax", "float32"});
    }

    void everySizeAndFormIsWritten_data()
    {
        QTest::addColumn<QString>("size");
        for (const FigureSize& size : figureSizes())
            QTest::newRow(qPrintable(size.name)) << size.name;
    }

    void everySizeAndFormIsWritten()
    {
        QFETCH(QString, size);
        const QTemporaryDir folder;
        const FigureSize wanted = *figureSize(size);
        for (const char* form : {"svg", "pdf", "png"})
            exportFigure(m_figure, wanted, folder.filePath(u"f."_s + QLatin1String(form)));
        const QByteArray svg = read(folder.filePath(u"f.svg"_s));
        QVERIFY2(svg.contains("width=\"" + QByteArray::number(wanted.millimetres.width())), svg.left(400).constData());
        QVERIFY(svg.contains("CMP-01, softmax, float32"));
        QVERIFY(svg.contains("onset"));
        QVERIFY(svg.contains("147")); // the published margin
        QVERIFY2(svg.size() < 400'000, qPrintable(QString::number(svg.size())));
        const QByteArray pdf = read(folder.filePath(u"f.pdf"_s));
        QVERIFY(pdf.startsWith("%PDF-"));
        const QByteArray points = QByteArray::number(wanted.millimetres.width() / 25.4 * 72, 'f', 0);
        QVERIFY2(pdf.contains("/MediaBox [0 0 " + points.left(points.size() - 1)), points.constData());
        const QImage png(folder.filePath(u"f.png"_s));
        QCOMPARE(png.width(), wanted.pixels);
        QCOMPARE(read(folder.filePath(u"f.csv"_s)), QByteArray::fromStdString(report::toCsv(m_figure)));
    }

    void vectorsAndPixelsAreOnePicture()
    {
        const QTemporaryDir folder;
        const FigureSize size{u"test"_s, QSizeF(180, 125), 1440};
        exportFigure(m_figure, size, folder.filePath(u"f.svg"_s));
        const QImage pixels = figureImage(m_figure, size);
        QImage drawn(pixels.size(), QImage::Format_RGB32);
        drawn.fill(Qt::white);
        QSvgRenderer svg(folder.filePath(u"f.svg"_s));
        QVERIFY(svg.isValid());
        QPainter painter(&drawn);
        svg.render(&painter, QRectF(drawn.rect()));
        painter.end();
        const double share = difference(pixels, drawn);
        // Letters are smoothed a little otherwise; another cell differs by several times that.
        const QImage other = figureImage(figure({"CMP-01", "matmul", "float32"}), size);
        const double otherShare = difference(pixels, other);
        QVERIFY2(share < 0.4 * otherShare, qPrintable(u"%1 against %2"_s.arg(share).arg(otherShare)));
    }

    void aFigureIsTheSameEveryTime()
    {
        QCOMPARE(figureImage(m_figure, figureSizes()[0]), figureImage(figure(m_figure.cell), figureSizes()[0]));
    }

    void theAxisHoldsEveryThreshold()
    {
        const FigureLook look = paperLook();
        const FigurePainter painter(m_figure, look, QRectF(0, 0, 5000, 3500));
        const FigureAxis& axis = painter.errorAxis();
        for (const double value : {m_figure.separation.floor, m_figure.separation.onset, *m_figure.line()}) {
            const double x = axis.at(std::log10(value));
            QVERIFY(painter.densityPlot().left() <= x && x <= painter.densityPlot().right());
            QVERIFY(std::abs(axis.valueAt(x) - std::log10(value)) < 1e-9);
        }
        QVERIFY(axis.to < painter.densityPlot().right() - 100); // the gutter of the defects' NaN
    }

    void whatDecidesHasItsNameOnTheFigure()
    {
        const calibration::FigureData tight = figure({"PRC-02", "softmax", "float32"});
        QVERIFY(tight.limit->isOneSided());
        QVERIFY(tight.threshold && *tight.threshold != tight.limit->value);
        QVERIFY(m_figure.limit->kind == calibration::LimitKind::InGap);
        const calibration::FigureData all = figure({"CMP-01", "all", "float32"});
        QVERIFY(!all.isDecided());
        const QTemporaryDir folder;
        for (const calibration::FigureData* shown :
             std::initializer_list<const calibration::FigureData*>{&tight, &m_figure, &all}) {
            exportFigure(*shown, figureSizes()[1], folder.filePath(u"f.svg"_s));
            const QString svg = QString::fromUtf8(read(folder.filePath(u"f.svg"_s)));
            QVERIFY2(svg.contains(limit_words::name(*shown)), qPrintable(limit_words::name(*shown)));
            QCOMPARE(limit_words::name(*shown).startsWith(u"limit "_s), shown != &all);
        }
    }

    void theLegendOfTheDetectionLiesOnNoCurve()
    {
        const FigureLook look = paperLook();
        for (const FigureSize& size : figureSizes()) {
            const QRectF area(QPointF(0, 0), size.millimetres * kUnitsPerMillimetre);
            const FigurePainter painter(m_figure, look, area);
            QVERIFY(painter.detectionLegend().height() > 0);
            QVERIFY(painter.detectionLegend().bottom() < painter.detectionPlot().top());
            QVERIFY(area.contains(painter.detectionLegend()));
            QVERIFY2(painter.detectionPlot().height() > 300, qPrintable(size.name)); // it is no strip
        }
    }

    void oddCellsAreDrawnToo()
    {
        for (const calibration::CellName& cell : {calibration::CellName{"CMP-01", "softmax", "bfloat16"},
                                                  {"PRC-02", "softmax", "float32"},
                                                  {"ORD-01", "matmul", "float32"},
                                                  {"ORD-03", "all", "float32"}}) {
            const QImage image = figureImage(figure(cell), figureSizes()[0]);
            QVERIFY(!image.isNull());
        }
        const QImage lone = figureImage(figure({"ORD-03", "all", "float32"}), figureSizes()[1]); // published alone
        QVERIFY(lone != figureImage(figure({"RES-01", "all", "float32"}), figureSizes()[1]));
    }

    void anotherEndingIsRefused()
    {
        const QTemporaryDir folder;
        QVERIFY_EXCEPTION_THROWN(exportFigure(m_figure, figureSizes()[0], folder.filePath(u"f.tiff"_s)), Error);
        QVERIFY(!QFile::exists(folder.filePath(u"f.csv"_s)));
        QVERIFY(!figureSize(u"90mm"_s));
    }
};

QTEST_MAIN(FigureTest)
#include "tst_figure.moc"
