// SPDX-License-Identifier: Apache-2.0
#include "core/contract/input_spec.h"

#include <algorithm>
#include <cmath>

namespace assay::contract {

std::int64_t InputSpec::count() const
{
    std::int64_t product = 1;
    for (const std::int64_t size : shape)
        product *= size;
    return product;
}

std::vector<InputSpec> describe(const std::vector<tensor::HostTensor>& leaves)
{
    std::vector<InputSpec> specs;
    for (const tensor::HostTensor& leaf : leaves) {
        InputSpec spec;
        spec.dtype = leaf.dtype();
        spec.shape = leaf.shape();
        spec.layout = leaf.strides();
        spec.isFloating = tensor::isFloating(leaf.dtype());
        const std::vector<double> values = leaf.toDoubles();
        std::int64_t zeros = 0;
        std::int64_t ones = 0;
        double squares = 0;
        bool first = true;
        for (const double value : values) {
            zeros += value == 0;
            ones += value == 1;
            if (!std::isfinite(value))
                continue;
            spec.low = first ? value : std::min(spec.low, value);
            spec.high = first ? value : std::max(spec.high, value);
            spec.largest = std::max(spec.largest, std::abs(value));
            squares += value * value;
            first = false;
        }
        const auto count = static_cast<std::int64_t>(values.size());
        spec.rms = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
        // All ones or all zeros in a floating type may be a gain or a bias that just starts there.
        spec.isMask = spec.dtype == tensor::DType::Bool || (count > 1 && zeros + ones == count && zeros > 0 && ones > 0);
        spec.meanOfMask = count > 0 ? static_cast<double>(ones) / static_cast<double>(count) : 0;
        specs.push_back(spec);
    }
    return specs;
}

} // namespace assay::contract
