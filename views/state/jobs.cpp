// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/jobs.h"

#include "core/text/error.h"

#include <map>
#include <thread>

namespace assay::views {

struct Jobs::Private {
    std::map<int, std::jthread> threads; ///< jobs whose end has not been reported yet
    int lastId = 0;
};

Jobs::Jobs(QObject* parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
}

// The threads post to this object, so they end before it does; what they posted last dies with its event queue.
Jobs::~Jobs()
{
    cancelAll();
    d->threads.clear();
}

int Jobs::start(const QString& name, Work work)
{
    const int id = ++d->lastId;
    Q_EMIT started(id, name);

    const Progress progress = [this, id](std::int64_t done, std::int64_t total, const QString& detail) {
        const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : -1.0;
        QMetaObject::invokeMethod(
            this, [this, id, fraction, detail] { Q_EMIT progressed(id, fraction, detail); }, Qt::QueuedConnection);
    };
    const auto report = [this, id](auto announce) {
        QMetaObject::invokeMethod(
            this,
            [this, id, announce] {
                d->threads.erase(id);
                announce();
            },
            Qt::QueuedConnection);
    };
    d->threads.emplace(id, std::jthread([this, id, work = std::move(work), progress, report](std::stop_token stop) {
                           try {
                               const QString sentence = work(stop, progress);
                               report([this, id, sentence] { Q_EMIT finished(id, sentence); });
                           } catch (const Cancelled&) {
                               report([this, id] { Q_EMIT cancelled(id); });
                           } catch (const std::exception& error) {
                               const QString message = QString::fromUtf8(error.what());
                               report([this, id, message] { Q_EMIT failed(id, message); });
                           }
                       }));
    return id;
}

void Jobs::cancel(int id)
{
    if (const auto job = d->threads.find(id); job != d->threads.end())
        job->second.request_stop();
}

void Jobs::cancelAll()
{
    for (auto& [id, thread] : d->threads)
        thread.request_stop();
}

int Jobs::running() const
{
    return static_cast<int>(d->threads.size());
}

} // namespace assay::views
