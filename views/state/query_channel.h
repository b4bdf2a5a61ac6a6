// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

#include <QObject>
#include <QString>

#include <any>
#include <functional>
#include <memory>
#include <stop_token>

namespace assay::views {

class Workspace;

/// One line of database work off the GUI thread where only the newest request matters: a list, a facet panel, an evidence pane.
///
/// start() cancels the request that is running (sqlite3_interrupt) and drops its result by ticket. Results and failures arrive
/// on the GUI thread, and never after the channel is destroyed. Until then the consumer keeps showing its last good data.
class QueryChannel final : public QObject {
    Q_OBJECT
public:
    enum class Urgency {
        First, ///< what a person waits for: nothing that can wait runs beside it
        Normal,
        Later, ///< can wait: put off, and begun again, while anything urgent runs
    };

    explicit QueryChannel(Workspace& workspace, QObject* parent = nullptr);
    ~QueryChannel() override;

    /// Runs @p work on a pooled read connection, then @p done with its result on the GUI thread.
    template <typename Result>
    void start(std::function<Result(store::Database&, std::stop_token)> work, std::function<void(Result)> done,
               Urgency urgency = Urgency::Normal)
    {
        startErased(
            [work = std::move(work)](store::Database& database, std::stop_token stop) -> std::any {
                return std::make_shared<Result>(work(database, std::move(stop)));
            },
            [done = std::move(done)](std::any result) { done(std::move(*std::any_cast<std::shared_ptr<Result>>(result))); },
            urgency);
    }

    void cancel();
    bool isRunning() const;

Q_SIGNALS:
    void runningChanged(bool running);
    /// One line: what, where, what to do. A cancelled request is silent.
    void failed(const QString& message);

private:
    void serve(const std::stop_token& ending);
    void finish(std::uint64_t ticket, int generation, const std::function<void()>& deliver);
    using Work = std::function<std::any(store::Database&, std::stop_token)>;
    using Done = std::function<void(std::any)>;
    void startErased(Work work, Done done, Urgency urgency);
    void dispatch(Work work, Done done, int generation);
    void drop();
    void setUrgent(bool urgent);
    void onUrgentChanged(bool urgent);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
