// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/compare.h"

#include <cstddef>
#include <vector>

namespace assay::tensor {

/// Keeps the largest errors it was shown; among equals the first shown stays, so show them by position.
class WorstList {
public:
    explicit WorstList(int limit);

    /// False where an element with this error would find no place.
    bool wants(double error) const
    {
        return m_limit > 0 && error > 0 && (std::ssize(m_elements) < m_limit || error > m_elements.back().absolute);
    }

    void add(const WorstElement& element);

    const std::vector<WorstElement>& elements() const { return m_elements; } ///< largest first

private:
    int m_limit;
    std::vector<WorstElement> m_elements;
};

/// What the list says of one finite pair: elements of @p dtype where @p reference points, values of the candidate given both as
/// fp64 and as the order-preserving integer of the reference's dtype.
WorstElement worstElement(DType dtype, std::int64_t position, const std::byte* reference, double candidate,
                          std::int64_t candidateOrder);

} // namespace assay::tensor
