// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/query_channel.h"

#include "views/state/workspace.h"

#include <QPointer>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace assay::views {

struct QueryChannel::Private {
    struct Request {
        std::uint64_t ticket = 0;
        int generation = 0;
        std::stop_source stop;
        Work work;
        Done done;
    };
    /// A request that can wait, kept so that it can begin again.
    struct Patient {
        Work work;
        Done done;
        int generation = 0;
    };

    explicit Private(Workspace& source)
        : workspace(source)
    {
    }

    Workspace& workspace;
    bool running = false;                          ///< GUI thread only
    std::uint64_t ticket = 0;                      ///< of the newest request; GUI thread only
    std::stop_source newestStop{std::nostopstate}; ///< GUI thread only
    bool urgent = false;                           ///< the newest request is; GUI thread only
    std::optional<Patient> patient;                ///< the newest request, where it can wait; GUI thread only

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
    connect(&workspace, &Workspace::urgentChanged, this, &QueryChannel::onUrgentChanged);
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
    setUrgent(false);
}

void QueryChannel::drop()
{
    ++d->ticket;
    d->newestStop.request_stop();
    const std::lock_guard lock(d->mutex);
    d->next.reset();
}

void QueryChannel::cancel()
{
    if (!d->running)
        return;
    drop();
    d->patient.reset();
    d->running = false;
    setUrgent(false);
    Q_EMIT runningChanged(false);
    d->workspace.queryEnded();
}

bool QueryChannel::isRunning() const
{
    return d->running;
}

void QueryChannel::setUrgent(bool urgent)
{
    if (std::exchange(d->urgent, urgent) == urgent)
        return;
    if (urgent)
        d->workspace.urgentStarted();
    else
        d->workspace.urgentEnded();
}

void QueryChannel::onUrgentChanged(bool urgent)
{
    if (!d->patient)
        return;
    if (urgent)
        drop();
    else
        dispatch(d->patient->work, d->patient->done, d->patient->generation);
}

void QueryChannel::startErased(Work work, Done done, Urgency urgency)
{
    drop();
    const int generation = d->workspace.generation();
    d->patient.reset();
    if (urgency == Urgency::Later)
        d->patient = Private::Patient{work, done, generation};
    const bool waits = urgency == Urgency::Later && d->workspace.isUrgent();
    if (!waits)
        dispatch(std::move(work), std::move(done), generation);
    if (!d->running) {
        d->running = true;
        d->workspace.queryStarted();
        Q_EMIT runningChanged(true);
    }
    setUrgent(urgency == Urgency::First);
}

void QueryChannel::dispatch(Work work, Done done, int generation)
{
    Private::Request request{++d->ticket, generation, std::stop_source{}, std::move(work), std::move(done)};
    d->newestStop = request.stop;
    {
        const std::lock_guard lock(d->mutex);
        d->next = std::move(request);
        d->wake.notify_one();
    }
    if (!d->thread.joinable())
        d->thread = std::jthread([this](const std::stop_token& ending) { serve(ending); });
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
    d->patient.reset();
    const QPointer<QueryChannel> alive(this);
    Workspace& workspace = d->workspace;
    if (generation == workspace.generation())
        deliver();
    // The consumer may have asked again, or be gone together with this channel.
    if (!alive || ticket != d->ticket || !d->running)
        return;
    d->running = false;
    setUrgent(false);
    Q_EMIT runningChanged(false);
    if (alive)
        workspace.queryEnded();
}

} // namespace assay::views
