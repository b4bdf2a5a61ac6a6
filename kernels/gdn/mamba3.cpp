// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/mamba3.h"

#include "kernels/gdn/head.h"

#include <numeric>

namespace assay::gdn {

namespace {

using Numbers = std::vector<double>;

double dot(const Numbers& x, const Numbers& y)
{
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// Visits every token with its channels of q k v, and of do where it is there.
template <typename Visit> void forEachToken(const Problem& problem, Visit visit)
{
    const Shape shape = shapeOf(problem);
    const auto keys = static_cast<std::size_t>(shape.keys), values = static_cast<std::size_t>(shape.values);
    Numbers q(keys), k(keys), v(values), outputGrad(values);
    for (std::int64_t row = 0; row < shape.batch; ++row) {
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            const HeadInputs inputs = headOf(problem, {row, 0, shape.tokens}, row, head);
            for (std::int64_t token = 0; token < shape.tokens; ++token) {
                inputs.q.read(token, 1, q.data());
                inputs.k.read(token, 1, k.data());
                inputs.v.read(token, 1, v.data());
                if (inputs.outputGrad.data != nullptr)
                    inputs.outputGrad.read(token, 1, outputGrad.data());
                visit((row * shape.tokens + token) * shape.heads + head, q, k, v, outputGrad);
            }
        }
    }
}

void addRow(Numbers& rows, std::int64_t row, double factor, const Numbers& values)
{
    const auto channels = static_cast<std::int64_t>(values.size());
    for (std::int64_t i = 0; i < channels; ++i)
        rows[static_cast<std::size_t>(row * channels + i)] += factor * values[static_cast<std::size_t>(i)];
}

tensor::HostTensor like(const tensor::HostTensor& model, const Numbers& values)
{
    return tensor::HostTensor::fromDoubles(model.dtype(), model.shape(), values);
}

} // namespace

std::vector<double> nextShares(const Problem& problem, std::span<const double> step, std::span<const double> lambda)
{
    const Shape shape = shapeOf(problem);
    Numbers next(step.size());
    for (const Sequence& sequence : sequencesOf(problem)) {
        for (std::int64_t token = sequence.first; token + 1 < sequence.first + sequence.tokens; ++token) {
            for (std::int64_t head = 0; head < shape.heads; ++head) {
                const auto at = static_cast<std::size_t>((sequence.row * shape.tokens + token) * shape.heads + head);
                const std::size_t after = at + static_cast<std::size_t>(shape.heads);
                next[at] = (1 - lambda[after]) * step[after];
            }
        }
    }
    return next;
}

tensor::HostTensor withoutNextShare(const Problem& problem, std::span<const double> next, const tensor::HostTensor& output)
{
    Numbers o = output.toDoubles();
    forEachToken(problem, [&](std::int64_t at, const Numbers& q, const Numbers& k, const Numbers& v, const Numbers&) {
        addRow(o, at, -problem.scale * next[static_cast<std::size_t>(at)] * dot(q, k), v);
    });
    return like(output, o);
}

NextShareGrads nextShareGrads(const Problem& problem, std::span<const double> next, const BackwardResult& result)
{
    NextShareGrads grads;
    grads.next.resize(next.size());
    Numbers dq = result.dq.toDoubles(), dk = result.dk.toDoubles(), dv = result.dv.toDoubles();
    forEachToken(problem, [&](std::int64_t at, const Numbers& q, const Numbers& k, const Numbers& v, const Numbers& outputGrad) {
        const auto i = static_cast<std::size_t>(at);
        const double score = problem.scale * dot(q, k), scoreGrad = problem.scale * dot(v, outputGrad);
        grads.next[i] = -problem.scale * dot(q, k) * dot(v, outputGrad);
        addRow(dq, at, -next[i] * scoreGrad, k);
        addRow(dk, at, -next[i] * scoreGrad, q);
        addRow(dv, at, -next[i] * score, outputGrad);
    });
    grads.dq = like(result.dq, dq);
    grads.dk = like(result.dk, dk);
    grads.dv = like(result.dv, dv);
    return grads;
}

} // namespace assay::gdn
