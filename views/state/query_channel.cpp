// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/query_channel.h"

#include "views/state/workspace.h"

#include <QPointer>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace assay::views {

struct QueryChannel::Private {
    struct Request {
        std::uint64_t ticket = 0;
        int generation = 0;
        std::stop_source stop;
        std::function<std::any(store::Database&, std::stop_token)> work;
        std::function<void(std::any)> done;
    };

    explicit Private(Workspace& source)
        : workspace(source)
    {
    }

    Workspace& workspace;
    bool running = false;                          ///< GUI thread only
    std::uint64_t ticket = 0;                      ///< of the newest request; GUI thread only
    std::stop_source newestStop{std::nostopstate}; ///< GUI thread only

    std::mutex mutex;
    std::condition_variable_any wake;
    std::optional<Request> next;
    std::jthread thread; ///< started by the first request

    std::optional<Request> take(const std::stop_token& ending)
    {
        std::unique_lock lock(mutex);
        wake.wait(lock, ending, [this] { return next.has_value(); });
        return std::exchange(next, std::nullopt);
    }
};

QueryChannel::QueryChannel(Workspace& workspace, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>(workspace))
{
}

QueryChannel::~QueryChannel()
{
    d->newestStop.request_stop();
    if (d->thread.joinable()) {
        d->thread.request_stop();
        d->thread.join();
    }
    if (d->running)
        d->workspace.queryEnded();
}

void QueryChannel::cancel()
{
    if (!d->running)
        return;
    ++d->ticket;
    d->newestStop.request_stop();
    {
        const std::lock_guard lock(d->mutex);
        d->next.reset();
    }
    d->running = false;
    Q_EMIT runningChanged(false);
    d->workspace.queryEnded();
}

bool QueryChannel::isRunning() const
{
    return d->running;
}

void QueryChannel::startErased(std::function<std::any(store::Database&, std::stop_token)> work,
                               std::function<void(std::any)> done)
{
    d->newestStop.request_stop();
    Private::Request request{++d->ticket, d->workspace.generation(), std::stop_source{}, std::move(work), std::move(done)};
    d->newestStop = request.stop;
    {
        const std::lock_guard lock(d->mutex);
        d->next = std::move(request);
        d->wake.notify_one();
    }
    if (!d->thread.joinable())
        d->thread = std::jthread([this](const std::stop_token& ending) { serve(ending); });
    if (!d->running) {
        d->running = true;
        d->workspace.queryStarted();
        Q_EMIT runningChanged(true);
    }
}

void QueryChannel::serve(const std::stop_token& ending)
{
    // The thread ends before the channel does, so posting to `this` is safe; what is left in the event queue dies with it.
    const auto post = [this](const Private::Request& request, std::function<void()> deliver) {
        QMetaObject::invokeMethod(
            this,
            [this, ticket = request.ticket, generation = request.generation, deliver = std::move(deliver)] {
                finish(ticket, generation, deliver);
            },
            Qt::QueuedConnection);
    };
    while (std::optional<Private::Request> request = d->take(ending)) {
        const std::stop_token stop = request->stop.get_token();
        if (stop.stop_requested())
            continue;
        try {
            const std::shared_ptr<store::Database> database = d->workspace.borrow();
            std::any result;
            try {
                const store::InterruptOnStop interrupt(*database, stop);
                result = request->work(*database, stop);
            } catch (const SQLite::Exception& error) {
                database->rethrow(error);
            }
            post(*request, [done = std::move(request->done), result = std::move(result)] { done(result); });
        } catch (const Cancelled&) {
            // Silent: mostly a newer request has taken over, and then the ticket drops this as well.
            post(*request, [] {});
        } catch (const std::exception& error) {
            if (!stop.stop_requested())
                post(*request, [this, message = QString::fromUtf8(error.what())] { Q_EMIT failed(message); });
        }
    }
}

void QueryChannel::finish(std::uint64_t ticket, int generation, const std::function<void()>& deliver)
{
    if (ticket != d->ticket || !d->running)
        return;
    const QPointer<QueryChannel> alive(this);
    Workspace& workspace = d->workspace;
    if (generation == workspace.generation())
        deliver();
    // The consumer may have asked again, or be gone together with this channel.
    if (!alive || ticket != d->ticket || !d->running)
        return;
    d->running = false;
    Q_EMIT runningChanged(false);
    if (alive)
        workspace.queryEnded();
}

} // namespace assay::views
