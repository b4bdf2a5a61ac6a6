// SPDX-License-Identifier: Apache-2.0
#include "core/launch/bench.h"

#include "core/launch/shape_text.h"
#include "core/text/object_text.h"

#include <fmt/format.h>

namespace assay::launch {

namespace {

void writeTimes(json::ObjectText& object, const LaunchTiming& timing)
{
    object.text("kernel", timing.kernel);
    object.optional("forward_ms", timing.forwardMilliseconds);
    object.optional("backward_ms", timing.backwardMilliseconds);
    object.number("bytes_min", timing.bytesMinimum);
    object.number("flops", timing.operations);
    object.optional("floor_ms", timing.floorMilliseconds);
    object.optional("floor_with_states_ms", timing.floorWithStatesMilliseconds);
    object.optional("fraction_of_floor", timing.fractionOfFloor());
    object.text("floor_source", timing.floorSource);
    object.integer("samples", timing.samples);
}

} // namespace

std::string toJson(const BenchAsk& ask, const LaunchTiming& timing)
{
    json::ObjectText object("assay.gdn-bench/1");
    object.text("family", gdn::name(ask.family));
    writeShape(object, ask.shape);
    object.text("dtype", tensor::name(ask.dtype));
    object.text("device", ask.device);
    object.text("device_name", timing.device);
    writeTimes(object, timing);
    return object.finish();
}

std::string timingsText(const LaunchTiming& timing)
{
    json::ObjectText object;
    object.text("device", timing.device);
    writeTimes(object, timing);
    return object.finish();
}

std::string toText(const BenchAsk& ask, const LaunchTiming& timing)
{
    const auto milliseconds
        = [](const std::optional<double>& time) { return time ? fmt::format("{:.4g} ms", *time) : "not measured"; };
    std::string text = fmt::format("{} on {}, {}, {}, {}\n\n", gdn::title(ask.family), timing.device, shapeText(ask.shape),
                                   tensor::name(ask.dtype), timing.kernel);
    text += fmt::format("  forward   {}\n  backward  {}\n", milliseconds(timing.forwardMilliseconds),
                        milliseconds(timing.backwardMilliseconds));
    text += fmt::format("\nMedians of {}. The backward moves at least {:.4g} MB and takes {:.4g} GFLOP.\n", timing.samples,
                        timing.bytesMinimum / 1e6, timing.operations / 1e9);
    if (!timing.floorMilliseconds)
        return text + fmt::format("There is no floor: {}.\n", timing.floorSource);
    return text
        + fmt::format(
               "Its floor is {:.3g} ms, {:.3g} ms with the states of the chunks written and read ({}): {:.3g} of the time.\n",
               *timing.floorMilliseconds, *timing.floorWithStatesMilliseconds, timing.floorSource,
               timing.fractionOfFloor().value_or(0));
}

} // namespace assay::launch
