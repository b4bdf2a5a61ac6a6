// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string_view>

namespace assay::gdn {

namespace {

using Sizes = std::vector<std::int64_t>;

/// One tensor of a call and what it must look like.
struct Expected {
    std::string_view name;
    const TensorView* view;
    std::string_view letters;
    Sizes sizes;
};

std::string mistakeInRank(std::string_view name, const TensorView& view, std::string_view letters)
{
    if (view.shape.size() != 4)
        return fmt::format("{} has shape {}, expected four sizes {}", name, sizesText(view.shape), letters);
    for (const std::int64_t size : view.shape) {
        if (size < 0)
            return fmt::format("{} has shape {}, expected no negative size", name, sizesText(view.shape));
    }
    if (view.shape[3] == 0)
        return fmt::format("{} has shape {}, expected at least one channel", name, sizesText(view.shape));
    return {};
}

std::string mistakeInTensor(const Expected& expected)
{
    const TensorView& view = *expected.view;
    if (view.shape != expected.sizes)
        return fmt::format("{} has shape {}, expected {} {}", expected.name, sizesText(view.shape), expected.letters,
                           sizesText(expected.sizes));
    if (view.strides.size() != view.shape.size())
        return fmt::format("{} has {} strides, expected 4", expected.name, view.strides.size());
    if (!tensor::isFloating(view.dtype))
        return fmt::format("{} holds {}, expected a floating type", expected.name, tensor::name(view.dtype));
    if (view.data == nullptr && view.count() > 0)
        return fmt::format("{} has no data", expected.name);
    return {};
}

std::string mistakeInSequences(const std::vector<std::int32_t>& start, const Shape& shape)
{
    if (start.empty())
        return {};
    if (shape.batch != 1)
        return fmt::format("cu_seqlens packs the sequences of one batch row, expected q with B = 1 and not {}", shape.batch);
    if (start.front() != 0 || start.back() != shape.tokens)
        return fmt::format("cu_seqlens runs from {} to {}, expected from 0 to T = {}", start.front(), start.back(), shape.tokens);
    for (std::size_t i = 1; i < start.size(); ++i) {
        if (start[i] < start[i - 1])
            return fmt::format("cu_seqlens has {} at {} after {}, expected rising offsets", start[i], i, start[i - 1]);
    }
    return {};
}

} // namespace

Stopped::Stopped()
    : std::runtime_error("stopped")
{
}

std::string sizesText(const Sizes& sizes)
{
    return fmt::format("[{}]", fmt::join(sizes, ", "));
}

Shape shapeOf(const Problem& problem)
{
    const Sizes& q = problem.q.shape;
    return {q[0], q[1], q[2], q[3], problem.v.shape[3]};
}

std::vector<Sequence> sequencesOf(const Problem& problem)
{
    std::vector<Sequence> sequences;
    const std::vector<std::int32_t>& start = problem.sequenceStart;
    for (std::size_t i = 1; i < start.size(); ++i)
        sequences.push_back({0, start[i - 1], start[i] - start[i - 1]});
    if (start.empty()) {
        const Shape shape = shapeOf(problem);
        for (std::int64_t row = 0; row < shape.batch; ++row)
            sequences.push_back({row, 0, shape.tokens});
    }
    return sequences;
}

std::string mistakeIn(const Problem& problem)
{
    constexpr std::string_view kKeyed = "[B, T, H, K]", kValued = "[B, T, H, V]", kState = "[N, H, K, V]";
    if (std::string mistake = mistakeInRank("q", problem.q, kKeyed); !mistake.empty())
        return mistake;
    if (std::string mistake = mistakeInRank("v", problem.v, kValued); !mistake.empty())
        return mistake;
    const Shape shape = shapeOf(problem);
    if (std::string mistake = mistakeInSequences(problem.sequenceStart, shape); !mistake.empty())
        return mistake;
    const auto count = static_cast<std::int64_t>(sequencesOf(problem).size());
    const Sizes keyed{shape.batch, shape.tokens, shape.heads, shape.keys};
    const Sizes valued{shape.batch, shape.tokens, shape.heads, shape.values};
    const Sizes state{count, shape.heads, shape.keys, shape.values};
    std::vector<Expected> all{{"q", &problem.q, kKeyed, keyed},   {"k", &problem.k, kKeyed, keyed},
                              {"v", &problem.v, kValued, valued}, {"b", &problem.b, kKeyed, keyed},
                              {"w", &problem.w, kValued, valued}, {"g", &problem.g, kKeyed, keyed}};
    if (problem.initialState)
        all.push_back({"S0", &*problem.initialState, kState, state});
    if (problem.outputGrad)
        all.push_back({"do", &*problem.outputGrad, kValued, valued});
    if (problem.finalGrad)
        all.push_back({"dST", &*problem.finalGrad, kState, state});
    for (const Expected& expected : all) {
        if (std::string mistake = mistakeInTensor(expected); !mistake.empty())
            return mistake;
    }
    if (!std::isfinite(problem.scale))
        return fmt::format("scale is {}, expected a finite number", problem.scale);
    return {};
}

std::string mistakeInBackward(const Problem& problem)
{
    if (std::string mistake = mistakeIn(problem); !mistake.empty())
        return mistake;
    return problem.outputGrad ? std::string() : std::string("do is missing, the gradient of o with its shape [B, T, H, V]");
}

} // namespace assay::gdn
