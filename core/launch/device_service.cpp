// SPDX-License-Identifier: Apache-2.0
#include "core/launch/device_service.h"

#include "core/launch/shape_text.h"
#include "core/text/error.h"
#include "core/text/object_text.h"

namespace assay::launch {

namespace {

std::string membersOf(const BenchAsk& ask, std::string_view op)
{
    json::ObjectText object;
    object.text("op", op);
    object.text("family", gdn::name(ask.family));
    writeShape(object, ask.shape);
    object.text("dtype", tensor::name(ask.dtype));
    object.text("device", ask.device);
    object.integer("samples", ask.samples);
    object.integer("seed", static_cast<std::int64_t>(ask.seed));
    const std::string text = object.finish();
    return text.substr(1, text.size() - 2);
}

json::Document askService(const BenchAsk& ask, std::string_view op, const std::stop_token& stop)
{
    runner::WorkerOptions options = ask.worker;
    options.service = "gdn";
    runner::WorkerClient client(options);
    json::Document answer = client.ask(membersOf(ask, op), "gdn", {}, stop);
    if (const auto problem = json::stringAt(answer, "problem"))
        throw Error(*problem, ask.device,
                    json::stringAt(answer, "remedy").value_or("assay doctor says what this machine can do"));
    return answer;
}

} // namespace

LaunchTiming timeOnDevice(const BenchAsk& ask, const std::stop_token& stop)
{
    const json::Document answer = askService(ask, "time", stop);
    LaunchTiming timing;
    timing.device = json::stringAt(answer, "device_name").value_or(ask.device);
    timing.kernel = json::stringAt(answer, "kernel").value_or("");
    timing.forwardMilliseconds = json::numberAt(answer, "forward_ms");
    timing.backwardMilliseconds = json::numberAt(answer, "backward_ms");
    timing.samples = static_cast<int>(json::integerAt(answer, "samples").value_or(0));
    return timing;
}

std::vector<LaunchError> errorsOnDevice(const BenchAsk& ask, const std::stop_token& stop)
{
    const json::Document answer = askService(ask, "errors", stop);
    std::vector<LaunchError> errors;
    const json::Value* const outputs = json::find(answer, "outputs");
    if (outputs == nullptr || !outputs->IsArray())
        throw Error("the helper process answered without outputs", ask.device, "Use a worker of this version of Assay");
    for (const json::Value& output : outputs->GetArray()) {
        const auto error = json::numberAt(output, "error"), tolerance = json::numberAt(output, "tolerance");
        if (!error || !tolerance)
            throw Error("the helper process answered without errors", ask.device, "Use a worker of this version of Assay");
        errors.push_back({json::stringAt(output, "name").value_or(""), *error, *tolerance, *error <= *tolerance});
    }
    return errors;
}

} // namespace assay::launch
