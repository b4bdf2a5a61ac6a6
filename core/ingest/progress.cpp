// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/progress.h"

#include "core/text/error.h"

namespace assay::ingest {

namespace {
constexpr std::chrono::milliseconds kInterval{100};
}

ProgressMeter::ProgressMeter(const JobControl& control, std::int64_t totalBytes)
    : m_control(control)
    , m_totalBytes(totalBytes)
    , m_next(std::chrono::steady_clock::now() + kInterval)
{
}

void ProgressMeter::step(std::int64_t bytesRead, std::int64_t rows)
{
    if (m_control.stop.stop_requested())
        throw Cancelled();
    if (!m_control.progress)
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now < m_next)
        return;
    m_next = now + kInterval;
    m_control.progress(bytesRead, m_totalBytes, rows);
}

void ProgressMeter::finish(std::int64_t bytesRead, std::int64_t rows)
{
    if (m_control.progress)
        m_control.progress(bytesRead, m_totalBytes, rows);
}

} // namespace assay::ingest
