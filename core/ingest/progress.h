// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ingest/importer.h"

#include <chrono>
#include <cstdint>

namespace assay::ingest {

/// Reports progress at most ten times a second and ends the import when its stop was requested.
class ProgressMeter {
public:
    /// @param totalBytes  0: not known
    ProgressMeter(const JobControl& control, std::int64_t totalBytes);

    /// Call once a row. @throws Cancelled
    void step(std::int64_t bytesRead, std::int64_t rows);

    /// Reports where the import stands, however short ago the last report was: the last call of a file.
    void finish(std::int64_t bytesRead, std::int64_t rows);

private:
    const JobControl& m_control;
    std::int64_t m_totalBytes;
    std::chrono::steady_clock::time_point m_next;
};

} // namespace assay::ingest
