// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/sample_set.h"

#include "core/text/error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace assay::calibration {

SampleSet::SampleSet(std::span<const Sample> samples)
{
    for (const Sample& sample : samples)
        m_kernels.push_back(sample.kernel);
    std::sort(m_kernels.begin(), m_kernels.end());
    m_kernels.erase(std::unique(m_kernels.begin(), m_kernels.end()), m_kernels.end());
    m_kinds.resize(m_kernels.size());

    std::map<std::pair<std::string, double>, Series> perturbations;
    for (const Sample& sample : samples) {
        const auto cluster
            = static_cast<std::uint32_t>(std::lower_bound(m_kernels.begin(), m_kernels.end(), sample.kernel) - m_kernels.begin());
        m_kinds[cluster] |= static_cast<unsigned char>(1U << static_cast<unsigned>(sample.kind));
        if (sample.kind == SampleKind::Conforming)
            m_conforming.add(sample.value, cluster);
        else if (sample.kind == SampleKind::Defect)
            m_defects.add(sample.value, cluster);
        else if (!std::isfinite(sample.scale) || sample.scale <= 0)
            throw Error("a perturbed sample has no positive scale", sample.kernel, "Measure it again");
        else {
            m_perturbed.add(sample.value, cluster);
            perturbations[{sample.perturbation, sample.scale}].add(sample.value, cluster);
        }
    }
    m_conforming.finish();
    m_defects.finish();
    m_perturbed.finish();
    for (auto& [key, series] : perturbations) {
        series.finish();
        m_perturbations.push_back({key.first, key.second, std::move(series)});
    }
}

std::vector<std::vector<std::uint32_t>> SampleSet::strata() const
{
    std::map<unsigned char, std::vector<std::uint32_t>> byKinds;
    for (std::uint32_t cluster = 0; cluster < m_kinds.size(); ++cluster)
        byKinds[m_kinds[cluster]].push_back(cluster);
    std::vector<std::vector<std::uint32_t>> result;
    for (auto& [kinds, clusters] : byKinds)
        result.push_back(std::move(clusters));
    return result;
}

} // namespace assay::calibration
