// SPDX-License-Identifier: Apache-2.0
#include "core/calibration/bootstrap.h"

#include "core/text/error.h"
#include "kernels/random/philox.h"

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

namespace assay::calibration {

namespace {

using Strata = std::vector<std::vector<std::uint32_t>>;

void fillWeights(const Strata& strata, std::uint32_t replicate, std::uint64_t seed, std::vector<std::uint32_t>& weights)
{
    std::fill(weights.begin(), weights.end(), 0U);
    const random::Key key = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
    random::Block block{};
    std::uint32_t draw = 0;
    for (const auto& stratum : strata) {
        for (std::size_t i = 0; i < stratum.size(); ++i, ++draw) {
            if (draw % 4 == 0)
                block = random::philox({draw / 4, replicate, 0, 0}, key);
            ++weights[stratum[(std::uint64_t{block[draw % 4]} * stratum.size()) >> 32]];
        }
    }
}

/// Runs @p work on 0 .. count - 1 in any order on several threads; the first exception ends it.
void inParallel(std::size_t count, const BootstrapOptions& options, const std::function<void(std::size_t)>& work)
{
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex guard;
    const auto loop = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++) {
                if (options.stop.stop_requested())
                    throw Cancelled();
                work(i);
            }
        } catch (...) { // root of a thread; thrown again below
            const std::lock_guard lock(guard);
            if (!failure)
                failure = std::current_exception();
            next = count;
        }
    };
    const std::size_t wanted = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < std::min(wanted, count); ++i)
            helpers.emplace_back(loop);
        loop();
    }
    if (failure)
        std::rethrow_exception(failure);
}

/// Bias correction z0 from the share of replicates below the original.
std::optional<double> biasOf(const std::vector<double>& sorted, double original)
{
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), original);
    const double below = static_cast<double>(low - sorted.begin()) + static_cast<double>(high - sorted.begin());
    const double share = below / (2 * static_cast<double>(sorted.size()));
    if (share <= 0 || share >= 1)
        return std::nullopt;
    return boost::math::quantile(boost::math::normal(), share);
}

std::optional<double> accelerationOf(const Replicates& replicates, std::size_t statistic)
{
    double cubes = 0;
    double squares = 0;
    std::size_t row = 0;
    for (const auto& stratum : replicates.strata) {
        const double n = static_cast<double>(stratum.size());
        const auto leftOut = [&](std::size_t i) { return replicates.leftOut[(row + i) * replicates.statistics + statistic]; };
        double mean = 0;
        for (std::size_t i = 0; i < stratum.size(); ++i)
            mean += leftOut(i) / n;
        // A stratum of one cluster is drawn the same every time: it has no influence.
        for (std::size_t i = 0; i < stratum.size() && stratum.size() > 1; ++i) {
            const double influence = (n - 1) * (mean - leftOut(i));
            cubes += influence * influence * influence / (n * n * n);
            squares += influence * influence / (n * n);
        }
        row += stratum.size();
    }
    const double acceleration = cubes / (6 * squares * std::sqrt(squares));
    return std::isfinite(acceleration) ? std::optional(acceleration) : std::nullopt;
}

/// The order statistics that leave the shares @p low and 1 - @p high outside.
sampling::Interval between(const std::vector<double>& sorted, double low, double above)
{
    const auto count = static_cast<std::int64_t>(sorted.size());
    const auto outside = [&](double share) {
        const auto rank = static_cast<std::int64_t>(std::floor(share * static_cast<double>(count + 1)));
        return static_cast<std::size_t>(std::clamp<std::int64_t>(rank, 1, count));
    };
    return {sorted[outside(low) - 1], sorted[sorted.size() - outside(above)]};
}

} // namespace

std::vector<std::uint32_t> drawWeights(const Strata& strata, std::size_t clusters, std::uint32_t replicate, std::uint64_t seed)
{
    std::vector<std::uint32_t> weights(clusters);
    fillWeights(strata, replicate, seed, weights);
    return weights;
}

Replicates resample(const Strata& strata, std::size_t clusters, std::size_t statistics, const Statistics& compute,
                    const BootstrapOptions& options)
{
    Replicates result;
    result.statistics = statistics;
    result.strata = strata;
    result.original.resize(statistics);
    result.drawn.resize(statistics * options.replicates);
    std::vector<std::uint32_t> members;
    for (const auto& stratum : strata)
        members.insert(members.end(), stratum.begin(), stratum.end());
    result.leftOut.resize(statistics * members.size());
    std::vector<std::uint32_t> all(clusters);
    for (const std::uint32_t member : members)
        all[member] = 1;
    compute(all, result.original);

    const std::size_t replicates = options.replicates;
    inParallel(replicates + members.size(), options, [&](std::size_t i) {
        std::vector<std::uint32_t> weights = all;
        if (i < replicates) {
            fillWeights(strata, static_cast<std::uint32_t>(i), options.seed, weights);
            compute(weights, std::span(result.drawn).subspan(i * statistics, statistics));
        } else {
            weights[members[i - replicates]] = 0;
            compute(weights, std::span(result.leftOut).subspan((i - replicates) * statistics, statistics));
        }
    });
    return result;
}

Estimate estimate(const Replicates& replicates, std::size_t statistic, double confidence)
{
    Estimate result;
    result.value = replicates.original[statistic];
    std::vector<double> sorted;
    for (std::size_t i = statistic; i < replicates.drawn.size(); i += replicates.statistics) {
        if (std::isnan(replicates.drawn[i]))
            ++result.undefined;
        else
            sorted.push_back(replicates.drawn[i]);
    }
    if (sorted.empty())
        return result;
    std::sort(sorted.begin(), sorted.end());
    const double tail = (1 - confidence) / 2;
    result.percentile = between(sorted, tail, tail);
    if (!std::isfinite(result.value))
        return result;
    const std::optional<double> bias = biasOf(sorted, result.value);
    const std::optional<double> acceleration = accelerationOf(replicates, statistic);
    if (!bias || !acceleration)
        return result;
    const boost::math::normal normal;
    const double z = boost::math::quantile(normal, tail);
    const auto moved = [&](double quantile) { return *bias + (*bias + quantile) / (1 - *acceleration * (*bias + quantile)); };
    result.bca = between(sorted, boost::math::cdf(normal, moved(z)), boost::math::cdf(normal, -moved(-z)));
    return result;
}

} // namespace assay::calibration
