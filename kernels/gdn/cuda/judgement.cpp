// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/cuda/judgement.h"

#include "kernels/gdn/chunked.h"
#include "kernels/gdn/serial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::gdn::cuda {

namespace {

constexpr double kRelative = 8e-3; // of dg, by channel

/// Of every token and head: the sum over its channels, which is the gradient of a decay that they share.
tensor::HostTensor channelSums(const tensor::HostTensor& gradient)
{
    std::vector<std::int64_t> shape = gradient.shape();
    const auto channels = static_cast<std::size_t>(shape.back());
    shape.pop_back();
    const std::vector<double> numbers = gradient.toDoubles();
    std::vector<double> sums(numbers.size() / channels);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        sums[i / channels] += numbers[i];
    return tensor::HostTensor::fromDoubles(tensor::DType::Float64, shape, sums);
}

/// What dg as a whole may lose of its terms in sums of fp32, of rms(dg).
double cancellationOf(const Problem& problem, const Outputs& truth, const tensor::HostTensor& found)
{
    return decayError(problem, truth, found, {kRelative, tensor::unitRoundoff(tensor::DType::Float32)}).cancellation;
}

/// What is asked of dg beyond its error as a whole: of the worst channel, or, where channels share a decay, of their sum.
OutputError detailOf(const Problem& problem, tensor::DType element, const Outputs& truth, const Outputs& emulation,
                     const tensor::HostTensor& found)
{
    if (problem.g.strides.back() != 0)
        return {"dg-by-channel", decayError(problem, truth, found, {kRelative, tensor::unitRoundoff(element)}).worstChannel, 1};
    const tensor::HostTensor wanted = channelSums(truth.backward.dg);
    return {"dg-summed", rmsRatio(wanted, channelSums(found)),
            narrowTolerance("dg", rmsRatio(wanted, channelSums(emulation.backward.dg))) + cancellationOf(problem, truth, found)};
}

} // namespace

bool Judgement::isGood() const
{
    return std::ranges::all_of(outputs, &OutputError::isGood);
}

std::string Judgement::text() const
{
    std::string text;
    for (const OutputError& output : outputs)
        text += fmt::format(" {}={:.1e}{}", output.name, output.error,
                            output.isGood() ? "" : fmt::format(" (above {:.1e})", output.allowed));
    return text;
}

Judgement judge(const Problem& problem, tensor::DType element, const Outputs& found)
{
    const ChunkOptions options{element == tensor::DType::BFloat16 ? Arithmetic::BFloat16Operands : Arithmetic::Float16Operands};
    const Outputs truth{serialForward(problem), serialBackward(problem)};
    const Outputs emulation{chunkedForward(problem, options), chunkedBackward(problem, options)};
    const auto wanted = outputsOf(truth), emulated = outputsOf(emulation), got = outputsOf(found);
    Judgement judgement;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        OutputError output{std::string(wanted[i].name), rmsRatio(*wanted[i].tensor, *got[i].tensor), 0};
        output.allowed = narrowTolerance(output.name, rmsRatio(*wanted[i].tensor, *emulated[i].tensor));
        if (output.name == "dg") {
            output.allowed += cancellationOf(problem, truth, *got[i].tensor);
            judgement.outputs.push_back(detailOf(problem, element, truth, emulation, *got[i].tensor));
        }
        judgement.outputs.push_back(std::move(output));
    }
    return judgement;
}

} // namespace assay::gdn::cuda
