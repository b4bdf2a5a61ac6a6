// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace assay::views {

/// Connections to one file that readers take and give back. Safe to use from any thread; a connection is used by one at a time.
class ConnectionPool final : public std::enable_shared_from_this<ConnectionPool> {
public:
    ConnectionPool(std::filesystem::path path, store::OpenMode mode);

    /// An idle connection, or a new one. It comes back by itself when the last handle dies. @throws store::DatabaseError
    std::shared_ptr<store::Database> borrow();
    /// From now on only connections that see the file as it is now: a read-only connection never notices other writers.
    void renew();
    /// Closes idle connections; borrowed ones close when they come back.
    void close();

private:
    void giveBack(std::unique_ptr<store::Database> database, int epoch);
    const std::filesystem::path m_path;
    const store::OpenMode m_mode;
    std::mutex m_mutex;
    std::vector<std::unique_ptr<store::Database>> m_idle;
    int m_epoch = 0;
    bool m_closed = false;
};

} // namespace assay::views
