// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/cell_shape.h"
#include "views/theme/theme.h"
#include "views/theme/verdict_legend.h"

#include <QApplication>
#include <QDirIterator>
#include <QImage>
#include <QPainter>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include <qcustomplot.h>

#include <array>
#include <cmath>

using namespace assay;
using namespace assay::views;
using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {

constexpr std::array kShapes = {StripCell::Absent,       StripCell::Pass,        StripCell::FailHard,     StripCell::FailSoft,
                                StripCell::Inapplicable, StripCell::Unsupported, StripCell::NotExercised, StripCell::Crash,
                                StripCell::Error,        StripCell::Running,     StripCell::PassWithNote};

/// The shape alone, black on white, as someone without colour sees it.
QImage shape(StripCell cell, qreal scale)
{
    constexpr int kSide = 12;
    QImage image(QSize(kSide, kSide) * scale, QImage::Format_Grayscale8);
    image.setDevicePixelRatio(scale);
    image.fill(Qt::white);
    QPainter painter(&image);
    drawCellShape(painter, QRectF(0, 0, kSide, kSide), cell, Qt::black, Qt::white);
    return image;
}

/// Mean difference of two grey images, 0 (same) to 1 (black against white everywhere).
double difference(const QImage& a, const QImage& b)
{
    double sum = 0;
    for (int y = 0; y < a.height(); ++y) {
        for (int x = 0; x < a.width(); ++x)
            sum += std::abs(qGray(a.pixel(x, y)) - qGray(b.pixel(x, y)));
    }
    return sum / 255.0 / (a.width() * a.height());
}

/// WCAG 2 relative luminance and contrast.
double luminance(const QColor& colour)
{
    const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

double contrast(const QColor& a, const QColor& b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace

class ThemeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyStateHasAShapeOfItsOwn_data()
    {
        QTest::addColumn<double>("scale");
        QTest::newRow("1") << 1.0;
        QTest::newRow("1.5") << 1.5;
        QTest::newRow("2") << 2.0;
    }
    void everyStateHasAShapeOfItsOwn()
    {
        QFETCH(double, scale);
        for (std::size_t i = 0; i < kShapes.size(); ++i) {
            for (std::size_t j = i + 1; j < kShapes.size(); ++j) {
                const double apart = difference(shape(kShapes[i], scale), shape(kShapes[j], scale));
                // The closest pair is the speck of "not run" and the dash: their ink differs by a sixteenth of the cell.
                const std::string both
                    = std::string(contract::name(kShapes[i])) + " and " + std::string(contract::name(kShapes[j]));
                QVERIFY2(apart > 0.06, qPrintable(u"%1 look alike: %2"_s.arg(QString::fromStdString(both)).arg(apart)));
            }
        }
    }

    void shapesStayInsideTheirCell()
    {
        for (const StripCell cell : kShapes) {
            QImage image(40, 40, QImage::Format_Grayscale8);
            image.fill(Qt::white);
            QPainter painter(&image);
            drawCellShape(painter, QRectF(14, 14, 12, 12), cell, Qt::black, Qt::white);
            painter.end();
            for (int y = 0; y < 40; ++y) {
                for (int x = 0; x < 40; ++x) {
                    if (x < 13 || x > 26 || y < 13 || y > 26)
                        QVERIFY2(qGray(image.pixel(x, y)) == 255, contract::name(cell).data());
                }
            }
        }
    }

    void coloursAreTheTokensOfTheDesign()
    {
        Theme theme;
        theme.setMode(Theme::Mode::Light);
        QCOMPARE(theme.cell(StripCell::Pass), QColor(0x009E73));
        QCOMPARE(theme.cell(StripCell::FailHard), QColor(0xC8410B));
        QCOMPARE(theme.cell(StripCell::FailSoft), QColor(0xC98700));
        QCOMPARE(theme.cell(StripCell::Unsupported), QColor(0x7B61A8));
        QCOMPARE(theme.cell(StripCell::Crash), QColor(0x8B1A1A));
        QCOMPARE(theme.accent(), QColor(0x0072B2));
        QCOMPARE(theme.surface(), QColor(0xFFFFFF));
        theme.setMode(Theme::Mode::Dark);
        QVERIFY(theme.isDark());
        QCOMPARE(theme.cell(StripCell::Pass), QColor(0x2FBF95));
        QCOMPARE(theme.cell(StripCell::FailHard), QColor(0xFF7A3D));
        QCOMPARE(theme.cell(StripCell::Timeout), QColor(0xFF6B6B));
        QCOMPARE(theme.surface(), QColor(0x0F1419));
        QCOMPARE(theme.line(), QColor(0x2D333B));
        QCOMPARE(theme.ink(), QColor(0xE6EDF3));
    }

    void textIsReadableInBothLooks()
    {
        Theme theme;
        for (const Theme::Mode mode : {Theme::Mode::Light, Theme::Mode::Dark}) {
            theme.setMode(mode);
            for (const QColor& ground : {theme.surface(), theme.raised(), theme.selected(), theme.hover(), theme.warning()})
                QVERIFY(contrast(theme.ink(), ground) >= 7.0);
            for (const QColor& ground : {theme.surface(), theme.raised(), theme.hover()})
                QVERIFY(contrast(theme.mutedInk(), ground) >= 4.5);
            QVERIFY(contrast(theme.accentInk(), theme.accent()) >= 4.5);
            QVERIFY(contrast(theme.cell(StripCell::FailHard), theme.surface()) >= 3.0);
        }
    }

    void aSwitchRepaintsIconsAndTellsEverybody()
    {
        Theme theme;
        theme.apply(*qApp);
        QSignalSpy changed(&theme, &Theme::changed);
        const QIcon icon = theme.icon(u"search"_s);
        const QImage light = icon.pixmap(24, 24).toImage();
        theme.setMode(Theme::Mode::Dark);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(qApp->palette().color(QPalette::Base), theme.surface());
        QVERIFY(icon.pixmap(24, 24).toImage() != light); // the icon that widgets hold follows by itself
        theme.setMode(Theme::Mode::Dark);
        QCOMPARE(changed.size(), 1);
        theme.setDense(false);
        QCOMPARE(theme.rowHeight(), 30);
        QCOMPARE(changed.size(), 2);
    }

    void everyIconDrawsSomething()
    {
        const Theme theme;
        QDirIterator files(u":/icons"_s);
        int count = 0;
        while (files.hasNext()) {
            const QString name = QFileInfo(files.next()).completeBaseName();
            const QImage image = theme.icon(name).pixmap(16, 16).toImage().convertToFormat(QImage::Format_ARGB32);
            bool hasInk = false;
            for (int i = 0; i < 256 && !image.isNull(); ++i)
                hasInk = hasInk || qAlpha(image.pixel(i % 16, i / 16)) > 127;
            QVERIFY2(hasInk, qPrintable(name));
            ++count;
        }
        QVERIFY(count >= 25);
    }

    void aPlotTakesTheColoursOfTheLook()
    {
        Theme theme;
        theme.setMode(Theme::Mode::Dark);
        QCustomPlot plot;
        plot.legend->setVisible(true);
        theme.style(plot);
        QCOMPARE(plot.xAxis->tickLabelColor(), theme.mutedInk());
        QCOMPARE(plot.xAxis->labelColor(), theme.ink());
        QCOMPARE(plot.legend->textColor(), theme.ink());
        plot.resize(200, 100);
        QCOMPARE(plot.toPixmap(200, 100).toImage().pixelColor(1, 1), theme.surface());
    }

    void theLegendNamesEveryStateAndFitsItsWidth()
    {
        const Theme theme;
        VerdictLegend legend(theme);
        for (const StripCell cell : {StripCell::Pass, StripCell::FailHard, StripCell::FailSoft, StripCell::NotExercised})
            QVERIFY(legend.accessibleDescription().contains(cellTitle(cell)));
        QVERIFY(legend.heightForWidth(200) > legend.heightForWidth(900));
        legend.resize(900, legend.heightForWidth(900));
        QVERIFY(!legend.grab().toImage().isNull());
    }
};

QTEST_MAIN(ThemeTest)
#include "tst_theme.moc"
