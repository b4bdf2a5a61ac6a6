// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace assay::tensor {

/// As many as the machine has cores where @p asked is 0.
inline int threadsOf(int asked)
{
    return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Hands the parts 0 to @p parts - 1 out to @p threads threads, the caller's among them. @p makeWorker is called once on each
/// thread and gives what is called with every part number, so that a worker can keep buffers and results of its own.
/// @throws the first exception of a worker, once every thread has ended; parts not begun by then are left out
template <typename MakeWorker> void inParallel(std::int64_t parts, int threads, MakeWorker makeWorker)
{
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::mutex failing;
    const auto work = [&] {
        try {
            auto worker = makeWorker();
            for (std::int64_t part = next++; part < parts; part = next++)
                worker(part);
        } catch (...) { // rethrown below: a thread has nobody to throw to
            next = parts;
            const std::lock_guard lock(failing);
            if (!failure)
                failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (std::int64_t t = 1; t < std::min<std::int64_t>(threadsOf(threads), parts); ++t)
            helpers.emplace_back(work);
        work();
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace assay::tensor
