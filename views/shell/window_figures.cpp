// SPDX-License-Identifier: GPL-3.0-or-later
// Figures: into files, and alone on the screen.
#include "views/shell/main_window_p.h"

#include <QAction>
#include <QDir>
#include <QFileInfo>
#include <QStatusBar>

namespace assay::views {

using namespace Qt::StringLiterals;

void MainWindow::Private::connectFigures()
{
    QObject::connect(calibrate, &CalibratePage::exportAsked, &window, [this](const QString& name) {
        askFigure(name, [this](const FigureSize& size, const QString& path) { calibrate->exportShown(size, path); });
    });
    QObject::connect(calibrate, &CalibratePage::presentationLeft, actions->fullScreen, &QAction::trigger);
}

void MainWindow::Private::askFigure(const QString& name,
                                    const std::function<void(const FigureSize& size, const QString& path)>& write)
{
    const QString folder = workspace.isOpen() ? QFileInfo(workspace.path()).absolutePath() : QDir::currentPath();
    prompt->ask(
        {tr("Write the figure"),
         tr("The ending says the form: .svg, .pdf or .png, on white paper. Its numbers go into a .csv beside it. Sizes are "
            "85mm, 180mm and 16:9."),
         tr("Write"),
         {{tr("File"), QDir(folder).filePath(name), {}, true}, {tr("Size"), u"180mm"_s, u"85mm"_s, false}},
         [this, write](const QStringList& answers) {
             const auto size = figureSize(answers[1]);
             if (!size)
                 return tr("Sizes are 85mm, 180mm and 16:9.");
             try {
                 write(*size, answers[0]);
             } catch (const Error& error) {
                 return QString::fromUtf8(error.what());
             }
             messages.post(Messages::Level::Info, tr("Figure written: %1").arg(answers[0]));
             return QString();
         }});
}

/// The figure alone: what else the window has goes until the presentation ends.
void MainWindow::Private::present(bool on)
{
    for (QWidget* part : std::initializer_list<QWidget*>{rail, topBar, window.statusBar()})
        part->setVisible(!on);
    calibrate->setPresenting(on);
}

} // namespace assay::views
