// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/state/write_queue.h"

namespace assay::views {

WriteQueue::WriteQueue(std::filesystem::path path)
    : m_path(std::move(path))
    , m_thread([this] { run(); })
{
}

WriteQueue::~WriteQueue()
{
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
        m_wake.notify_one();
    }
    m_thread.join();
}

void WriteQueue::post(Work work, Done done)
{
    const std::lock_guard lock(m_mutex);
    m_items.push_back({std::move(work), std::move(done)});
    m_wake.notify_one();
}

void WriteQueue::run()
{
    for (;;) {
        Item item;
        {
            std::unique_lock lock(m_mutex);
            m_wake.wait(lock, [this] { return m_ending || !m_items.empty(); });
            if (m_items.empty())
                return;
            item = std::move(m_items.front());
            m_items.pop_front();
        }
        item.done(perform(item.work));
    }
}

std::string WriteQueue::perform(const Work& work)
{
    try {
        if (!m_database)
            m_database = store::Database::open(m_path, store::OpenMode::ReadWrite);
        try {
            work(*m_database);
        } catch (const SQLite::Exception& error) {
            m_database->rethrow(error);
        }
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

} // namespace assay::views
