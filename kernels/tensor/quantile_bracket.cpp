// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/quantile_bracket.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace assay::tensor {

QuantileBracket QuantileBracket::fromSample(double probability, const std::vector<double>& sample)
{
    const auto size = static_cast<std::int64_t>(sample.size());
    const double n = static_cast<double>(size);
    const double spread = 4 * std::sqrt(n * probability * (1 - probability)) + 2;
    const auto at = [&](double rank) {
        return sample[static_cast<std::size_t>(std::clamp<std::int64_t>(static_cast<std::int64_t>(rank), 0, size - 1))];
    };
    QuantileBracket bracket{probability, at(std::floor(n * probability - spread)), at(std::ceil(n * probability + spread))};
    // At the ends of the sample nothing bounds the order statistic.
    if (n * probability - spread < 0)
        bracket.low = 0;
    if (n * probability + spread > n - 1)
        bracket.high = HUGE_VAL;
    return bracket;
}

void BracketTally::add(const ErrorBlock& block, const QuantileBracket& bracket)
{
    const RankCounts counts = rank(block, bracket.low, bracket.high);
    below += counts.below;
    equalLow += counts.equal;
    if (counts.upTo == counts.below + counts.equal || bracket.high <= bracket.low)
        return;
    for (std::int64_t i = 0; i < block.count; ++i) {
        const double error = block.absolute[static_cast<std::size_t>(i)];
        if (error > bracket.low && error < bracket.high)
            between.push_back(error);
        else if (error == bracket.high)
            ++equalHigh;
    }
}

void BracketTally::merge(BracketTally&& other)
{
    below += other.below;
    equalLow += other.equalLow;
    equalHigh += other.equalHigh;
    between.insert(between.end(), other.between.begin(), other.between.end());
    other.between = {};
}

std::optional<double> BracketTally::resolve(const QuantileBracket& bracket, std::int64_t count)
{
    std::int64_t rankLeft = quantileRank(bracket.probability, count) - below;
    if (rankLeft <= 0)
        return std::nullopt;
    if (rankLeft <= equalLow)
        return bracket.low;
    rankLeft -= equalLow;
    if (rankLeft <= std::ssize(between)) {
        const auto wanted = between.begin() + (rankLeft - 1);
        std::nth_element(between.begin(), wanted, between.end());
        return *wanted;
    }
    rankLeft -= std::ssize(between);
    if (rankLeft <= equalHigh)
        return bracket.high;
    return std::nullopt;
}

std::int64_t quantileRank(double probability, std::int64_t count)
{
    const auto rank = static_cast<std::int64_t>(std::ceil(probability * static_cast<double>(count)));
    return std::clamp<std::int64_t>(rank, 1, count);
}

} // namespace assay::tensor
