// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/random_problem.h"

#include "kernels/random/philox.h"

#include <cmath>

namespace assay::tests {

namespace {

using Numbers = std::vector<double>;

Numbers draw(std::uint64_t seed, const std::string& name, std::int64_t count, bool isNormal)
{
    const random::Stream stream({seed, "gdn", "", name, 0});
    Numbers numbers(static_cast<std::size_t>(count));
    isNormal ? stream.normal(0, numbers) : stream.uniform(0, numbers);
    return numbers;
}

void normalise(Numbers& rows, std::int64_t channels)
{
    for (auto row = rows.begin(); row != rows.end(); row += channels) {
        double squares = 0;
        for (auto x = row; x != row + channels; ++x)
            squares += *x * *x;
        for (auto x = row; x != row + channels; ++x)
            *x /= std::sqrt(squares);
    }
}

std::int64_t product(const std::vector<std::int64_t>& sizes)
{
    std::int64_t count = 1;
    for (const std::int64_t size : sizes)
        count *= size;
    return count;
}

} // namespace

gdn::Problem OwnedProblem::problem() const
{
    const auto view = [this](const std::string& name) { return tensors.at(name).view(); };
    const auto optional = [&](const std::string& name) {
        return tensors.contains(name) ? std::optional(view(name)) : std::optional<tensor::TensorView>();
    };
    gdn::Problem result;
    result.scale = scale;
    result.q = view("q");
    result.k = view("k");
    result.b = view("b");
    result.g = view("g");
    result.v = view("v");
    result.w = view("w");
    result.initialState = optional("S0");
    result.outputGrad = optional("do");
    result.finalGrad = optional("dST");
    result.sequenceStart = starts;
    return result;
}

OwnedProblem drawProblem(const gdn::Shape& shape, const Drawing& drawing)
{
    OwnedProblem owned;
    owned.scale = 1 / std::sqrt(static_cast<double>(shape.keys));
    owned.starts = drawing.starts;
    const std::int64_t sequences = drawing.starts.empty() ? shape.batch : static_cast<std::int64_t>(drawing.starts.size()) - 1;
    const std::vector<std::int64_t> keyed{shape.batch, shape.tokens, shape.heads, shape.keys};
    const std::vector<std::int64_t> valued{shape.batch, shape.tokens, shape.heads, shape.values};
    const std::vector<std::int64_t> state{sequences, shape.heads, shape.keys, shape.values};
    const auto add = [&](const std::string& name, const std::vector<std::int64_t>& sizes, bool isNormal, auto change) {
        Numbers numbers = draw(drawing.seed, name, product(sizes), isNormal);
        change(numbers);
        owned.tensors[name] = tensor::HostTensor::fromDoubles(drawing.dtype, sizes, numbers);
    };
    const auto keep = [](Numbers&) {};
    const auto unit = [&](Numbers& numbers) { normalise(numbers, shape.keys); };
    add("q", keyed, true, unit);
    add("k", keyed, true, unit);
    add("v", valued, true, keep);
    add("do", valued, true, keep);
    add("w", valued, false, keep);
    add("b", keyed, false, [&](Numbers& numbers) {
        for (double& b : numbers)
            b *= drawing.erase;
    });
    add("g", keyed, true, [&](Numbers& numbers) {
        const Numbers extra = draw(drawing.seed, "extra", product(keyed), false);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = -std::log1p(std::exp(numbers[i])) - drawing.decay * extra[i];
    });
    if (drawing.hasStates) {
        add("S0", state, true, keep);
        add("dST", state, true, keep);
    }
    return owned;
}

std::map<std::string, Numbers> byName(const gdn::ForwardResult& forward, const gdn::BackwardResult& backward)
{
    return {
        {"o", forward.o.toDoubles()},    {"ST", forward.finalState.toDoubles()}, {"dq", backward.dq.toDoubles()},
        {"dk", backward.dk.toDoubles()}, {"dv", backward.dv.toDoubles()},        {"db", backward.db.toDoubles()},
        {"dw", backward.dw.toDoubles()}, {"dg", backward.dg.toDoubles()},        {"dS0", backward.initialStateGrad.toDoubles()}};
}

double relativeError(const Numbers& reference, const Numbers& found)
{
    if (reference.size() != found.size())
        return std::nan("");
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        const double difference = std::fabs(found[i] - reference[i]);
        if (std::isnan(difference))
            return difference;
        largest = std::max(largest, std::fabs(reference[i]));
        error = std::max(error, difference);
    }
    return largest > 0 ? error / largest : error;
}

double rmsRatio(const Numbers& reference, const Numbers& found)
{
    if (reference.size() != found.size())
        return std::nan("");
    double squares = 0, errors = 0;
    for (std::size_t i = 0; i < reference.size(); ++i) {
        squares += reference[i] * reference[i];
        errors += (found[i] - reference[i]) * (found[i] - reference[i]);
    }
    return std::sqrt(errors / squares);
}

} // namespace assay::tests
