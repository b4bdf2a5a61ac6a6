// SPDX-License-Identifier: Apache-2.0
#include "core/runner/kernel_queue.h"

#include <algorithm>
#include <utility>

namespace assay::runner {

namespace {

/// Kernels among which the next task is chosen: a campaign over a large corpus still goes through it from its beginning.
constexpr std::size_t kAhead = 256;

} // namespace

KernelQueue::KernelQueue(std::vector<Entry> kernels)
    : m_kernels(std::move(kernels))
    , m_isTaken(m_kernels.size())
    , m_left(m_kernels.size())
{
    for (std::size_t place = 0; place < m_kernels.size(); ++place) {
        Task& task = m_tasks[m_kernels[place].reference];
        task.places.push_back(place);
        task.length += m_kernels[place].length;
    }
    for (auto& [reference, task] : m_tasks)
        std::ranges::stable_sort(task.places, std::ranges::greater(),
                                 [this](std::size_t place) { return m_kernels[place].length; });
}

std::optional<std::size_t> KernelQueue::take(std::int64_t last, const std::multiset<std::int64_t>& busy)
{
    if (isEmpty())
        return std::nullopt;
    if (const auto same = m_tasks.find(last); same != m_tasks.end() && !same->second.places.empty())
        return taken(last);
    while (m_isTaken[m_first])
        ++m_first;
    const std::size_t end = std::min(m_kernels.size(), m_first + kAhead);
    std::optional<std::int64_t> chosen;
    for (const bool mayBeBusy : {false, true}) {
        for (std::size_t place = m_first; place < end; ++place) {
            const std::int64_t reference = m_kernels[place].reference;
            if (!m_isTaken[place] && (mayBeBusy || !busy.contains(reference))
                && (!chosen || m_tasks[reference].length > m_tasks[*chosen].length))
                chosen = reference;
        }
        if (chosen)
            break;
    }
    return taken(*chosen);
}

std::size_t KernelQueue::taken(std::int64_t reference)
{
    Task& task = m_tasks[reference];
    const std::size_t place = task.places.front();
    task.places.pop_front();
    task.length -= m_kernels[place].length;
    m_isTaken[place] = true;
    --m_left;
    return place;
}

} // namespace assay::runner
