// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/gdn/random_problem.h"

#include <cmath>

namespace assay::tests {

namespace {

using Numbers = std::vector<double>;

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
    const gdn::DrawnCall drawn = gdn::drawCall(gdn::Family::Gdn2, shape, drawing);
    return {drawn.tensors, drawn.scale, drawn.starts};
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
