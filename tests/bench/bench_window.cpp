// SPDX-License-Identifier: GPL-3.0-or-later
// How the kernel list behaves on a large database: bench_window DB. Prints a table, then the same as one JSON object.
// Run it offscreen on a database of a million kernels (bench_database writes one).
#include "views/state/context.h"
#include "views/state/filter_stack.h"
#include "views/state/jobs.h"
#include "views/state/messages.h"
#include "views/state/selection.h"
#include "views/state/workspace.h"
#include "views/theme/theme.h"
#include "views/triage/facet_model.h"
#include "views/triage/kernel_list.h"
#include "views/triage/triage_page.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QScrollBar>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

using namespace assay::views;
using namespace Qt::StringLiterals;

namespace {

struct Figure {
    std::string name;
    double value;
    double bound; ///< 0: none is set
    std::string unit;
};

/// The longest time during which the event loop did not turn.
class StallMeter final : public QObject {
public:
    StallMeter()
    {
        m_heart.setInterval(1);
        connect(&m_heart, &QTimer::timeout, this, &StallMeter::beat);
        m_since.start();
        m_heart.start();
    }

    double longest()
    {
        beat();
        return m_longest;
    }

private:
    void beat()
    {
        m_longest = std::max(m_longest, static_cast<double>(m_since.nsecsElapsed()) / 1e6);
        m_since.restart();
    }
    QTimer m_heart;
    QElapsedTimer m_since;
    double m_longest = 0;
};

double statusMiB(const char* key)
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith(key))
            return line.mid(static_cast<qsizetype>(std::strlen(key)) + 1).trimmed().split(' ').first().toDouble() / 1024;
    }
    return 0;
}

