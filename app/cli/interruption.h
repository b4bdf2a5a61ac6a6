// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace assay::cli {

/// Turns the first Ctrl+C (or SIGTERM) into a stop request, so that a running transaction rolls back; the second one ends the
/// program at once. One object a process.
class Interruption {
public:
    Interruption();
    ~Interruption();
    Interruption(const Interruption&) = delete;
    Interruption& operator=(const Interruption&) = delete;

    std::stop_token token() const { return m_source.get_token(); }

private:
    void watch(int readEnd);

    std::stop_source m_source;
    std::thread m_watcher;
};

} // namespace assay::cli
