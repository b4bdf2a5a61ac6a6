// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/runner/descriptor.h"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

namespace assay::runner {

/// How long to wait for a socket, and what else happens meanwhile: a stop request ends the wait, and a side pipe (a party's
/// output) is emptied so that its writer never stands still.
class Waiting {
public:
    using Clock = std::chrono::steady_clock;
    enum class Event { Ready, TimedOut, Stopped };

    Waiting(std::chrono::milliseconds limit, const std::stop_token& stop = {});

    /// Calls @p drain whenever @p descriptor is readable; it returns false at the end of the stream.
    void alsoDrain(int descriptor, std::function<bool()> drain);

    /// Waits until @p descriptor has one of the poll @p events (or its end), the time is up or a stop was asked for.
    Event until(int descriptor, short events);

private:
    Clock::time_point m_end;
    std::stop_token m_stop;
    Descriptor m_wake; ///< an eventfd that a stop request makes readable; none where nothing can stop
    std::optional<std::stop_callback<std::function<void()>>> m_onStop;
    int m_side = -1;
    std::function<bool()> m_drain;
};

} // namespace assay::runner
