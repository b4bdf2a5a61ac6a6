// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/draw.h"

#include "kernels/random/philox.h"

#include <cmath>
#include <functional>
#include <numeric>

namespace assay::gdn {

namespace {

using Numbers = std::vector<double>;
using Sizes = std::vector<std::int64_t>;

Numbers draw(const Drawing& drawing, std::string_view name, const Sizes& sizes, bool isNormal)
{
    const random::Stream stream({drawing.seed, "gdn", "", name, 0});
    const std::int64_t count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies());
    Numbers numbers(static_cast<std::size_t>(count));
    isNormal ? stream.normal(0, numbers) : stream.uniform(0, numbers);
    return numbers;
}

void normalise(Numbers& rows, std::int64_t channels)
{
    for (auto row = rows.begin(); row != rows.end(); row += channels) {
        const double length = std::sqrt(std::inner_product(row, row + channels, row, 0.0));
        for (auto x = row; x != row + channels; ++x)
            *x /= length;
    }
}

Numbers drawInput(const FamilyInput& input, const Sizes& sizes, const Shape& shape, const Drawing& drawing)
{
    const bool isDirection = input.name == "q" || input.name == "k";
    Numbers numbers = draw(drawing, input.name, sizes, isDirection || input.name == "v");
    if (isDirection)
        normalise(numbers, shape.keys);
    if (input.name == "b" || input.name == "beta") {
        for (double& gate : numbers)
            gate *= drawing.erase;
    }
    if (input.name == "A") {
        for (double& rate : numbers)
            rate *= -1 - drawing.decay;
    }
    if (input.name == "g") {
        const Numbers extra = draw(drawing, "extra", sizes, false);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = random::portableLog((1 + numbers[i]) / 2) - drawing.decay * extra[i];
    }
    return numbers;
}

/// Decays multiply over many tokens: rounding them to 16 bits would change the recurrence.
tensor::DType dtypeOf(std::string_view name, tensor::DType dtype)
{
    const bool isDecay = name == "g" || name == "dt" || name == "A" || name == "lambda";
    return isDecay && dtype != tensor::DType::Float64 ? tensor::DType::Float32 : dtype;
}

} // namespace

FamilyCall DrawnCall::call() const
{
    FamilyCall result;
    result.family = family;
    result.scale = scale;
    result.sequenceStart = starts;
    for (const FamilyInput& input : inputsOf(family))
        result.inputs[std::string(input.name)] = tensors.find(input.name)->second.view();
    const auto optional = [this](const char* name) {
        const auto found = tensors.find(name);
        return found == tensors.end() ? std::optional<TensorView>() : found->second.view();
    };
    result.initialState = optional("S0");
    result.outputGrad = optional("do");
    result.finalGrad = optional("dST");
    return result;
}

DrawnCall drawCall(Family family, const Shape& shape, const Drawing& drawing)
{
    DrawnCall drawn;
    drawn.family = family;
    drawn.scale = 1 / std::sqrt(static_cast<double>(shape.keys));
    drawn.starts = drawing.starts;
    const auto add = [&](std::string_view name, const Sizes& sizes, const Numbers& numbers) {
        drawn.tensors[std::string(name)] = tensor::HostTensor::fromDoubles(dtypeOf(name, drawing.dtype), sizes, numbers);
    };
    for (const FamilyInput& input : inputsOf(family)) {
        const Sizes sizes = sizesOf(input.extent, shape);
        add(input.name, sizes, drawInput(input, sizes, shape, drawing));
    }
    const Sizes valued = sizesOf(Extent::ValueChannels, shape);
    add("do", valued, draw(drawing, "do", valued, true));
    const std::int64_t sequences = drawing.starts.empty() ? shape.batch : static_cast<std::int64_t>(drawing.starts.size()) - 1;
    for (const char* name : {"S0", "dST"}) {
        const Sizes state{sequences, shape.heads, shape.keys, shape.values};
        if (drawing.hasStates)
            add(name, state, draw(drawing, name, state, true));
    }
    return drawn;
}

} // namespace assay::gdn
