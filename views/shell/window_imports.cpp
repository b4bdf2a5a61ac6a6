// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shell/main_window_p.h"

#include <QAction>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QMimeData>
#include <QStandardPaths>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

QStringList localFiles(const QMimeData& data)
{
    QStringList files;
    for (const QUrl& url : data.urls()) {
        if (url.isLocalFile())
            files << QDir::cleanPath(url.toLocalFile());
    }
    return files;
}

} // namespace

bool looksLikeDatabase(const QString& path)
{
    QFile file(path);
    constexpr QByteArrayView kMagic("SQLite format 3\0", 16);
    return file.open(QIODevice::ReadOnly) && file.read(kMagic.size()) == kMagic;
}

void MainWindow::Private::connectImports()
{
    QObject::connect(&imports, &ImportRunner::imported, &window, [this](const QString& corpus) { importedCorpus = corpus; });
    QObject::connect(&imports, &ImportRunner::failed, &window, [this](const QString& message) {
        afterImport.reset();
        if (message.isEmpty())
            dropped.clear(); // cancelled: a person who cancels one of several wants none of the rest
        importNextDropped();
    });
}

QString MainWindow::Private::defaultDatabase() const
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + u"/assay.db"_s;
}

void MainWindow::Private::askImport()
{
    const QString into = workspace.isOpen() && !workspace.isReadOnly() ? workspace.path() : defaultDatabase();
    prompt->ask({tr("Import an audit or a corpus"),
                 tr("A file or a folder. The format is told from the content; importing reads and never executes. You can also "
                    "drop it on the window."),
                 tr("Import"),
                 {{tr("File or folder"), {}, u"audit_rows.jsonl.gz"_s, true},
                  {tr("Into database (made where it does not exist)"), into, into, true}},
                 [this](const QStringList& answers) {
                     if (answers[0].isEmpty() || !QFileInfo::exists(answers[0]))
                         return tr("There is nothing at %1. Check the path.").arg(answers[0]);
                     if (answers[1].isEmpty())
                         return tr("Name the database to import into.");
                     importInto(answers[0], answers[1]);
                     return QString();
                 }});
}

void MainWindow::Private::importInto(const QString& path, const QString& database)
{
    const auto refuse = [this](const QString& why) {
        messages.post(Messages::Level::Error, why);
        if (std::exchange(starting, false))
            Q_EMIT window.startFailed(why);
    };
    if (imports.isRunning())
        return refuse(tr("An import is running. Wait for it, or cancel it (Ctrl+.)."));
    if (!QFileInfo::exists(path))
        return refuse(tr("There is nothing to import at %1. Check the path.").arg(path));
    const bool isOpenOne
        = workspace.isOpen() && QFileInfo(database).absoluteFilePath() == QFileInfo(workspace.path()).absoluteFilePath();
    if (!isOpenOne) {
        QDir().mkpath(QFileInfo(database).path());
        if (!workspace.create(database))
            return; // openFailed has said why
    }
    if (workspace.isReadOnly())
        return refuse(
            tr("%1 is open read-only, so nothing can be imported into it. Open a copy that can be written.").arg(database));
    imports.start(path);
}

void MainWindow::Private::openSample()
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::AppDataLocation);
    const QString path = folder + u"/sample.db"_s;
    QDir().mkpath(folder);
    if (!workspace.create(path))
        return;
    selection.setPlace(u"overview"_s);
    if (!workspace.scopes().empty())
        return; // imported by an earlier start
    if (const QString problem = imports.startSample(); !problem.isEmpty())
        messages.post(Messages::Level::Error, problem);
}

/// The audit that has just been imported is what a person wants to see, or the spot that the start asked for.
void MainWindow::Private::showImported()
{
    if (importedCorpus.isEmpty())
        return;
    const std::string wanted = std::exchange(importedCorpus, {}).toStdString();
    const auto& scopes = workspace.scopes();
    const store::Scope* newest = nullptr;
    for (const store::Scope& scope : scopes) {
        if (scope.corpusName == wanted && (!newest || scope.auditId))
            newest = &scope;
    }
    if (newest)
        workspace.setScope(newest->id);
    if (const auto spot = std::exchange(afterImport, {}))
        navigator.goTo(*spot); // ends the start
    else
        starting = false;
    importNextDropped();
}

/// Files dropped together, or while an import runs, go in one after the other.
void MainWindow::Private::importNextDropped()
{
    while (!dropped.isEmpty() && !imports.isRunning())
        window.importPath(dropped.takeFirst());
}

void MainWindow::importPath(const QString& path)
{
    d->importInto(path, d->workspace.isOpen() ? d->workspace.path() : d->defaultDatabase());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (!localFiles(*event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    QStringList files = localFiles(*event->mimeData());
    d->takeTensors(files);
    for (const QString& path : files) {
        if (looksLikeDatabase(path))
            d->workspace.open(path);
        else
            d->dropped << path;
    }
    event->acceptProposedAction();
    d->importNextDropped();
}

} // namespace assay::views
