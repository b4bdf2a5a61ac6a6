// SPDX-License-Identifier: Apache-2.0
#include "core/contract/same_bits.h"

#include <cmath>
#include <cstring>

namespace assay::contract {

BitDifference differenceInBits(const tensor::HostTensor& a, const tensor::HostTensor& b)
{
    BitDifference difference;
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) {
        difference.shapes = true;
        return difference;
    }
    const tensor::HostTensor left = a.contiguous();
    const tensor::HostTensor right = b.contiguous();
    const auto x = left.bytes();
    const auto y = right.bytes();
    if (x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0)
        return difference;
    const std::vector<double> p = left.toDoubles();
    const std::vector<double> q = right.toDoubles();
    const auto width = static_cast<std::size_t>(tensor::sizeOf(a.dtype()));
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (std::memcmp(x.data() + i * width, y.data() + i * width, width) == 0 || (std::isnan(p[i]) && std::isnan(q[i])))
            continue;
        if (difference.elements++ == 0) {
            difference.position = static_cast<std::int64_t>(i);
            difference.first = p[i];
            difference.second = q[i];
        }
        difference.kinds += std::isfinite(p[i]) != std::isfinite(q[i]) ? 1 : 0;
        if (std::isfinite(p[i]) && std::isfinite(q[i]))
            difference.largest = std::max(difference.largest, std::abs(p[i] - q[i]));
    }
    return difference;
}

BitDifference differenceInBits(const CallRecord& a, const CallRecord& b)
{
    if (a.outputs.size() != b.outputs.size()) {
        BitDifference difference;
        difference.shapes = true;
        return difference;
    }
    BitDifference all;
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        BitDifference one = differenceInBits(a.outputs[i].value, b.outputs[i].value);
        one.leaf = i;
        if (!all) {
            all = one;
        } else {
            all.elements += one.elements;
            all.kinds += one.kinds;
        }
    }
    return all;
}

} // namespace assay::contract
