// SPDX-License-Identifier: Apache-2.0
#include "core/launch/bench.h"

#include "core/launch/check.h"
#include "core/launch/cost.h"
#include "core/launch/device_service.h"
#include "core/text/error.h"
#include "kernels/gdn/chunked.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>

namespace assay::launch {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostSeconds = 10; // of one direction
constexpr int kFewestSamples = 3;

double secondsSince(Clock::time_point began)
{
    return std::chrono::duration<double>(Clock::now() - began).count();
}

/// @return sorted, in milliseconds; the first call is not among them
std::vector<double> times(int samples, const std::function<void()>& call)
{
    call();
    std::vector<double> found;
    const Clock::time_point began = Clock::now();
    for (int i = 0; i < samples && (i < kFewestSamples || secondsSince(began) < kMostSeconds); ++i) {
        const Clock::time_point start = Clock::now();
        call();
        found.push_back(secondsSince(start) * 1e3);
    }
    std::ranges::sort(found);
    return found;
}

double median(const std::vector<double>& sorted)
{
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

LaunchTiming benchHere(const BenchAsk& ask, const std::stop_token& stop)
{
    gdn::Drawing drawing;
    drawing.seed = ask.seed;
    drawing.dtype = ask.dtype;
    drawing.hasStates = false;
    const gdn::DrawnCall drawn = drawCall(ask.family, ask.shape, drawing);
    try {
        const gdn::FamilyProblem family(drawn.call());
        const gdn::ChunkOptions options{arithmeticFor(ask.dtype), 64, ask.threads, stop};
        const auto forward = times(ask.samples, [&] { chunkedForward(family.problem(), options); });
        const auto backward = times(ask.samples, [&] { chunkedBackward(family.problem(), options); });
        LaunchTiming timing;
        timing.device = "cpu";
        timing.kernel = kernelName(ask.dtype, options.chunk);
        timing.forwardMilliseconds = median(forward);
        timing.backwardMilliseconds = median(backward);
        timing.samples = static_cast<int>(std::min(forward.size(), backward.size()));
        timing.floorSource = "no rates are known of this processor";
        return timing;
    } catch (const gdn::Stopped&) {
        throw Cancelled();
    } catch (const std::invalid_argument& mistake) {
        throw Error(mistake.what(), "gdn bench", "See assay gdn bench --help");
    }
}

} // namespace

LaunchTiming bench(const BenchAsk& ask, std::stop_token stop)
{
    LaunchTiming timing = ask.device == "cpu" ? benchHere(ask, stop) : timeOnDevice(ask, stop);
    const BackwardCost cost = backwardCost(ask.family, ask.shape, ask.dtype);
    timing.bytesMinimum = cost.bytesMinimum;
    timing.operations = cost.operations;
    if (const auto rates = ask.device == "cpu" ? std::nullopt : ratesOf(timing.device)) {
        const double compute = cost.operations / rates->operationsPerSecond;
        const auto floor = [&](double bytes) { return std::max(bytes / rates->bytesPerSecond, compute) * 1e3; };
        timing.floorMilliseconds = floor(cost.bytesMinimum);
        timing.floorWithStatesMilliseconds = floor(cost.bytesMinimum + cost.bytesOfStates);
        timing.floorSource = rates->source;
    } else if (ask.device != "cpu") {
        timing.floorSource = "no rates are known of " + timing.device;
    }
    return timing;
}

std::optional<double> LaunchTiming::fractionOfFloor() const
{
    if (!floorMilliseconds || !backwardMilliseconds || !(*backwardMilliseconds > 0))
        return std::nullopt;
    return *floorMilliseconds / *backwardMilliseconds;
}

} // namespace assay::launch
