// SPDX-License-Identifier: Apache-2.0
#include "core/launch/file_run.h"

#include "core/launch/call_file.h"
#include "core/report/output_file.h"
#include "core/tensorfile/safetensors_writer.h"
#include "core/text/error.h"
#include "core/text/object_text.h"
#include "kernels/gdn/chunked.h"
#include "kernels/gdn/serial.h"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

namespace assay::launch {

namespace {

using Clock = std::chrono::steady_clock;

gdn::ForwardResult forward(const gdn::Problem& problem, const FileRunAsk& ask, const std::stop_token& stop)
{
    if (ask.isSerial)
        return gdn::serialForward(problem, gdn::Precision::Float64, ask.threads, stop);
    return gdn::chunkedForward(problem, {gdn::Arithmetic::Float64, ask.chunk, ask.threads, stop});
}

gdn::BackwardResult backward(const gdn::Problem& problem, const FileRunAsk& ask, const std::stop_token& stop)
{
    if (ask.isSerial)
        return gdn::serialBackward(problem, gdn::Precision::Float64, ask.threads, stop);
    return gdn::chunkedBackward(problem, {gdn::Arithmetic::Float64, ask.chunk, ask.threads, stop});
}

tensor::HostTensor inType(const tensor::HostTensor& tensor, tensor::DType dtype)
{
    return tensor.dtype() == dtype ? tensor : tensor::HostTensor::fromDoubles(dtype, tensor.shape(), tensor.toDoubles());
}

/// All outputs of the call by name, in the types that the file has.
std::vector<gdn::NamedTensor> compute(const CallFile& file, const gdn::FamilyProblem& family, const FileRunAsk& ask,
                                      const std::stop_token& stop)
{
    const tensor::DType value = *file.dtypeOf("v"), state = file.dtypeOf("S0").value_or(value);
    const gdn::ForwardResult result = family.output(forward(family.problem(), ask, stop));
    std::vector<gdn::NamedTensor> outputs{{"o", inType(result.o, value)}, {"ST", inType(result.finalState, state)}};
    if (ask.isForward)
        return outputs;
    const gdn::BackwardResult gradients = backward(family.problem(), ask, stop);
    for (const gdn::NamedTensor& gradient : family.gradients(gradients))
        outputs.push_back({gradient.name, inType(gradient.tensor, *file.dtypeOf(gradient.name.substr(1)))});
    outputs.push_back({"dS0", inType(gradients.initialStateGrad, state)});
    return outputs;
}

void write(const std::filesystem::path& path, const std::vector<gdn::NamedTensor>& outputs)
{
    std::vector<tensorfile::TensorToWrite> tensors;
    for (const gdn::NamedTensor& output : outputs)
        tensors.push_back({output.name, output.tensor.view()});
    report::OutputFile file(path);
    tensorfile::writeSafetensors(std::move(tensors), [&file](std::string_view bytes) { file.write(bytes); });
    file.commit();
}

std::string kernelOf(const FileRunAsk& ask)
{
    return ask.isSerial ? "token by token, fp64" : fmt::format("chunks of {}, fp64", ask.chunk);
}

} // namespace

FileRun runFile(const FileRunAsk& ask, std::stop_token stop)
{
    const CallFile file = readCall(ask.in, ask.family, ask.scale);
    try {
        const gdn::FamilyProblem family(file.call);
        if (const std::string mistake = ask.isForward ? "" : mistakeInBackward(family.problem()); !mistake.empty())
            throw std::invalid_argument(mistake);
        FileRun run{ask, shapeOf(family.problem()), file.call.scale, kernelOf(ask), {}, 0};
        const Clock::time_point began = Clock::now();
        run.written = compute(file, family, ask, stop);
        run.seconds = std::chrono::duration<double>(Clock::now() - began).count();
        write(ask.out, run.written);
        return run;
    } catch (const gdn::Stopped&) {
        throw Cancelled();
    } catch (const std::invalid_argument& mistake) {
        throw Error(mistake.what(), file.path, "`assay gdn run --help` lists the tensors");
    }
}

std::string toJson(const FileRun& run)
{
    json::ObjectText object("assay.gdn-run/1");
    object.text("family", gdn::name(run.ask.family));
    json::Writer& shape = object.key("shape");
    shape.StartArray();
    for (const std::int64_t size : {run.shape.batch, run.shape.tokens, run.shape.heads, run.shape.keys, run.shape.values})
        shape.Int64(size);
    shape.EndArray();
    object.number("scale", run.scale);
    object.text("device", "cpu");
    object.text("kernel", run.kernel);
    object.text("out", run.ask.out.string());
    object.objects("tensors", run.written, [&](const gdn::NamedTensor& written) {
        object.text("name", written.name);
        object.text("dtype", tensor::name(written.tensor.dtype()));
        json::Writer& sizes = object.key("shape");
        sizes.StartArray();
        for (const std::int64_t size : written.tensor.shape())
            sizes.Int64(size);
        sizes.EndArray();
    });
    object.number("seconds", run.seconds);
    return object.finish();
}

std::string toText(const FileRun& run)
{
    std::string text = fmt::format("{} on the CPU, {}, scale {:.6g}, {:.2f} s\n", gdn::title(run.ask.family), run.kernel,
                                   run.scale, run.seconds);
    for (const gdn::NamedTensor& written : run.written)
        text += fmt::format("  {:<8} {:<10} {}\n", written.name, tensor::name(written.tensor.dtype()),
                            gdn::sizesText(written.tensor.shape()));
    return text + fmt::format("written to {}\n", run.ask.out.string());
}

} // namespace assay::launch
