// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/family.h"
#include "kernels/gdn/problem.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace assay::gdn {

/// A family's inputs and what every family takes besides.
struct FamilyCall {
    Family family = Family::Gdn2;
    std::map<std::string, TensorView, std::less<>> inputs; ///< by the names of inputsOf()
    double scale = 1;
    std::optional<TensorView> initialState, outputGrad, finalGrad; ///< as in Problem
    std::vector<std::int32_t> sequenceStart;
};

struct NamedTensor {
    std::string name;
    tensor::HostTensor tensor;
};

/// A family's call as a problem of the operator, and the way back. Gates that are the same for all channels are views that repeat
/// one element, so nothing is copied for them.
class FamilyProblem {
public:
    /// @throws std::invalid_argument  one line that names the input and what was expected of it
    explicit FamilyProblem(FamilyCall call);

    /// For any form of the operator; valid while this object and the inputs live.
    const Problem& problem() const { return m_problem; }

    /// What the family puts out, from what the operator does: Mamba-3 takes away what a token's successor has yet to write.
    ForwardResult output(const ForwardResult& result) const;

    /// Gradients of the family's inputs in their order, from the operator's. Those of gates are sums over channels, in fp64.
    std::vector<NamedTensor> gradients(const BackwardResult& result) const;

private:
    const TensorView& input(std::string_view name) const { return m_call.inputs.find(name)->second; }
    std::vector<double> tokens(std::string_view name) const;
    TensorView own(const std::vector<double>& perToken, std::int64_t channels);
    void requireInputs() const;
    void mapGates();
    void mapSteps();
    NamedTensor perToken(std::string_view name, const std::vector<double>& values) const;
    void addMamba2Gradients(const BackwardResult& result, std::vector<NamedTensor>& gradients) const;
    void addMamba3Gradients(const BackwardResult& result, std::vector<NamedTensor>& gradients) const;

    FamilyCall m_call;
    Shape m_shape;
    Problem m_problem;
    std::vector<tensor::HostTensor> m_own;
    std::vector<double> m_next; ///< Mamba-3, per token: the successor's share of its step, 0 where a sequence ends
};

/// Their names in one line: "q k v beta g".
std::string expectedInputs(Family family);

} // namespace assay::gdn
