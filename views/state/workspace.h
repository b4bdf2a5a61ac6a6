// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"
#include "core/store/triage.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace assay::views {

class ConnectionPool;
class Judging;

/// @p path as the file system spells it (UTF-8), also in a process whose locale is "C".
std::filesystem::path toFilesystemPath(const QString& path);

/// The open database, the scope that lists show, and the ways to read and write it without blocking the window.
class Workspace final : public QObject {
    Q_OBJECT
public:
    explicit Workspace(QObject* parent = nullptr);
    ~Workspace() override;

    /// Opens @p path (read-only where it cannot be written) and its newest audit; closes the one that was open only on success.
    /// @return false after openFailed()
    bool open(const QString& path, bool readOnly = false);
    /// Like open(), and makes the file where it does not exist yet.
    bool create(const QString& path);
    void close();

    bool isOpen() const;
    QString path() const;
    bool isReadOnly() const;
    QString banner() const; ///< how the file was opened, when a person should know; "" otherwise

    const std::vector<store::Scope>& scopes() const;
    const store::Scope* scope() const; ///< nullptr while nothing is imported
    std::int64_t scopeId() const;      ///< 0 while nothing is imported
    void setScope(std::int64_t scopeId);

    /// What a campaign of this window does to the open database just now.
    Judging& judging() const;
    /// True where the shown list is the one that the campaign fills.
    bool isShowingCampaign() const;

    /// Runs @p work on the writer thread in order of calls; then done() on the GUI thread with "" or the failure's one line.
    void write(std::function<void(store::Database&)> work, QObject* context, std::function<void(const QString&)> done);

    /// A read connection for the calling thread, returned to the pool when the handle dies. Used by QueryChannel and jobs.
    /// @throws Error when nothing is open, store::DatabaseError
    std::shared_ptr<store::Database> borrow();

    /// Looks for changes of other connections now instead of at the next tick; a job calls it after its commit.
    void checkForChanges();

    /// True while a QueryChannel has a request whose result the consumer has not got yet.
    bool isBusy() const;

Q_SIGNALS:
    void opened();
    void closed();
    void openFailed(const QString& message);
    void scopesChanged();
    void scopeChanged();
    /// The database has new content, from this process or another one.
    void contentChanged();
    /// What checkForChanges() asked for is over; contentChanged() came before it where there was something new.
    void checked();
    /// isBusy() became @p busy. False comes after the last consumer has its data.
    void busyChanged(bool busy);
    /// Whether a request that a person waits for is on its way: see QueryChannel::Urgency.
    void urgentChanged(bool urgent);
    /// The file went bad while it was open (deleted, disk error): one line.
    void trouble(const QString& message);

private:
    friend class QueryChannel;
    /// Tells results of a database that is no longer the open one.
    int generation() const;
    void queryStarted();
    void queryEnded();
    bool isUrgent() const;
    void urgentStarted();
    void urgentEnded();
    bool openWith(const QString& path, store::OpenMode mode);
    void watch(std::unique_ptr<store::Database> database, std::int64_t seen, std::shared_ptr<ConnectionPool> pool);
    void adoptScopes(std::vector<store::Scope> scopes);
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace assay::views
