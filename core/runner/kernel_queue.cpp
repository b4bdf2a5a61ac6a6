// SPDX-License-Identifier: Apache-2.0
#include "core/runner/kernel_queue.h"

#include <algorithm>
#include <utility>

namespace assay::runner {

namespace {

constexpr std::size_t kAhead = 256; ///< kernels looked at for a task that nobody is at

} // namespace

KernelQueue::KernelQueue(std::vector<std::int64_t> references)
    : m_references(std::move(references))
    , m_isTaken(m_references.size())
    , m_left(m_references.size())
{
    for (std::size_t place = 0; place < m_references.size(); ++place)
        m_places[m_references[place]].push_back(place);
}

std::optional<std::size_t> KernelQueue::take(std::int64_t last, const std::multiset<std::int64_t>& busy)
{
    if (isEmpty())
        return std::nullopt;
    if (const auto same = m_places.find(last); same != m_places.end() && !same->second.empty())
        return taken(same->second.front());
    while (m_isTaken[m_first])
        ++m_first;
    const std::size_t end = std::min(m_references.size(), m_first + kAhead);
    for (std::size_t place = m_first; place < end; ++place) {
        if (!m_isTaken[place] && !busy.contains(m_references[place]))
            return taken(place);
    }
    return taken(m_first);
}

std::size_t KernelQueue::taken(std::size_t place)
{
    // The first of its reference: kernels of one task are taken in order.
    m_places[m_references[place]].pop_front();
    m_isTaken[place] = true;
    --m_left;
    return place;
}

} // namespace assay::runner
