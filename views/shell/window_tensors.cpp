// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensorfile/tensor_file.h"
#include "views/shell/main_window_p.h"

#include <QAction>
#include <QFileInfo>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

bool isTensorFile(const QString& path)
{
    return QFileInfo(path).isFile() && tensorfile::looksLikeTensorFile(toFilesystemPath(path));
}

bool saysReference(const QString& path)
{
    return QFileInfo(path).fileName().contains(u"ref"_s, Qt::CaseInsensitive);
}

} // namespace

void MainWindow::Private::connectTensors()
{
    QObject::connect(actions->compareTensors, &QAction::triggered, &window, [this] { askTensors(); });
    QObject::connect(&tensorFiles, &BackgroundTask::failed, &window, [this](const QString& problem) {
        tensors->showMessage(problem);
        if (std::exchange(starting, false))
            Q_EMIT window.startFailed(problem);
    });
    tensors->showMessage(tr("Drop two files of tensors (.npy, .safetensors) on the window, the reference first."));
}

void MainWindow::compareTensors(const QString& reference, const QString& candidate, const QString& tensor, const QString& dtype)
{
    d->waitingReference.clear();
    d->selection.setPlace(u"tensors"_s);
    d->tensorFiles.start<DiffSources>(
        [reference, candidate, tensor, dtype](const std::stop_token&) {
            return sourcesOfFiles(reference, candidate, tensor, dtype);
        },
        [this,
         title = tr("%1 \u2192 %2").arg(QFileInfo(reference).fileName(), QFileInfo(candidate).fileName())](DiffSources found) {
            d->tensors->setSources(std::move(found), title);
            d->starting = false;
        });
}

void MainWindow::Private::askTensors()
{
    prompt->ask({tr("Compare two files of tensors"),
                 tr("Two .npy or .safetensors files; several tensors are matched by name. You can also drop both on the window."),
                 tr("Compare"),
                 {{tr("Reference"), {}, u"reference.npy"_s, true}, {tr("Candidate"), {}, u"candidate.npy"_s, true}},
                 [this](const QStringList& answers) {
                     for (const QString& path : answers) {
                         if (!isTensorFile(path))
                             return tr("%1 is no .npy or .safetensors file. Check the path.").arg(path);
                     }
                     window.compareTensors(answers[0], answers[1]);
                     return QString();
                 }});
}

/// Takes the files of tensors out of @p files. Two are compared, in the order they came unless a name says which is the
/// reference; one waits for its candidate.
bool MainWindow::Private::takeTensors(QStringList& files)
{
    QStringList found;
    for (const QString& path : files) {
        if (isTensorFile(path))
            found << path;
    }
    files.removeIf([&found](const QString& path) { return found.contains(path); });
    if (found.isEmpty())
        return false;
    if (!waitingReference.isEmpty())
        found.prepend(waitingReference);
    if (found.size() > 2) {
        messages.post(Messages::Level::Warning,
                      tr("Two files of tensors are compared at a time; %1 were dropped.").arg(found.size()));
        return true;
    }
    if (found.size() == 1) {
        waitingReference = found[0];
        selection.setPlace(u"tensors"_s);
        tensors->showMessage(tr("%1 is the reference. Drop the candidate.").arg(QFileInfo(found[0]).fileName()));
        return true;
    }
    if (waitingReference.isEmpty() && saysReference(found[1]) && !saysReference(found[0]))
        found.swapItemsAt(0, 1);
    window.compareTensors(found[0], found[1]);
    return true;
}

} // namespace assay::views
