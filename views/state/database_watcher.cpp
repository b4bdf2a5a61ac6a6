// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/database_watcher.h"

#include <chrono>
#include <utility>

namespace assay::views {

namespace {
/// Between two looks at the version. Short enough to feel live; the look reads a few bytes of shared memory.
constexpr std::chrono::milliseconds kInterval{400};
} // namespace

DatabaseWatcher::DatabaseWatcher(std::unique_ptr<store::Database> database, std::int64_t seen, Callbacks callbacks)
    : m_database(std::move(database))
    , m_seen(seen)
    , m_settling(seen)
    , m_callbacks(std::move(callbacks))
    , m_thread([this](const std::stop_token& stop) { run(stop); })
{
}

DatabaseWatcher::~DatabaseWatcher()
{
    m_thread.request_stop();
    m_thread.join();
}

void DatabaseWatcher::nudge()
{
    const std::lock_guard lock(m_mutex);
    m_nudged = true;
    m_wake.notify_one();
}

void DatabaseWatcher::run(const std::stop_token& stop)
{
    bool healthy = true;
    while (healthy && !stop.stop_requested()) {
        bool nudged = false;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, stop, kInterval, [this] { return m_nudged; });
            nudged = std::exchange(m_nudged, false);
        }
        if (stop.stop_requested())
            return;
        healthy = look(stop);
        if (nudged)
            m_callbacks.looked();
    }
}

/// @return false when looking on makes no sense
bool DatabaseWatcher::look(const std::stop_token& stop)
{
    try {
        const std::int64_t version = m_database->dataVersion();
        if (version == m_seen)
            return true;
        if (m_database->isReadOnly()) {
            // Such a connection shows the file as it was: it has to be opened again, and only once the writer rests, since every
            // opening may copy the file.
            if (std::exchange(m_settling, version) != version)
                return true;
            m_database = store::Database::open(m_database->path(), store::OpenMode::ReadOnly);
        }
        const store::InterruptOnStop interrupt(*m_database, stop);
        std::vector<store::Scope> scopes = store::scopes(*m_database);
        m_seen = m_database->isReadOnly() ? m_database->dataVersion() : version;
        m_callbacks.changed(std::move(scopes));
        return true;
    } catch (const Cancelled&) {
        return false;
    } catch (const store::DatabaseError& error) {
        // Somebody holds the lock for a moment: the next look tells.
        if (error.kind() == store::DatabaseError::Kind::Locked)
            return true;
        m_callbacks.failed(error.what());
        return false;
    } catch (const std::exception& error) {
        if (!stop.stop_requested())
            m_callbacks.failed(error.what());
        return false;
    }
}

} // namespace assay::views
