// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"
#include "core/store/triage.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace assay::views {

/// Notices that another connection wrote (PRAGMA data_version), on a thread of its own: with a rollback journal the question
/// itself can wait for a lock, and the window must not.
class DatabaseWatcher final {
public:
    /// Called on the watcher's thread.
    struct Callbacks {
        std::function<void(std::vector<store::Scope>)> changed;
        std::function<void()> looked;            ///< a look that nudge() asked for is over, after changed() where there was one
        std::function<void(std::string)> failed; ///< the watcher has ended
    };

    /// @param seen  database->dataVersion() of what the caller already knows
    DatabaseWatcher(std::unique_ptr<store::Database> database, std::int64_t seen, Callbacks callbacks);
    ~DatabaseWatcher();

    /// Looks now.
    void nudge();

private:
    void run(const std::stop_token& stop);
    bool look(const std::stop_token& stop);

    std::unique_ptr<store::Database> m_database;
    std::int64_t m_seen;
    std::int64_t m_settling; ///< last version of a read-only file, waiting to be seen twice
    Callbacks m_callbacks;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    bool m_nudged = false;
    std::jthread m_thread;
};

} // namespace assay::views
