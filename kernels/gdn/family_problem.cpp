// SPDX-License-Identifier: Apache-2.0
#include "kernels/gdn/family_problem.h"

#include "kernels/gdn/mamba3.h"
#include "kernels/tensor/element_reader.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace assay::gdn {

namespace {

using Sizes = std::vector<std::int64_t>;

constexpr double kZero = 0;
constexpr double kOne = 1;

/// Every element the same.
TensorView constant(const double& value, Sizes shape)
{
    const std::size_t dimensions = shape.size();
    return {reinterpret_cast<const std::byte*>(&value), tensor::DType::Float64, std::move(shape), Sizes(dimensions, 0)};
}

/// [B, T, H] repeated over @p channels channels.
TensorView spread(TensorView perToken, std::int64_t channels)
{
    perToken.shape.push_back(channels);
    perToken.strides.push_back(0);
    return perToken;
}

std::string mistakeIn(const FamilyInput& input, const TensorView& view, const Shape& shape)
{
    const Sizes sizes = sizesOf(input.extent, shape);
    if (view.shape != sizes)
        return fmt::format("{} has shape {}, expected {} {}", input.name, sizesText(view.shape), letters(input.extent),
                           sizesText(sizes));
    if (!tensor::isFloating(view.dtype))
        return fmt::format("{} holds {}, expected a floating type", input.name, tensor::name(view.dtype));
    return {};
}

/// Element by element of a view of at most three dimensions, row-major.
std::vector<double> numbersOf(const TensorView& view)
{
    std::vector<double> numbers(static_cast<std::size_t>(view.count()));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Sizes at = tensor::unravel(static_cast<std::int64_t>(i), view.shape);
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < at.size(); ++d)
            offset += at[d] * view.strides[d];
        tensor::toDoubles(view.dtype, view.data + offset * tensor::sizeOf(view.dtype), 1, &numbers[i]);
    }
    return numbers;
}

} // namespace

std::string expectedInputs(Family family)
{
    std::string names;
    for (const FamilyInput& input : inputsOf(family))
        names += (names.empty() ? "" : " ") + std::string(input.name);
    return names;
}

FamilyProblem::FamilyProblem(FamilyCall call)
    : m_call(std::move(call))
{
    for (const FamilyInput& needed : inputsOf(m_call.family)) {
        if (!m_call.inputs.contains(needed.name))
            throw std::invalid_argument(fmt::format("{} {} is missing, {} takes {}", needed.name, letters(needed.extent),
                                                    name(m_call.family), expectedInputs(m_call.family)));
    }
    m_problem.scale = m_call.scale;
    m_problem.q = input("q");
    m_problem.k = input("k");
    m_problem.v = input("v");
    m_problem.initialState = m_call.initialState;
    m_problem.outputGrad = m_call.outputGrad;
    m_problem.finalGrad = m_call.finalGrad;
    m_problem.sequenceStart = m_call.sequenceStart;
    requireInputs();
    const bool hasSteps = m_call.family == Family::Mamba2 || m_call.family == Family::Mamba3;
    hasSteps ? mapSteps() : mapGates();
    if (const std::string mistake = gdn::mistakeIn(m_problem); !mistake.empty())
        throw std::invalid_argument(mistake);
}

/// The inputs' shapes, by those of q and v.
void FamilyProblem::requireInputs() const
{
    // With gates that fit, the operator's own check finds what is wrong with the rest.
    Problem bare = m_problem;
    const auto sizes = [](const TensorView& view) { return view.shape; };
    bare.b = bare.g = constant(kZero, sizes(bare.q));
    bare.w = constant(kOne, sizes(bare.v));
    if (const std::string mistake = gdn::mistakeIn(bare); !mistake.empty())
        throw std::invalid_argument(mistake);
    for (const FamilyInput& needed : inputsOf(m_call.family)) {
        if (const std::string mistake = mistakeIn(needed, input(needed.name), shapeOf(m_problem)); !mistake.empty())
            throw std::invalid_argument(mistake);
    }
}

std::vector<double> FamilyProblem::tokens(std::string_view name) const
{
    return numbersOf(input(name));
}

TensorView FamilyProblem::own(const std::vector<double>& perToken, std::int64_t channels)
{
    m_own.push_back(tensor::HostTensor::fromDoubles(tensor::DType::Float64, sizesOf(Extent::Tokens, m_shape), perToken));
    return spread(m_own.back().view(), channels);
}

/// b, w and g of the families whose gates are inputs.
void FamilyProblem::mapGates()
{
    m_shape = shapeOf(m_problem);
    const Sizes keyed = sizesOf(Extent::KeyChannels, m_shape), valued = sizesOf(Extent::ValueChannels, m_shape);
    const auto gate = [this](std::string_view name, Extent channels, const TensorView& absent) {
        if (!m_call.inputs.contains(name))
            return absent;
        const TensorView& given = input(name);
        if (given.shape.size() == 4)
            return given;
        return spread(given, channels == Extent::KeyChannels ? m_shape.keys : m_shape.values);
    };
    const bool hasOwnGates = m_call.family == Family::Gdn2;
    m_problem.b = gate(hasOwnGates ? "b" : "beta", Extent::KeyChannels, constant(kZero, keyed));
    m_problem.w = gate(hasOwnGates ? "w" : "beta", Extent::ValueChannels, constant(kOne, valued));
    m_problem.g = gate("g", Extent::KeyChannels, constant(kZero, keyed));
}

/// The same of the families that have a step size: nothing is erased, g = dt A.
void FamilyProblem::mapSteps()
{
    m_shape = shapeOf(m_problem);
    const std::vector<double> step = tokens("dt"), rate = tokens("A");
    std::vector<double> decay(step.size()), write = step;
    for (std::size_t i = 0; i < step.size(); ++i)
        decay[i] = step[i] * rate[m_call.family == Family::Mamba2 ? i % static_cast<std::size_t>(m_shape.heads) : i];
    if (m_call.family == Family::Mamba3) {
        const std::vector<double> lambda = tokens("lambda");
        m_next = nextShares(m_problem, step, lambda);
        for (std::size_t i = 0; i < step.size(); ++i)
            write[i] = lambda[i] * step[i] + m_next[i];
    }
    m_problem.b = constant(kZero, sizesOf(Extent::KeyChannels, m_shape));
    m_problem.w = own(write, m_shape.values);
    m_problem.g = own(decay, m_shape.keys);
}

ForwardResult FamilyProblem::output(const ForwardResult& result) const
{
    if (m_call.family != Family::Mamba3)
        return result;
    return {withoutNextShare(m_problem, m_next, result.o), result.finalState};
}

} // namespace assay::gdn
