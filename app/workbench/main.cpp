// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/workbench/options.h"
#include "app/workbench/startup_clock.h"
#include "assay_version.h"
#include "core/report/calibration_data.h"
#include "core/text/error.h"
#include "views/audit/page_printer.h"
#include "views/calibrate/figure_export.h"
#include "views/launch/plan_figure.h"
#include "views/shell/grabber.h"
#include "views/shell/main_window.h"
#include "views/state/workspace.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTimer>

#include <cstdio>
#include <optional>

namespace {

using namespace assay;
using namespace Qt::StringLiterals;

constexpr int kFailed = 1;
constexpr int kUsage = 2;

/// Errors of this program are one line each.
void complain(QString message)
{
    message.replace(u'\n', u' ');
    std::fprintf(stderr, "assay-workbench: %s\n", qPrintable(message));
}

bool hasDisplay()
{
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY")
        || !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

/// It writes a file and never shows a window.
bool isHeadless(const workbench::Options& options)
{
    return !options.grab.isEmpty() || !options.pdf.isEmpty() || !options.figure.path.isEmpty();
}

/// What Qt reads from the environment has to be there before the application is.
void prepareEnvironment(const workbench::Options& options)
{
    if (isHeadless(options) && !hasDisplay())
        qputenv("QT_QPA_PLATFORM", "offscreen");
    if (options.scale)
        qputenv("QT_SCALE_FACTOR", QByteArray::number(*options.scale));
    // Fractions of a device pixel stay fractions: rounding would make a picture of another size than asked.
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
}

/// Where the session names no runtime folder Qt makes one up and complains about it at every start; this one goes at the end.
std::optional<QTemporaryDir> makeRuntimeFolder()
{
    std::optional<QTemporaryDir> folder;
    if (qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR") && folder.emplace().isValid())
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(folder->path()));
    return folder;
}

/// With ASSAY_STARTUP_TRACE=1: says when the window was first usable, that is shown with its data.
void traceStartup(views::MainWindow& window)
{
    if (qEnvironmentVariable("ASSAY_STARTUP_TRACE") != u"1"_s)
        return;
    auto* look = new QTimer(&window);
    QObject::connect(look, &QTimer::timeout, &window, [&window, look] {
        if (!window.isVisible() || !window.isSettled())
            return;
        look->stop();
        std::fprintf(stderr, "startup_ms %lld\n", static_cast<long long>(workbench::millisecondsSinceProcessStart()));
    });
    look->start(1);
}

int writeFigure(const workbench::Options& options)
{
    const workbench::FigureOrder& order = options.figure;
    try {
        if (!order.plan.isEmpty()) {
            const views::PlanFigure plan = views::loadPlanFigure(order.keys, order.values, false, views::usualTarget());
            views::exportPlan(plan, *views::figureSize(order.size), order.path);
            return 0;
        }
        const auto database
            = store::Database::open(views::toFilesystemPath(options.start.spot.database), store::OpenMode::ReadOnly);
        const report::CalibrationVersion version = report::calibrationVersion(*database, order.version.toStdString());
        const calibration::CellName cell
            = report::chooseCell(version, order.gate.toStdString(), order.family.toStdString(), order.dtype.toStdString());
        views::exportFigure(report::loadFigure(*database, version, cell, {}), *views::figureSize(order.size), order.path);
        return 0;
    } catch (const Error& error) {
        complain(QString::fromUtf8(error.what()));
        return kFailed;
    }
}

int grab(QApplication& application, views::MainWindow& window, const workbench::Options& options)
{
    views::Grabber grabber(window, [&window] { return window.isSettled(); });
    const auto fail = [&application](const QString& message) {
        complain(message);
        application.exit(kFailed);
    };
    QObject::connect(&grabber, &views::Grabber::saved, &application, [&application] { application.exit(0); });
    QObject::connect(&grabber, &views::Grabber::failed, &application, fail);
    QObject::connect(&window, &views::MainWindow::startFailed, &application, fail);
    // Inside the event loop, so that exit() reaches it also when the start fails at once.
    QTimer::singleShot(0, &window, [&] {
        window.start(options.start);
        grabber.start(options.grab, options.size);
    });
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    const auto [options, problem] = workbench::parseOptions(arguments);
    if (options.version) {
        std::puts("assay-workbench " ASSAY_VERSION);
        return 0;
    }
    if (options.help) {
        const QCoreApplication forTheName(argc, argv);
        std::fputs(qPrintable(workbench::helpText(arguments.value(0))), stdout);
        return 0;
    }
    if (!problem.isEmpty()) {
        complain(problem + u" (--help lists the options)"_s);
        return kUsage;
    }
    if (!isHeadless(options) && !hasDisplay()) {
        complain(u"there is no display: set DISPLAY or WAYLAND_DISPLAY, or draw a picture with --grab OUT.png"_s);
        return kFailed;
    }
    prepareEnvironment(options);
    const std::optional<QTemporaryDir> runtimeFolder = makeRuntimeFolder();
    QApplication application(argc, argv);
    QApplication::setApplicationName(u"assay"_s);
    QApplication::setApplicationDisplayName(u"Assay"_s);
    QApplication::setApplicationVersion(QStringLiteral(ASSAY_VERSION));
    QGuiApplication::setDesktopFileName(u"org.assay.Workbench"_s);

    if (!options.pdf.isEmpty()) {
        const QString failure = views::printPage(options.html, options.pdf);
        if (!failure.isEmpty())
            complain(failure);
        return failure.isEmpty() ? 0 : kFailed;
    }

    if (!options.figure.path.isEmpty())
        return writeFigure(options);

    // A picture shows what was asked for, not what the last session left behind.
    views::MainWindow window(options.grab.isEmpty() ? views::defaultSessionPath() : QString());
    traceStartup(window);
    if (!options.grab.isEmpty())
        return grab(application, window, options);
    window.show();
    window.start(options.start);
    return QApplication::exec();
}
