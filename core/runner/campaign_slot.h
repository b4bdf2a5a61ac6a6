// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate_strip.h"
#include "core/runner/verify_ask.h"
#include "core/runner/worker_client.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>

namespace assay::runner {

/// One kernel on its way through a campaign.
struct CampaignTask {
    std::int64_t kernelId = 0;
    std::string name;
    VerifyAsk ask;
};

/// What became of it, or how far it is.
struct CampaignAnswer {
    enum class Kind {
        Gate,      ///< on its way: `gate` came to `cell`; another answer follows
        Verdict,   ///< `verdict` holds the worker's
        Died,      ///< two workers were lost over it; `reason` says how
        NoWorker,  ///< no worker comes up any more: nothing is known about the kernel
        Cancelled, ///< likewise
    };
    Kind kind = Kind::Cancelled;
    std::int64_t kernelId = 0;
    std::string name;
    contract::Gate gate = contract::Gate::Cmp01;
    contract::StripCell cell = contract::StripCell::Absent;
    json::Document verdict;
    std::string reason;
    bool retried = false;
};

/// A queue between threads that lasts as long as both ends.
template <typename T> class Mailbox {
public:
    void put(T item)
    {
        {
            const std::lock_guard lock(m_mutex);
            m_items.push_back(std::move(item));
        }
        m_changed.notify_one();
    }

    /// Waits for the next item. @return nothing once @p stop was asked for and none is left
    std::optional<T> take(const std::stop_token& stop = {})
    {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait(lock, stop, [this] { return !m_items.empty(); }))
            return std::nullopt;
        T item = std::move(m_items.front());
        m_items.pop_front();
        return item;
    }

private:
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<T> m_items;
};

/// One worker at a time and the thread that asks it. Where the worker is lost over a kernel, a new one is asked once more.
class CampaignSlot {
public:
    /// @param first   a worker that is up already, or none
    /// @param warmUp    where there is none: the request that one is started with, before it is given anything; "": it is started
    ///                  for the first task
    /// @param starting  how many may warm up at once; outlives the slot
    CampaignSlot(WorkerOptions options, std::unique_ptr<WorkerClient> first, std::string warmUp,
                 std::counting_semaphore<>& starting, Mailbox<CampaignAnswer>& answers);
    /// Cancels what it judges.
    ~CampaignSlot();

    void give(CampaignTask task) { m_tasks.put(std::move(task)); }
    /// What it judges, and what it is given from now on, is answered `Cancelled`.
    void cancel() { m_cancel.request_stop(); }

private:
    void run(const std::stop_token& end);
    void warmUp();
    CampaignAnswer judge(const CampaignTask& task);
    void tellGate(std::int64_t kernelId, const json::Value& event);

    WorkerOptions m_options;
    std::unique_ptr<WorkerClient> m_client;
    std::string m_warmUp;
    std::counting_semaphore<>& m_starting;
    Mailbox<CampaignTask> m_tasks;
    Mailbox<CampaignAnswer>& m_answers;
    std::stop_source m_cancel;
    std::jthread m_thread; ///< last, so that it starts with everything in place
};

} // namespace assay::runner
