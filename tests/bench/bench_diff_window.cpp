// SPDX-License-Identifier: GPL-3.0-or-later
//
// How fast the output diff is on screen for two 8192 x 8192 fp32 tensors. Prints "what <tab> value <tab> unit", one line each.
//
// usage: bench_diff_window FOLDER        with reference.npy and candidate.npy; needs no display
#include "views/diff/diff_page.h"
#include "views/diff/tensor_pane.h"
#include "views/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

constexpr int kFrames = 60;

void print(const char* what, double value, const char* unit)
{
    std::printf("%s\t%.3f\t%s\n", what, value, unit);
}

double milliseconds(const QElapsedTimer& clock)
{
    return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

/// The longest of many frames, each with the change that makes it necessary: every pane is painted and handed to the screen.
template <typename Change> double slowestFrame(DiffPage& page, Change change)
{
    double slowest = 0;
    const QList<TensorPane*> panes = page.findChildren<TensorPane*>();
    for (int i = 0; i < kFrames; ++i) {
        QElapsedTimer clock;
        clock.start();
        change(i);
        for (TensorPane* pane : panes)
            pane->repaint();
        slowest = std::max(slowest, milliseconds(clock));
        QCoreApplication::processEvents(); // pictures that were asked for come in between
    }
    return slowest;
}

int run(const QString& folder)
{
    Theme theme;
    theme.apply(*qApp);
    DiffPage page(theme);
    page.resize(1600, 1000);
    page.show();
    if (!QTest::qWaitForWindowExposed(&page))
        return 2;
    QElapsedTimer clock;
    clock.start();
    QSignalSpy first(&page, &DiffPage::firstPictureShown);
    page.setSources(sourcesOfFiles(folder + u"/reference.npy"_s, folder + u"/candidate.npy"_s, {}, {}));
    if (!page.hasPair() || (first.isEmpty() && !first.wait(60'000)))
        return 2;
    page.grab();
    print("output diff, first picture from opening the files on", milliseconds(clock), "ms");
    if (!QTest::qWaitFor([&] { return page.isSettled(); }, 60'000))
        return 2;
    print("output diff, every figure and histogram from opening the files on", milliseconds(clock), "ms");

    auto* pane = page.findChild<TensorPane*>(u"diff.pane0"_s);
    const QPointF middle = pane->canvas().center();
    const auto wheel = [&](int delta) {
        QWheelEvent turn(middle, pane->mapToGlobal(middle), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                         false);
        QApplication::sendEvent(pane, &turn);
    };
    print("output diff, slowest frame while zooming", slowestFrame(page, [&](int i) { wheel(i < kFrames / 2 ? 60 : -60); }),
          "ms");
    for (int i = 0; i < 8; ++i)
        wheel(120);
    QTest::mousePress(pane, Qt::LeftButton, {}, middle.toPoint());
    QTest::mouseMove(pane, middle.toPoint() + QPoint(40, 40));
    print("output diff, slowest frame while panning",
          slowestFrame(page, [&](int i) { QTest::mouseMove(pane, middle.toPoint() + QPoint(40 - 3 * i, 40 - 2 * i)); }), "ms");
    QTest::mouseRelease(pane, Qt::LeftButton, {}, middle.toPoint());
    if (!QTest::qWaitFor([&] { return page.isSettled(); }, 60'000))
        return 2;
    pane->setFocus();
    print("output diff, slowest frame while blinking",
          slowestFrame(page,
                       [&](int i) {
                           if (i % 2 == 0)
                               QTest::keyPress(pane, Qt::Key_B, Qt::NoModifier, 0);
                           else
                               QTest::keyRelease(pane, Qt::Key_B, Qt::NoModifier, 0);
                       }),
          "ms");
    return 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_diff_window FOLDER\n");
        return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    return run(QString::fromLocal8Bit(argv[1]));
}
