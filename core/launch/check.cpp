// SPDX-License-Identifier: Apache-2.0
#include "core/launch/check.h"

#include "core/text/error.h"
#include "kernels/gdn/accuracy.h"
#include "kernels/gdn/chunked.h"
#include "kernels/gdn/serial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace assay::launch {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kDouble = 1e-10; // of any two fp64 forms
// fp32 forms add up in different orders: neither is the other's bound but for a small factor.
constexpr double kSingleFactor = 4;

gdn::Outputs serial(const gdn::Problem& problem, gdn::Precision precision, int threads, const std::stop_token& stop)
{
    return {gdn::serialForward(problem, precision, threads, stop), gdn::serialBackward(problem, precision, threads, stop)};
}

gdn::Outputs chunked(const gdn::Problem& problem, const CheckAsk& ask, int threads, const std::stop_token& stop)
{
    const gdn::ChunkOptions options{arithmeticFor(ask.drawing.dtype), ask.chunk, threads, stop};
    return {gdn::chunkedForward(problem, options), gdn::chunkedBackward(problem, options)};
}

bool sameBits(const gdn::Outputs& x, const gdn::Outputs& y)
{
    const auto left = outputsOf(x), right = outputsOf(y);
    return std::ranges::equal(left, right, [](const gdn::NamedOutput& a, const gdn::NamedOutput& b) {
        return std::ranges::equal(a.tensor->bytes(), b.tensor->bytes());
    });
}

/// Tolerances in the order of outputsOf().
std::vector<double> tolerances(const gdn::Problem& problem, const CheckAsk& ask, const gdn::Outputs& truth,
                               const std::stop_token& stop)
{
    std::vector<double> result;
    const gdn::Arithmetic arithmetic = arithmeticFor(ask.drawing.dtype);
    gdn::Outputs plain;
    if (arithmetic == gdn::Arithmetic::Float32)
        plain = serial(problem, gdn::Precision::Float32, ask.threads, stop);
    const auto reference = outputsOf(truth), single = outputsOf(plain);
    for (std::size_t i = 0; i < reference.size(); ++i) {
        if (arithmetic == gdn::Arithmetic::Float64)
            result.push_back(kDouble);
        else if (arithmetic == gdn::Arithmetic::Float32)
            result.push_back(
                kSingleFactor
                * std::max(gdn::rmsRatio(*reference[i].tensor, *single[i].tensor), tensor::unitRoundoff(tensor::DType::Float32)));
        else
            result.push_back(gdn::narrowTolerance(reference[i].name, 0)); // this form is the emulation
    }
    return result;
}

void judge(const gdn::Problem& problem, const gdn::Outputs& truth, const gdn::Outputs& found, const std::stop_token& stop,
           CheckResult& result)
{
    const bool isDouble = result.ask.drawing.dtype == tensor::DType::Float64;
    const double roundoff = tensor::unitRoundoff(isDouble ? tensor::DType::Float64 : tensor::DType::Float32);
    const std::vector<double> allowed = tolerances(problem, result.ask, truth, stop);
    const auto reference = outputsOf(truth), measured = outputsOf(found);
    for (std::size_t i = 0; i < reference.size(); ++i) {
        OutputCheck output{std::string(reference[i].name), gdn::rmsRatio(*reference[i].tensor, *measured[i].tensor), allowed[i],
                           false};
        if (output.name == "dg") {
            const gdn::DecayError decay = gdn::decayError(problem, truth, found.backward.dg, {allowed[i], roundoff});
            output.tolerance += decay.cancellation;
            result.worstDecayChannel = decay.worstChannel;
        }
        output.isWithin = output.error <= output.tolerance;
        result.outputs.push_back(output);
    }
}

} // namespace

gdn::Arithmetic arithmeticFor(tensor::DType dtype)
{
    switch (dtype) {
    case tensor::DType::Float64:
        return gdn::Arithmetic::Float64;
    case tensor::DType::Float32:
        return gdn::Arithmetic::Float32;
    case tensor::DType::Float16:
        return gdn::Arithmetic::Float16Operands;
    default:
        return gdn::Arithmetic::BFloat16Operands;
    }
}

std::string kernelName(tensor::DType dtype, int chunk)
{
    switch (arithmeticFor(dtype)) {
    case gdn::Arithmetic::Float64:
        return fmt::format("chunks of {}, fp64", chunk);
    case gdn::Arithmetic::Float32:
        return fmt::format("chunks of {}, fp32", chunk);
    case gdn::Arithmetic::BFloat16Operands:
        return fmt::format("chunks of {}, products of bf16 added up in fp32", chunk);
    case gdn::Arithmetic::Float16Operands:
        break;
    }
    return fmt::format("chunks of {}, products of fp16 added up in fp32", chunk);
}

bool CheckResult::isPassed() const
{
    return isDeterministic && std::ranges::all_of(outputs, &OutputCheck::isWithin);
}

CheckResult check(const CheckAsk& ask, std::stop_token stop)
{
    const gdn::DrawnCall drawn = drawCall(ask.family, ask.shape, ask.drawing);
    try {
        const gdn::FamilyProblem family(drawn.call());
        CheckResult result;
        result.ask = ask;
        result.kernel = kernelName(ask.drawing.dtype, ask.chunk);
        const Clock::time_point began = Clock::now();
        const gdn::Outputs found = chunked(family.problem(), ask, ask.threads, stop);
        result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
        // Several threads even where there is one core: what they do to the bits does not depend on it.
        result.isDeterministic = sameBits(found, chunked(family.problem(), ask, 1, stop))
            && sameBits(found, chunked(family.problem(), ask, 3, stop));
        judge(family.problem(), serial(family.problem(), gdn::Precision::Float64, ask.threads, stop), found, stop, result);
        return result;
    } catch (const gdn::Stopped&) {
        throw Cancelled();
    } catch (const std::invalid_argument& mistake) {
        throw Error(mistake.what(), "gdn check", "See assay gdn check --help");
    }
}

} // namespace assay::launch
