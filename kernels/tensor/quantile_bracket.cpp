// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/quantile_bracket.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <span>

namespace assay::tensor {

namespace {

std::uint32_t upperHalf(double error)
{
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(error) >> 32);
}

} // namespace

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

void BracketTally::add(double error, const QuantileBracket& bracket)
{
    if (error < bracket.low)
        ++below;
    else if (error == bracket.low)
        ++equalLow;
    else if (error < bracket.high)
        between.push_back(error);
    else if (error == bracket.high)
        ++equalHigh;
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

void tally(const ErrorBlock& block, const std::vector<QuantileBracket>& brackets, std::vector<BracketTally>& tallies)
{
    constexpr std::size_t kTogether = 4;
    alignas(64) std::array<std::uint8_t, kBlockElements> inside;
    for (std::size_t first = 0; first < brackets.size(); first += kTogether) {
        const std::size_t count = std::min(kTogether, brackets.size() - first);
        const std::span some = std::span(brackets).subspan(first, count);
        HighRanges ranges;
        for (std::size_t q = 0; q < count; ++q) {
            ranges.low[q] = upperHalf(some[q].low);
            ranges.width[q] = upperHalf(some[q].high) - ranges.low[q] + 1;
        }
        const Sifted sifted = sift(block, ranges, inside.data());
        // Where many lie inside, as where a few errors are very common, whole vectors are compared with the ends instead.
        if (sifted.inside > kBlockElements / 8) {
            for (std::size_t q = 0; q < count; ++q)
                tallies[first + q].add(block, some[q]);
            continue;
        }
        for (std::size_t q = 0; q < count; ++q)
            tallies[first + q].below += sifted.below[q];
        for (std::size_t i = 0; i < inside.size(); i += sizeof(std::uint64_t)) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, inside.data() + i, sizeof eight);
            for (; eight != 0; eight &= eight - 1) {
                const std::size_t at = i + static_cast<std::size_t>(std::countr_zero(eight)) / 8;
                for (std::size_t q = 0; q < count; ++q) {
                    if (block.high[at] >= ranges.low[q]) // those below are counted
                        tallies[first + q].add(block.absolute[at], some[q]);
                }
            }
        }
    }
}

std::int64_t quantileRank(double probability, std::int64_t count)
{
    const auto rank = static_cast<std::int64_t>(std::ceil(probability * static_cast<double>(count)));
    return std::clamp<std::int64_t>(rank, 1, count);
}

} // namespace assay::tensor
