// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/connection_pool.h"

namespace assay::views {

namespace {
/// As many as panes that load at the same time; more would only hold memory for page caches.
constexpr std::size_t kMaxIdle = 6;
} // namespace

ConnectionPool::ConnectionPool(std::filesystem::path path, store::OpenMode mode)
    : m_path(std::move(path))
    , m_mode(mode)
{
}

std::shared_ptr<store::Database> ConnectionPool::borrow()
{
    std::unique_ptr<store::Database> database;
    int epoch = 0;
    {
        const std::lock_guard lock(m_mutex);
        epoch = m_epoch;
        if (!m_idle.empty()) {
            database = std::move(m_idle.back());
            m_idle.pop_back();
        }
    }
    if (!database)
        database = store::Database::open(m_path, m_mode);
    return {database.release(), [pool = shared_from_this(), epoch](store::Database* back) {
                pool->giveBack(std::unique_ptr<store::Database>(back), epoch);
            }};
}

void ConnectionPool::giveBack(std::unique_ptr<store::Database> database, int epoch)
{
    const std::lock_guard lock(m_mutex);
    if (!m_closed && epoch == m_epoch && m_idle.size() < kMaxIdle)
        m_idle.push_back(std::move(database));
}

void ConnectionPool::renew()
{
    const std::lock_guard lock(m_mutex);
    ++m_epoch;
    m_idle.clear();
}

void ConnectionPool::close()
{
    const std::lock_guard lock(m_mutex);
    m_closed = true;
    m_idle.clear();
}

} // namespace assay::views
