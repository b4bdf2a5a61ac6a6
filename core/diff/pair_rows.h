// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diff/metric.h"
#include "core/diff/plane.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::diff {

/// A run of element pairs, widened to fp64 and measured. Valid until the next read.
struct PairRun {
    const double* reference = nullptr;
    const double* candidate = nullptr;
    const double* error = nullptr;       ///< 0 where a pair is not finite
    const std::uint8_t* flags = nullptr; ///< ClassFlag
    bool hasNonFinite = false;
};

/// Reads runs of pairs out of two planes of the same arrangement. One reader per thread.
class PairRows {
public:
    /// @param longestRun  largest `count` that read() will be asked for
    PairRows(const Plane& reference, const Plane& candidate, Metric metric, const Bound& bound, std::int64_t longestRun);

    PairRun read(std::int64_t row, std::int64_t first, std::int64_t count);

    /// The same run as it lies in memory, where both tensors are fp32 with the elements of a row side by side.
    struct Floats {
        const float* reference = nullptr;
        const float* candidate = nullptr;
    };
    std::optional<Floats> floats(std::int64_t row, std::int64_t first) const;

private:
    void measureUlp(const std::byte* reference, const std::byte* candidate, std::int64_t count);

    const Plane& m_referencePlane;
    const Plane& m_candidatePlane;
    Metric m_metric;
    Bound m_bound;
    std::vector<std::byte> m_referenceBuffer, m_candidateBuffer;
    std::vector<double> m_reference, m_candidate, m_error;
    std::vector<std::uint8_t> m_flags;
    std::vector<std::int64_t> m_referenceOrder, m_candidateOrder;
};

} // namespace assay::diff
