// SPDX-License-Identifier: Apache-2.0
#include "core/launch/cost.h"

#include <algorithm>
#include <array>

namespace assay::launch {

namespace {

constexpr double kChunk = 64;

double count(gdn::Extent extent, const gdn::Shape& shape)
{
    double product = 1;
    for (const std::int64_t size : sizesOf(extent, shape))
        product *= static_cast<double>(size);
    return product;
}

/// Sums over many tokens keep fp32 at least.
bool isSummed(std::string_view input)
{
    static constexpr std::array kNames{"g", "dt", "A", "lambda"};
    return std::ranges::find(kNames, input) != kNames.end();
}

} // namespace

BackwardCost backwardCost(gdn::Family family, const gdn::Shape& shape, tensor::DType dtype)
{
    BackwardCost cost;
    const auto bytesOf = [&](std::string_view name) {
        return static_cast<double>(isSummed(name) ? std::max<std::int64_t>(4, tensor::sizeOf(dtype)) : tensor::sizeOf(dtype));
    };
    bool erases = false;
    for (const gdn::FamilyInput& input : inputsOf(family)) {
        cost.bytesMinimum += 2 * count(input.extent, shape) * bytesOf(input.name);
        erases = erases || input.name == "b" || input.name == "beta";
    }
    cost.bytesMinimum += count(gdn::Extent::ValueChannels, shape) * bytesOf("do");
    const double tokens = count(gdn::Extent::Tokens, shape);
    const auto keys = static_cast<double>(shape.keys), values = static_cast<double>(shape.values);
    constexpr double kPasses = 4; // a state and its gradient, written and read
    cost.bytesOfStates = tokens / kChunk * keys * values * kPasses * 2;
    cost.operations = tokens
        * (erases ? 16 * keys * values + kChunk * (12 * keys + 10 * values)
                  : 10 * keys * values + kChunk * (6 * keys + 4 * values));
    return cost;
}

std::optional<DeviceRates> ratesOf(std::string_view name)
{
    static constexpr std::array kRates{
        DeviceRates{"H200", 4.3e12, 790e12, "an H200 as measured: 4.3 TB/s, 790 TFLOP/s"},
        DeviceRates{"B200", 8e12, 2250e12, "a B200's data sheet: 8 TB/s, 2250 TFLOP/s"},
    };
    const auto* const found = std::ranges::find_if(
        kRates, [&](const DeviceRates& rates) { return name.find(rates.device) != std::string_view::npos; });
    return found == kRates.end() ? std::nullopt : std::optional(*found);
}

} // namespace assay::launch
