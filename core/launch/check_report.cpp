// SPDX-License-Identifier: Apache-2.0
#include "core/launch/check.h"

#include "core/text/object_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay::launch {

std::string toJson(const CheckResult& result)
{
    const gdn::Shape& sizes = result.ask.shape;
    json::ObjectText object("assay.gdn-check/1");
    object.text("family", gdn::name(result.ask.family));
    json::Writer& shape = object.key("shape");
    shape.StartArray();
    for (const std::int64_t size : {sizes.batch, sizes.tokens, sizes.heads, sizes.keys, sizes.values})
        shape.Int64(size);
    shape.EndArray();
    object.text("dtype", tensor::name(result.ask.drawing.dtype));
    object.text("device", "cpu");
    object.text("kernel", result.kernel);
    object.object("errors", [&] {
        for (const OutputCheck& output : result.outputs)
            object.number(output.name, output.error);
    });
    object.object("tolerance", [&] {
        for (const OutputCheck& output : result.outputs)
            object.number(output.name, output.tolerance);
    });
    object.number("dg_worst_channel", result.worstDecayChannel);
    object.flag("pass", result.isPassed());
    object.flag("deterministic", result.isDeterministic);
    object.integer("seed", static_cast<std::int64_t>(result.ask.drawing.seed));
    object.number("seconds", result.seconds);
    return object.finish();
}

std::string toText(const CheckResult& result)
{
    std::string text = fmt::format("{} on the CPU, {}, {}\n\n", gdn::title(result.ask.family), result.kernel,
                                   tensor::name(result.ask.drawing.dtype));
    text += fmt::format("  {:<6} {:>12} {:>12}\n", "", "rms error", "tolerance");
    for (const OutputCheck& output : result.outputs)
        text += fmt::format("  {:<6} {:>12.2e} {:>12.2e}  {}\n", output.name, output.error, output.tolerance,
                            output.isWithin ? "" : "beyond");
    text += fmt::format("\nThe worst single channel of dg errs by {:.2g} times that tolerance.\n", result.worstDecayChannel);
    text += result.isDeterministic ? "The bits are the same with one thread and with several.\n"
                                   : "The bits change with the number of threads.\n";
    const auto beyond = std::ranges::count(result.outputs, false, &OutputCheck::isWithin);
    return text
        + (beyond == 0 ? "Every output is within its tolerance of the recurrence in fp64.\n"
                       : fmt::format("{} of {} outputs are beyond their tolerance.\n", beyond, result.outputs.size()));
}

} // namespace assay::launch
