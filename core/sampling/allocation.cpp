// SPDX-License-Identifier: Apache-2.0
#include "core/sampling/allocation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace assay::sampling {

namespace {

constexpr std::array kRules = {AllocationRule::Proportional, AllocationRule::Equal, AllocationRule::Neyman};

/// A stratum that is sampled, not taken whole: its share is weight * scale, kept between fewest and most.
struct Share {
    std::size_t stratum = 0;
    double weight = 0;
    std::int64_t fewest = 0;
    std::int64_t most = 0;

    double at(double scale) const { return std::clamp(weight * scale, static_cast<double>(fewest), static_cast<double>(most)); }
};

double weightOf(const StratumPrior& stratum, AllocationRule rule)
{
    const double size = static_cast<double>(stratum.population);
    if (rule == AllocationRule::Equal)
        return 1;
    if (rule == AllocationRule::Proportional)
        return size;
    const double p = (static_cast<double>(stratum.priorSuccesses) + 0.5) / (static_cast<double>(stratum.priorTrials) + 1);
    return size * std::sqrt(p * (1 - p));
}

double sumAt(const std::vector<Share>& shares, double scale)
{
    double sum = 0;
    for (const Share& share : shares)
        sum += share.at(scale);
    return sum;
}

/// The scale at which the shares add up to @p total. Their sum grows with the scale in straight pieces that meet where a share
/// reaches its fewest or its most, so the piece is found first and then solved.
double scaleFor(const std::vector<Share>& shares, double total)
{
    std::vector<double> bends;
    for (const Share& share : shares) {
        bends.push_back(static_cast<double>(share.fewest) / share.weight);
        bends.push_back(static_cast<double>(share.most) / share.weight);
    }
    std::sort(bends.begin(), bends.end());
    const auto beyond
        = std::partition_point(bends.begin(), bends.end(), [&](double bend) { return sumAt(shares, bend) < total; });
    if (beyond == bends.begin())
        return bends.front();
    if (beyond == bends.end())
        return bends.back();
    const double left = *(beyond - 1);
    const double right = *beyond;
    const double atLeft = sumAt(shares, left);
    return left + (right - left) * (total - atLeft) / (sumAt(shares, right) - atLeft);
}

struct Rounded {
    const Share* share;
    std::int64_t count;
    double remainder;
};

/// Largest remainder: everything rounded down, then one more for those that lost most.
std::vector<Rounded> roundShares(const std::vector<Share>& shares, std::span<const StratumPrior> strata, std::int64_t total)
{
    const double scale = scaleFor(shares, static_cast<double>(total));
    std::vector<Rounded> rounded;
    std::int64_t given = 0;
    for (const Share& share : shares) {
        const double exact = share.at(scale);
        const double floor = std::floor(exact);
        rounded.push_back({&share, static_cast<std::int64_t>(floor), exact - floor});
        given += rounded.back().count;
    }
    std::stable_sort(rounded.begin(), rounded.end(), [&](const Rounded& a, const Rounded& b) {
        if (a.remainder != b.remainder)
            return a.remainder > b.remainder;
        return strata[a.share->stratum].population > strata[b.share->stratum].population;
    });
    // More rounds than one only where rounding of the arithmetic itself left a share a hair below a whole number.
    while (given < total) {
        const std::int64_t before = given;
        for (Rounded& one : rounded) {
            if (given < total && one.count < one.share->most) {
                ++one.count;
                ++given;
            }
        }
        if (given == before)
            break;
    }
    return rounded;
}

} // namespace

std::string_view name(AllocationRule rule)
{
    switch (rule) {
    case AllocationRule::Proportional:
        return "proportional";
    case AllocationRule::Equal:
        return "equal";
    case AllocationRule::Neyman:
        return "neyman";
    }
    return "";
}

std::optional<AllocationRule> allocationRuleFromName(std::string_view text)
{
    const auto found = std::find_if(kRules.begin(), kRules.end(), [&](AllocationRule rule) { return name(rule) == text; });
    return found == kRules.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::int64_t> allocate(std::span<const StratumPrior> strata, std::int64_t total, AllocationRule rule)
{
    std::vector<std::int64_t> counts(strata.size(), 0);
    std::vector<Share> shares;
    for (std::size_t i = 0; i < strata.size(); ++i) {
        if (strata[i].population <= kCensusSize)
            counts[i] = strata[i].population;
        else
            shares.push_back({i, weightOf(strata[i], rule), kFewestItems, strata[i].population});
    }
    if (shares.empty())
        return counts;
    const std::int64_t left = total - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    for (const Rounded& one : roundShares(shares, strata, left))
        counts[one.share->stratum] = one.count;
    return counts;
}

} // namespace assay::sampling
