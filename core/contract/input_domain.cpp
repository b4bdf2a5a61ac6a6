// SPDX-License-Identifier: Apache-2.0
#include "core/contract/input_domain.h"

#include "core/contract/simpler_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace assay::contract {

namespace {

/// Rows are shortened once they are this much too long: rounding to a short type would else begin it anew each time.
constexpr double kRowSlack = 1 + 0x1p-6;

double mirrored(double value, const InputDomain& domain)
{
    if (domain.holds(value))
        return value;
    if (!domain.low)
        return 2 * *domain.high - value;
    if (!domain.high)
        return 2 * *domain.low - value;
    const double width = *domain.high - *domain.low;
    if (std::isinf(value) || width <= 0)
        return value > 0 ? *domain.high : *domain.low;
    // Mirrored at both bounds in turn, distances repeat after twice the width.
    const double distance = std::fmod(std::abs(value - *domain.low), 2 * width);
    return *domain.low + (distance <= width ? distance : 2 * width - distance);
}

/// @return whether anything changed
bool shortenRows(std::vector<double>& values, std::int64_t row, double most)
{
    bool changed = false;
    for (std::size_t first = 0; first < values.size(); first += static_cast<std::size_t>(row)) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = begin + row;
        double largest = 0;
        for (auto it = begin; it != end; ++it)
            largest = std::isfinite(*it) ? std::max(largest, std::abs(*it)) : HUGE_VAL;
        if (largest == 0 || std::isinf(largest))
            continue;
        double squares = 0;
        for (auto it = begin; it != end; ++it)
            squares += (*it / largest) * (*it / largest);
        const double length = largest * std::sqrt(squares);
        if (length <= most * kRowSlack)
            continue;
        changed = true;
        std::for_each(begin, end, [&](double& value) { value = value / length * most; });
    }
    return changed;
}

} // namespace

bool InputDomain::holds(double value) const
{
    return std::isnan(value) || ((!low || value >= *low) && (!high || value <= *high));
}

HostTensor within(const HostTensor& value, const InputDomain& domain)
{
    if (!tensor::isFloating(value.dtype()) || value.count() == 0)
        return value;
    std::vector<double> values = value.toDoubles();
    bool changed = false;
    for (double& each : values) {
        const double moved = mirrored(each, domain);
        changed = changed || (moved != each && !std::isnan(each));
        each = moved;
    }
    if (domain.rowNorm && !value.shape().empty())
        changed = shortenRows(values, value.shape().back(), *domain.rowNorm) || changed;
    return changed ? laidOutAs(HostTensor::fromDoubles(value.dtype(), value.shape(), values), value) : value;
}

std::string outsideOf(const std::vector<SizeDomain>& domains, const std::vector<HostTensor>& inputs)
{
    for (const SizeDomain& domain : domains) {
        const auto input = static_cast<std::size_t>(domain.input), dimension = static_cast<std::size_t>(domain.dimension);
        if (input >= inputs.size() || dimension >= inputs[input].shape().size())
            continue;
        const std::int64_t size = inputs[input].shape()[dimension];
        if (std::ranges::find(domain.allowed, size) == domain.allowed.end())
            return fmt::format("dimension {} of input {} is {}, and the contract holds for {}", domain.dimension, domain.input,
                               size, fmt::join(domain.allowed, ", "));
    }
    return {};
}

} // namespace assay::contract
