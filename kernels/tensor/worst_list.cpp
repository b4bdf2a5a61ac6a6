// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/worst_list.h"

#include "kernels/tensor/element_reader.h"

#include <algorithm>
#include <cmath>

namespace assay::tensor {

WorstList::WorstList(int limit)
    : m_limit(limit)
{
}

void WorstList::add(const WorstElement& element)
{
    const auto place = std::upper_bound(m_elements.begin(), m_elements.end(), element,
                                        [](const WorstElement& a, const WorstElement& b) { return a.absolute > b.absolute; });
    m_elements.insert(place, element);
    if (std::ssize(m_elements) > m_limit)
        m_elements.pop_back();
}

WorstElement worstElement(DType dtype, std::int64_t position, const std::byte* reference, double candidate,
                          std::int64_t candidateOrder)
{
    WorstElement element;
    std::int64_t order = 0;
    toDoubles(dtype, reference, 1, &element.reference);
    toOrdered(dtype, reference, 1, &order);
    element.position = position;
    element.candidate = candidate;
    element.absolute = std::fabs(candidate - element.reference);
    if (element.reference != 0)
        element.relative = element.absolute / std::fabs(element.reference);
    if (dtype != DType::Bool) {
        const auto a = static_cast<std::uint64_t>(order);
        const auto b = static_cast<std::uint64_t>(candidateOrder);
        element.ulp = order > candidateOrder ? a - b : b - a;
    }
    return element;
}

} // namespace assay::tensor
