// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/calibration/series.h"

#include <span>
#include <string>
#include <vector>

namespace assay::calibration {

/// Perturbed samples of one disturbance at one scale.
struct PerturbedSeries {
    std::string perturbation;
    double scale = 0;
    Series series;
};

/// The samples of one gate, op family and dtype, sorted once and cut into the groups that the statistics ask for. The order in
/// which samples come in changes nothing.
class SampleSet {
public:
    /// @throws Error  where a perturbed sample has no finite positive scale
    explicit SampleSet(std::span<const Sample> samples);

    std::span<const std::string> kernels() const { return m_kernels; } ///< ascending; a cluster is an index into this
    const Series& conforming() const { return m_conforming; }
    const Series& defects() const { return m_defects; }
    const Series& perturbed() const { return m_perturbed; }                            ///< of all disturbances and scales
    std::span<const PerturbedSeries> perturbations() const { return m_perturbations; } ///< by disturbance, then by scale

    /// Clusters by the kinds of samples they have: conforming kernels, conforming kernels that were disturbed too, defects, ...
    /// A bootstrap draws within these, so that every replicate has as many kernels of each sort as were measured.
    std::vector<std::vector<std::uint32_t>> strata() const;

private:
    std::vector<std::string> m_kernels;
    std::vector<unsigned char> m_kinds; ///< of each kernel, a bit for each SampleKind
    Series m_conforming;
    Series m_defects;
    Series m_perturbed;
    std::vector<PerturbedSeries> m_perturbations;
};

} // namespace assay::calibration
