// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/error_block.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace assay::tensor {

/// Finds one exact order statistic in a single pass: a sample says between which two values it must lie, the pass counts what is
/// below and keeps what is between. Source: Floyd and Rivest, "Expected time bounds for selection", CACM 18(3), 1975.
struct QuantileBracket {
    double probability = 0.5;
    double low = 0;
    double high = 0;

    /// @param sample  absolute errors, sorted; the bracket spans four standard deviations of the sample's rank each way
    static QuantileBracket fromSample(double probability, const std::vector<double>& sample);
};

/// What one part of the tensor contributes to one bracket.
struct BracketTally {
    std::int64_t below = 0;
    std::int64_t equalLow = 0;
    std::int64_t equalHigh = 0;
    std::vector<double> between; ///< strictly inside

    void add(const ErrorBlock& block, const QuantileBracket& bracket);
    void add(double error, const QuantileBracket& bracket);
    void merge(BracketTally&& other);

    /// The order statistic of @p count errors, or nothing where the sample misled and it lies outside.
    std::optional<double> resolve(const QuantileBracket& bracket, std::int64_t count);
};

/// Adds a block to the tally of each bracket.
void tally(const ErrorBlock& block, const std::vector<QuantileBracket>& brackets, std::vector<BracketTally>& tallies);

/// 1-based rank of the inverted distribution function: the smallest k with k / count >= probability.
std::int64_t quantileRank(double probability, std::int64_t count);

} // namespace assay::tensor
