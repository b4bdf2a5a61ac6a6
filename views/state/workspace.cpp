// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/workspace.h"

#include "views/state/connection_pool.h"
#include "views/state/database_watcher.h"
#include "views/state/judging.h"
#include "views/state/write_queue.h"

#include <QFile>
#include <QPointer>

#include <algorithm>
#include <atomic>

namespace assay::views {

struct Workspace::Private {
    QString path;
    QString banner;
    bool readOnly = false;
    std::vector<store::Scope> scopes;
    std::int64_t scopeId = 0;
    Judging judging;
    std::atomic<int> generation = 0;
    int queries = 0;
    int urgent = 0;

    std::mutex poolMutex; ///< borrow() comes from any thread
    std::shared_ptr<ConnectionPool> pool;
    std::unique_ptr<DatabaseWatcher> watcher;
    std::unique_ptr<WriteQueue> writer;

    void setPool(std::shared_ptr<ConnectionPool> next)
    {
        const std::lock_guard lock(poolMutex);
        if (pool)
            pool->close();
        pool = std::move(next);
    }
};

namespace {

bool sameScope(const store::Scope& a, const store::Scope& b)
{
    return a.id == b.id && a.kernels == b.kernels && a.auditName == b.auditName && a.corpusName == b.corpusName;
}

/// What a person wants to see first: the newest audit, else the newest corpus.
std::int64_t newestScope(const std::vector<store::Scope>& scopes)
{
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
        if (scope->auditId)
            return scope->id;
    }
    return scopes.empty() ? 0 : scopes.back().id;
}

} // namespace

std::filesystem::path toFilesystemPath(const QString& path)
{
    return QFile::encodeName(path).toStdString();
}

Workspace::Workspace(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
}

Workspace::~Workspace()
{
    d->watcher.reset();
    d->writer.reset();
    d->setPool(nullptr);
}

bool Workspace::open(const QString& path, bool readOnly)
{
    return openWith(path, readOnly ? store::OpenMode::ReadOnly : store::OpenMode::ReadWrite);
}

bool Workspace::create(const QString& path)
{
    return openWith(path, store::OpenMode::ReadWriteCreate);
}

bool Workspace::openWith(const QString& path, store::OpenMode mode)
{
    try {
        const std::filesystem::path file = toFilesystemPath(path);
        std::unique_ptr<store::Database> database = store::Database::open(file, mode);
        // The version first: what is written while the scopes are read shows up as a change, never gets lost.
        const std::int64_t seen = database->dataVersion();
        std::vector<store::Scope> scopes = store::scopes(*database);

        close();
        d->path = path;
        d->banner = QString::fromStdString(database->banner());
        d->readOnly = database->isReadOnly();
        d->scopes = std::move(scopes);
        d->scopeId = newestScope(d->scopes);
        const auto pool
            = std::make_shared<ConnectionPool>(file, d->readOnly ? store::OpenMode::ReadOnly : store::OpenMode::ReadWrite);
        d->setPool(pool);
        if (!d->readOnly)
            d->writer = std::make_unique<WriteQueue>(file);
        watch(std::move(database), seen, pool);
        Q_EMIT opened();
        Q_EMIT scopesChanged();
        Q_EMIT scopeChanged();
        return true;
    } catch (const std::exception& error) {
        Q_EMIT openFailed(QString::fromUtf8(error.what()));
        return false;
    }
}

void Workspace::watch(std::unique_ptr<store::Database> database, std::int64_t seen, std::shared_ptr<ConnectionPool> pool)
{
    // What was posted for a database that has been closed since is dropped.
    const auto onGui = [this, opened = generation()](auto run) {
        QMetaObject::invokeMethod(
            this,
            [this, opened, run = std::move(run)]() mutable {
                if (opened == generation())
                    run();
            },
            Qt::QueuedConnection);
    };
    const auto changed = [this, onGui, pool = std::move(pool), frozen = d->readOnly](std::vector<store::Scope> found) {
        if (frozen)
            pool->renew();
        onGui([this, found = std::move(found)]() mutable { adoptScopes(std::move(found)); });
    };
    const auto looked = [this, onGui] { onGui([this] { Q_EMIT checked(); }); };
    const auto failed = [this, onGui](const std::string& message) {
        onGui([this, text = QString::fromStdString(message)] { Q_EMIT trouble(text); });
    };
    d->watcher
        = std::make_unique<DatabaseWatcher>(std::move(database), seen, DatabaseWatcher::Callbacks{changed, looked, failed});
}

