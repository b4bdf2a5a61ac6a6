// SPDX-License-Identifier: Apache-2.0
#include "core/diff/pair_rows.h"

#include "kernels/tensor/element_reader.h"

namespace assay::diff {

PairRows::PairRows(const Plane& reference, const Plane& candidate, Metric metric, const Bound& bound, std::int64_t longestRun)
    : m_referencePlane(reference)
    , m_candidatePlane(candidate)
    , m_metric(metric)
    , m_bound(bound)
{
    const auto size = static_cast<std::size_t>(longestRun);
    for (std::vector<double>* values : {&m_reference, &m_candidate, &m_error})
        values->resize(size);
    m_flags.resize(size);
    if (metric == Metric::Ulp || metric == Metric::UlpOfCandidate) {
        m_referenceOrder.resize(size);
        m_candidateOrder.resize(size);
    }
}

PairRun PairRows::read(std::int64_t row, std::int64_t first, std::int64_t count)
{
    const std::byte* reference = m_referencePlane.read(row, first, count, m_referenceBuffer);
    const std::byte* candidate = m_candidatePlane.read(row, first, count, m_candidateBuffer);
    tensor::toDoubles(m_referencePlane.view().dtype, reference, count, m_reference.data());
    tensor::toDoubles(m_candidatePlane.view().dtype, candidate, count, m_candidate.data());
    const bool hasNonFinite = classify(m_reference.data(), m_candidate.data(), count, m_flags.data());
    if (m_metric == Metric::Ulp || m_metric == Metric::UlpOfCandidate)
        measureUlp(reference, candidate, count);
    else
        measureErrors(m_metric, m_bound, m_reference.data(), m_candidate.data(), count, m_error.data());
    return {m_reference.data(), m_candidate.data(), m_error.data(), m_flags.data(), hasNonFinite};
}

std::optional<PairRows::Floats> PairRows::floats(std::int64_t row, std::int64_t first) const
{
    const auto isPlain = [](const Plane& plane) { return plane.view().dtype == tensor::DType::Float32 && plane.hasPlainRows(); };
    if (!isPlain(m_referencePlane) || !isPlain(m_candidatePlane))
        return std::nullopt;
    return Floats{reinterpret_cast<const float*>(m_referencePlane.address(row, first)),
                  reinterpret_cast<const float*>(m_candidatePlane.address(row, first))};
}

void PairRows::measureUlp(const std::byte* reference, const std::byte* candidate, std::int64_t count)
{
    const tensor::DType dtype = m_metric == Metric::Ulp ? m_referencePlane.view().dtype : m_candidatePlane.view().dtype;
    const auto order
        = [&](const Plane& plane, const std::byte* elements, const std::vector<double>& values, std::vector<std::int64_t>& out) {
              if (plane.view().dtype == dtype)
                  tensor::toOrdered(dtype, elements, count, out.data());
              else
                  tensor::roundToOrdered(dtype, values.data(), count, out.data());
          };
    order(m_referencePlane, reference, m_reference, m_referenceOrder);
    order(m_candidatePlane, candidate, m_candidate, m_candidateOrder);
    for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const auto left = static_cast<std::uint64_t>(m_referenceOrder[at]);
        const auto right = static_cast<std::uint64_t>(m_candidateOrder[at]);
        const std::uint64_t distance = m_referenceOrder[at] < m_candidateOrder[at] ? right - left : left - right;
        m_error[at] = m_flags[at] == 0 ? static_cast<double>(distance) : 0;
    }
}

} // namespace assay::diff
