// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/injection.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::contract {

/// What R64 answers where the injected elements are finite instead: +1e3, -1e3 and 0.37.
///
/// Where all three agree within 256 u64 max(1e3, |R64|_max), the injected NaN reached the output through 0 x alone (skipped
/// causal tiles, diagonals, triangles), and a kernel that never reads it there is right.
/// Source: gates.md section 4, EXC-01 and prototype lesson 11.
class Sensitivity {
public:
    static constexpr std::array kValues = {1e3, -1e3, 0.37};

    /// Asks R64 three times. Nothing where it refuses one of the values.
    static std::optional<Sensitivity> probe(Session& session, const ShapePtr& shape, const StimulusPtr& base,
                                            const Injection& injection);

    /// True where the injected elements move element @p position of output @p leaf.
    bool isSensitive(std::size_t leaf, std::int64_t position) const;

    /// R64's element with kValues[@p which] injected.
    double answer(std::size_t leaf, std::int64_t position, std::size_t which) const;

private:
    std::vector<std::array<std::vector<double>, kValues.size()>> m_answers; ///< [leaf][value]
    std::vector<double> m_tolerance;                                        ///< per leaf
};

/// True where changing one entry of dimension 0 of input @p leaf leaves all other entries of output @p output alone in R64: the
/// dimension is a batch. Asks R64 three times.
bool isBatch(Session& session, const ShapePtr& shape, const StimulusPtr& base, int leaf, std::size_t output);

} // namespace assay::contract