void Workspace::close()
{
    if (!isOpen())
        return;
    ++d->generation;
    d->judging.end(); // a campaign goes on in its file, but no longer on screen
    d->watcher.reset();
    d->writer.reset();
    d->setPool(nullptr);
    d->path.clear();
    d->banner.clear();
    d->readOnly = false;
    d->scopes.clear();
    d->scopeId = 0;
    Q_EMIT closed();
}

bool Workspace::isOpen() const
{
    return !d->path.isEmpty();
}

QString Workspace::path() const
{
    return d->path;
}

bool Workspace::isReadOnly() const
{
    return d->readOnly;
}

QString Workspace::banner() const
{
    return d->banner;
}

const std::vector<store::Scope>& Workspace::scopes() const
{
    return d->scopes;
}

const store::Scope* Workspace::scope() const
{
    const auto found = std::ranges::find(d->scopes, d->scopeId, &store::Scope::id);
    return found == d->scopes.end() ? nullptr : &*found;
}

std::int64_t Workspace::scopeId() const
{
    return scope() ? d->scopeId : 0;
}

void Workspace::setScope(std::int64_t scopeId)
{
    if (scopeId == d->scopeId || std::ranges::find(d->scopes, scopeId, &store::Scope::id) == d->scopes.end())
        return;
    d->scopeId = scopeId;
    Q_EMIT scopeChanged();
}

Judging& Workspace::judging() const
{
    return d->judging;
}

bool Workspace::isShowingCampaign() const
{
    const store::Scope* shown = scope();
    return shown && shown->auditId && d->judging.isRunning() && *shown->auditId == d->judging.auditId();
}

void Workspace::adoptScopes(std::vector<store::Scope> scopes)
{
    const bool different = !std::ranges::equal(scopes, d->scopes, sameScope);
    const std::int64_t before = scopeId();
    d->scopes = std::move(scopes);
    if (!scope())
        d->scopeId = newestScope(d->scopes);
    if (different)
        Q_EMIT scopesChanged();
    if (scopeId() != before)
        Q_EMIT scopeChanged();
    Q_EMIT contentChanged();
}

void Workspace::write(std::function<void(store::Database&)> work, QObject* context, std::function<void(const QString&)> done)
{
    if (!d->writer) {
        const Error error(isOpen() ? "This database is open read-only" : "No database is open", d->path.toStdString(),
                          isOpen() ? "Open a copy in a folder that can be written." : "Open or import one first.");
        done(QString::fromUtf8(error.what()));
        return;
    }
    d->writer->post(std::move(work),
                    [this, guard = QPointer<QObject>(context), done = std::move(done)](const std::string& problem) {
                        // The queue ends before the workspace does, so `this` is alive here; the context is looked at on its own
                        // thread only.
                        QMetaObject::invokeMethod(
                            this,
                            [this, guard, done, text = QString::fromStdString(problem)] {
                                if (guard)
                                    done(text);
                                checkForChanges();
                            },
                            Qt::QueuedConnection);
                    });
}

std::shared_ptr<store::Database> Workspace::borrow()
{
    std::shared_ptr<ConnectionPool> pool;
    {
        const std::lock_guard lock(d->poolMutex);
        pool = d->pool;
    }
    if (!pool)
        throw Error("No database is open", "", "Open or import one first.");
    return pool->borrow();
}

void Workspace::checkForChanges()
{
    if (d->watcher)
        d->watcher->nudge();
}

bool Workspace::isBusy() const
{
    return d->queries > 0;
}

int Workspace::generation() const
{
    return d->generation;
}

void Workspace::queryStarted()
{
    if (++d->queries == 1)
        Q_EMIT busyChanged(true);
}

void Workspace::queryEnded()
{
    if (--d->queries == 0)
        Q_EMIT busyChanged(false);
}

bool Workspace::isUrgent() const
{
    return d->urgent > 0;
}

void Workspace::urgentStarted()
{
    if (++d->urgent == 1)
        Q_EMIT urgentChanged(true);
}

void Workspace::urgentEnded()
{
    if (--d->urgent == 0)
        Q_EMIT urgentChanged(false);
}

} // namespace assay::views