/// Turns the event loop until @p done. @return milliseconds that took
/// @throws std::runtime_error after a time that no figure takes: something failed, and nothing more will come
double waitFor(const std::function<bool()>& done)
{
    QElapsedTimer timer;
    timer.start();
    constexpr qint64 kNeverEnds = 120'000;
    while (!done()) {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
        if (timer.hasExpired(kNeverEnds))
            throw std::runtime_error("the window did not answer within two minutes");
    }
    return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

struct Bench {
    Workspace workspace;
    Selection selection;
    FilterStack filters;
    Theme theme;
    Messages messages;
    Jobs jobs;
    Context context{workspace, selection, filters, jobs, messages, theme};
    std::vector<Figure> figures;

    void add(std::string name, double value, double bound, std::string unit)
    {
        figures.push_back({std::move(name), value, bound, std::move(unit)});
    }

    void run(const QString& path);
    void ask(KernelTableModel& model, const std::string& name, const std::function<void()>& question);
    void scroll(KernelList& list);
    void copyAll(KernelList& list);
};

/// Milliseconds from a question to its first page, and to all of its ids.
void Bench::ask(KernelTableModel& model, const std::string& name, const std::function<void()>& question)
{
    bool first = false;
    const auto connection = QObject::connect(&model, &KernelTableModel::restarted, &model, [&] { first = true; });
    StallMeter stall;
    question();
    const double firstPage = waitFor([&] { return first; });
    const double rest = waitFor([&] { return model.isComplete() && !model.isLoading(); });
    QObject::disconnect(connection);
    add(name + ": first page", firstPage, 100, "ms");
    add(name + ": every id", firstPage + rest, 0, "ms");
    add(name + ": longest stall", stall.longest(), 200, "ms");
}

void Bench::scroll(KernelList& list)
{
    QScrollBar* bar = list.table().verticalScrollBar();
    QElapsedTimer timer;
    timer.start();
    for (int step = 1; step <= 60; ++step) {
        bar->setValue(bar->maximum() / 60 * step);
        list.table().viewport()->repaint();
        QCoreApplication::processEvents();
    }
    add("60 scroll repaints", static_cast<double>(timer.nsecsElapsed()) / 1e6, 500, "ms");
    waitFor([&] { return !workspace.isBusy(); });
    timer.restart();
    for (int step = 1; step <= 60; ++step) {
        bar->setValue(bar->value() - 1);
        list.table().viewport()->repaint();
    }
    add("60 repaints of loaded rows", static_cast<double>(timer.nsecsElapsed()) / 1e6, 500, "ms");
}

void Bench::copyAll(KernelList& list)
{
    bool ended = false;
    QObject::connect(&jobs, &Jobs::finished, &list, [&] { ended = true; });
    QObject::connect(&jobs, &Jobs::failed, &list, [&] { ended = true; });
    StallMeter stall;
    QTest::keyClick(&list.table(), Qt::Key_A, Qt::ControlModifier);
    QElapsedTimer settling;
    settling.start();
    waitFor([&] { return settling.elapsed() > 300; }); // the repaint counts too
    if (list.table().selectedRanges() != std::vector<RowRange>{{0, list.model().rowCount() - 1}})
        std::fprintf(stderr, "not every row is selected\n");
    add("select all: longest stall", stall.longest(), 200, "ms");
    StallMeter copying;
    QTest::keyClick(&list.table(), Qt::Key_C, Qt::ControlModifier);
    const double seconds = waitFor([&] { return ended; }) / 1e3;
    add("copy all: longest stall", copying.longest(), 200, "ms");
    add("copy all: until the clipboard or the offer of a file", seconds, 0, "s");
}

void Bench::run(const QString& path)
{
    TriagePage page(context);
    page.resize(1600, 1000);
    page.show();
    if (!QTest::qWaitForWindowExposed(&page))
        std::fprintf(stderr, "the window was never shown: repaints are not measured\n");
    auto& list = *page.findChild<KernelList*>();
    QString problem;
    QObject::connect(&workspace, &Workspace::openFailed, &page, [&](const QString& message) { problem = message; });
    const double before = statusMiB("VmRSS");
    QElapsedTimer opening;
    opening.start();
    ask(list.model(), "open", [&] {
        if (!workspace.open(path))
            throw std::runtime_error(problem.toStdString());
    });
    add("kernels", list.model().rowCount(), 0, "");
    waitFor([&] { return !workspace.isBusy(); });
    add("open: with facets", static_cast<double>(opening.nsecsElapsed()) / 1e6, 0, "ms");
    ask(list.model(), "filter", [&] { filters.setText(u"gate:EXC-01"_s); });
    ask(list.model(), "sort by error", [&] { filters.setSort({assay::store::TriageColumn::Error, true}); });
    bool counted = false;
    QObject::connect(page.findChild<FacetModel*>(), &FacetModel::loaded, &page, [&] { counted = true; });
    filters.clear();
    add("facet counts", waitFor([&] { return counted; }), 600, "ms");
    waitFor([&] { return !workspace.isBusy(); });
    scroll(list);
    waitFor([&] { return !workspace.isBusy(); });
    page.focusList();
    copyAll(list);
    add("memory growth, peak", statusMiB("VmHWM") - before, 300, "MiB");
}

void print(const std::vector<Figure>& figures)
{
    bool within = true;
    std::string json;
    for (const Figure& figure : figures) {
        const bool met = figure.bound == 0 || figure.value <= figure.bound;
        within = within && met;
        std::printf("%-56s %12.1f %-4s", figure.name.c_str(), figure.value, figure.unit.c_str());
        if (figure.bound > 0)
            std::printf("  at most %.0f: %s", figure.bound, met ? "met" : "MISSED");
        std::printf("\n");
        json += (json.empty() ? "" : ",") + ("\"" + figure.name + "\":" + std::to_string(figure.value));
    }
    std::printf("{\"schema\":\"assay-bench-window-1\",\"within\":%s,\"figures\":{%s}}\n", within ? "true" : "false",
                json.c_str());
}

} // namespace

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    if (argc != 2) {
        std::fprintf(stderr, "usage: bench_window DB\n");
        return 2;
    }
    Bench bench;
    bench.theme.apply(application);
    try {
        bench.run(QString::fromLocal8Bit(argv[1]));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    print(bench.figures);
    return 0;
}
