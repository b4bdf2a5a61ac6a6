// SPDX-License-Identifier: GPL-3.0-or-later
// The launch place: what the window brings to it, and where its results lead.
#include "views/shell/main_window_p.h"

namespace assay::views {

using namespace Qt::StringLiterals;

void MainWindow::Private::connectLaunch()
{
    launch->setSettings(session.launch);
    launch->setPython(interpreterOf(judge.settings()));
    QObject::connect(launch, &LaunchPage::settingsChanged, &saveSoon, [this] { saveSoon.start(); });
    QObject::connect(launch, &LaunchPage::exportAsked, &window, [this](const QString& name) {
        askFigure(name, [this](const FigureSize& size, const QString& path) { launch->exportPlan(size, path); });
    });
    QObject::connect(launch, &LaunchPage::differenceAsked, &window, [this] {
        kernels->wideAction()->setChecked(true);
        evidence->showSection(u"outputs"_s);
    });
}

} // namespace assay::views
