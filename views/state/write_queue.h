// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/database.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace assay::views {

/// The one thread that writes what a person adds (notes, waivers, saved views), in the order it was asked for.
/// Its end waits until everything queued is written: a note that was confirmed on screen must not be lost by closing the window.
class WriteQueue final {
public:
    using Work = std::function<void(store::Database&)>;
    using Done = std::function<void(std::string)>; ///< "" or the failure's one line; called on the writer's thread

    explicit WriteQueue(std::filesystem::path path);
    ~WriteQueue();

    void post(Work work, Done done);

private:
    struct Item {
        Work work;
        Done done;
    };
    void run();
    std::string perform(const Work& work);

    const std::filesystem::path m_path;
    std::unique_ptr<store::Database> m_database; ///< opened by the first write
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<Item> m_items;
    bool m_ending = false;
    std::thread m_thread;
};

} // namespace assay::views
