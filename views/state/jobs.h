// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

namespace assay::views {

/// Long work with a name, progress and cancel (import, export, re-scoring). The job bar shows them; nothing is modal.
class Jobs final : public QObject {
    Q_OBJECT
public:
    /// done and total in the job's own unit (bytes, rows); total 0: not known.
    using Progress = std::function<void(std::int64_t done, std::int64_t total, const QString& detail)>;
    /// Runs on a thread of its own; returns the sentence to show when it is done. Throws assay::Error or assay::Cancelled.
    using Work = std::function<QString(std::stop_token, const Progress&)>;

    explicit Jobs(QObject* parent = nullptr);
    ~Jobs() override; ///< cancels and waits

    int start(const QString& name, Work work);
    void cancel(int id);
    void cancelAll();
    int running() const;

Q_SIGNALS:
    void started(int id, const QString& name);
    void progressed(int id, double fraction, const QString& detail); ///< fraction < 0: not known
    void finished(int id, const QString& sentence);
    void failed(int id, const QString& message);
    void cancelled(int id);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
