// SPDX-License-Identifier: Apache-2.0
#include "core/runner/waiting.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>

namespace assay::runner {

Waiting::Waiting(std::chrono::milliseconds limit, const std::stop_token& stop)
    : m_end(Clock::now() + limit)
    , m_stop(stop)
{
    if (!stop.stop_possible())
        return;
    m_wake = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!m_wake)
        throw std::system_error(errno, std::generic_category(), "eventfd");
    m_onStop.emplace(stop, [number = m_wake.number()] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t ignored = ::write(number, &one, sizeof one);
    });
}

void Waiting::alsoDrain(int descriptor, std::function<bool()> drain)
{
    m_side = descriptor;
    m_drain = std::move(drain);
}

Waiting::Event Waiting::until(int descriptor, short events)
{
    for (;;) {
        if (m_stop.stop_requested())
            return Event::Stopped;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_end - Clock::now()).count();
        if (left <= 0)
            return Event::TimedOut;
        std::array<pollfd, 3> ends
            = {pollfd{descriptor, events, 0}, pollfd{m_wake.number(), POLLIN, 0}, pollfd{m_side, POLLIN, 0}};
        const int ready = ::poll(ends.data(), ends.size(), static_cast<int>(std::min<std::int64_t>(left, 1 << 30)));
        if (ready < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "poll");
        if (ready <= 0)
            continue;
        if (ends[2].revents != 0 && !m_drain())
            m_side = -1;
        if (ends[0].revents != 0)
            return Event::Ready;
    }
}

} // namespace assay::runner
