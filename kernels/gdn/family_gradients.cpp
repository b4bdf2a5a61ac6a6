// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/family_problem.h"
#include "kernels/gdn/mamba3.h"
#include "kernels/tensor/element_reader.h"

#include <algorithm>
#include <numeric>

namespace assay::gdn {

namespace {

/// Of every token: the sum over its channels.
std::vector<double> channelSums(const tensor::HostTensor& gradient)
{
    const std::int64_t channels = gradient.shape()[3];
    const tensor::TensorView view = gradient.view();
    std::vector<double> sums(static_cast<std::size_t>(gradient.count() / channels));
    std::vector<double> row(static_cast<std::size_t>(channels));
    tensor::ElementReader reader(view, channels);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        tensor::toDoubles(view.dtype, reader.read(static_cast<std::int64_t>(i) * channels, channels), channels, row.data());
        sums[i] = std::accumulate(row.begin(), row.end(), 0.0);
    }
    return sums;
}

std::vector<double> sum(std::vector<double> x, const std::vector<double>& y)
{
    std::ranges::transform(x, y, x.begin(), std::plus());
    return x;
}

} // namespace

NamedTensor FamilyProblem::perToken(std::string_view name, const std::vector<double>& values) const
{
    return {std::string(name),
            tensor::HostTensor::fromDoubles(tensor::DType::Float64, {m_shape.batch, m_shape.tokens, m_shape.heads}, values)};
}

std::vector<NamedTensor> FamilyProblem::gradients(const BackwardResult& result) const
{
    std::vector<NamedTensor> gradients;
    if (m_call.family == Family::Mamba3) {
        addMamba3Gradients(result, gradients);
        return gradients;
    }
    gradients = {{"dq", result.dq}, {"dk", result.dk}, {"dv", result.dv}};
    for (const FamilyInput& input : inputsOf(m_call.family).subspan(3)) {
        if (input.name == "b")
            gradients.push_back({"db", result.db});
        else if (input.name == "w")
            gradients.push_back({"dw", result.dw});
        else if (input.name == "beta")
            gradients.push_back(perToken("dbeta", sum(channelSums(result.db), channelSums(result.dw))));
        else if (input.name == "g" && input.extent == Extent::KeyChannels)
            gradients.push_back({"dg", result.dg});
        else if (input.name == "g")
            gradients.push_back(perToken("dg", channelSums(result.dg)));
    }
    if (m_call.family == Family::Mamba2)
        addMamba2Gradients(result, gradients);
    return gradients;
}

/// w = dt and g = dt A, with one A for all tokens of a head.
void FamilyProblem::addMamba2Gradients(const BackwardResult& result, std::vector<NamedTensor>& gradients) const
{
    const std::vector<double> step = tokens("dt"), rate = tokens("A"), decayGrad = channelSums(result.dg);
    std::vector<double> stepGrad = channelSums(result.dw), rateGrad(rate.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
        stepGrad[i] += rate[i % rate.size()] * decayGrad[i];
        rateGrad[i % rate.size()] += step[i] * decayGrad[i];
    }
    gradients.push_back(perToken("ddt", stepGrad));
    gradients.push_back({"dA", tensor::HostTensor::fromDoubles(tensor::DType::Float64, {m_shape.heads}, rateGrad)});
}

/// w_t = lambda_t dt_t + n_t and g_t = dt_t A_t, where n_t is made of the next token's lambda and dt.
void FamilyProblem::addMamba3Gradients(const BackwardResult& result, std::vector<NamedTensor>& gradients) const
{
    const std::vector<double> step = tokens("dt"), rate = tokens("A"), lambda = tokens("lambda");
    const std::vector<double> writeGrad = channelSums(result.dw), decayGrad = channelSums(result.dg);
    const NextShareGrads extra = nextShareGrads(m_problem, m_next, result);
    std::vector<double> stepGrad(step.size()), rateGrad(step.size()), lambdaGrad(step.size());
    for (std::size_t i = 0; i < step.size(); ++i) {
        stepGrad[i] = lambda[i] * writeGrad[i] + rate[i] * decayGrad[i];
        rateGrad[i] = step[i] * decayGrad[i];
        lambdaGrad[i] = step[i] * writeGrad[i];
    }
    const auto heads = static_cast<std::size_t>(m_shape.heads);
    for (const Sequence& sequence : sequencesOf(m_problem)) {
        const auto first = static_cast<std::size_t>((sequence.row * m_shape.tokens + sequence.first) * m_shape.heads);
        for (std::size_t at = first; at + heads < first + static_cast<std::size_t>(sequence.tokens) * heads; ++at) {
            const double shareGrad = writeGrad[at] + extra.next[at];
            stepGrad[at + heads] += (1 - lambda[at + heads]) * shareGrad;
            lambdaGrad[at + heads] -= step[at + heads] * shareGrad;
        }
    }
    gradients = {{"dq", extra.dq},          {"dk", extra.dk},         {"dv", extra.dv},
                 perToken("ddt", stepGrad), perToken("dA", rateGrad), perToken("dlambda", lambdaGrad)};
}

} // namespace assay::gdn
