// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/background_task.h"

#include "core/text/error.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace assay::views {

namespace {

struct Request {
    std::uint64_t ticket = 0;
    std::function<std::any(std::stop_token)> work;
    std::function<void(std::any)> done;
    std::stop_source stop;
};

} // namespace

struct BackgroundTask::Private {
    WhenBusy whenBusy;
    std::mutex lock;
    std::condition_variable wake;
    std::optional<Request> next;
    std::stop_source running;
    bool isEnding = false;
    std::uint64_t lastTicket = 0;     ///< GUI thread: of the newest request
    std::uint64_t finishedTicket = 0; ///< GUI thread: the newest that was delivered, failed or was cancelled
    std::uint64_t cancelledBelow = 0; ///< GUI thread: results of older requests are dropped
    std::thread thread;
};

BackgroundTask::BackgroundTask(WhenBusy whenBusy, QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->whenBusy = whenBusy;
    d->thread = std::thread([this] { serve(); });
}

BackgroundTask::~BackgroundTask()
{
    {
        const std::lock_guard guard(d->lock);
        d->isEnding = true;
        d->next.reset();
        d->running.request_stop();
    }
    d->wake.notify_one();
    d->thread.join();
}

bool BackgroundTask::isRunning() const
{
    return d->finishedTicket < d->lastTicket;
}

void BackgroundTask::cancel()
{
    d->finishedTicket = d->lastTicket;
    d->cancelledBelow = d->lastTicket + 1;
    const std::lock_guard guard(d->lock);
    d->next.reset();
    d->running.request_stop();
}

void BackgroundTask::startErased(Work work, Done done)
{
    const std::uint64_t ticket = ++d->lastTicket;
    if (d->whenBusy == WhenBusy::Stop)
        d->cancelledBelow = ticket;
    {
        const std::lock_guard guard(d->lock);
        if (d->whenBusy == WhenBusy::Stop)
            d->running.request_stop();
        d->next = Request{ticket, std::move(work), std::move(done), {}};
    }
    d->wake.notify_one();
}

void BackgroundTask::serve()
{
    for (;;) {
        Request request;
        {
            std::unique_lock guard(d->lock);
            d->wake.wait(guard, [this] { return d->isEnding || d->next; });
            if (d->isEnding)
                return;
            request = std::move(*d->next);
            d->next.reset();
            d->running = request.stop;
        }
        try {
            std::any result = request.work(request.stop.get_token());
            deliver(request.ticket, [done = request.done, result = std::move(result)] { done(result); });
        } catch (const Cancelled&) {
            deliver(request.ticket, [] {});
        } catch (const std::exception& error) {
            const QString message = QString::fromUtf8(error.what());
            deliver(request.ticket, [this, message] { Q_EMIT failed(message); });
        }
    }
}

void BackgroundTask::deliver(std::uint64_t ticket, const std::function<void()>& action)
{
    QMetaObject::invokeMethod(
        this,
        [this, ticket, action] {
            if (ticket < d->cancelledBelow)
                return;
            d->finishedTicket = std::max(d->finishedTicket, ticket);
            action();
        },
        Qt::QueuedConnection);
}

} // namespace assay::views
