// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <any>
#include <functional>
#include <memory>
#include <stop_token>

namespace assay::views {

/// Work on a thread of its own where only the newest request matters. Results and failures arrive on the GUI thread, and never
/// after this object is destroyed; what was asked for before the newest request is dropped.
class BackgroundTask final : public QObject {
    Q_OBJECT
public:
    enum class WhenBusy {
        Stop,   ///< a new request stops the one that runs
        Finish, ///< what runs is finished and delivered first: a stream of requests then shows something in between
    };
    explicit BackgroundTask(WhenBusy whenBusy, QObject* parent = nullptr);
    ~BackgroundTask() override;

    template <typename Result> void start(std::function<Result(std::stop_token)> work, std::function<void(Result)> done)
    {
        startErased(
            [work = std::move(work)](std::stop_token stop) -> std::any {
                return std::make_shared<Result>(work(std::move(stop)));
            },
            [done = std::move(done)](std::any result) { done(std::move(*std::any_cast<std::shared_ptr<Result>>(result))); });
    }
    void cancel();
    bool isRunning() const;

Q_SIGNALS:
    void failed(const QString& message);

private:
    using Work = std::function<std::any(std::stop_token)>;
    using Done = std::function<void(std::any)>;
    void startErased(Work work, Done done);
    void serve();
    void deliver(std::uint64_t ticket, const std::function<void()>& action);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
