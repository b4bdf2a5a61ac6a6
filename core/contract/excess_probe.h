// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/gate.h"
#include "core/contract/value_judge.h"
#include "kernels/tensor/measured.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace assay::contract {

/// What is known of an answer before it is judged.
enum class ExcessKind {
    Conforming, ///< an evaluation that a right implementation may as well give, or a candidate known to be right
    Perturbed,  ///< wrong by a known amount
};

/// "conforming", "perturbed"
std::string_view name(ExcessKind kind);

/// The worst excess over the checks of one gate, for answers of one origin. 1 is the limit of the uncalibrated rules.
struct ExcessSample {
    Gate gate = Gate::Cmp01;
    tensor::DType dtype = tensor::DType::Float32; ///< of the inputs
    ExcessKind kind = ExcessKind::Conforming;
    std::string source;     ///< evaluation ("shipped", "conforming 1", "candidate") or perturbation ("multiplicative", ...)
    double scale = 0;       ///< of the perturbation, relative; 0 where there is none
    tensor::Measured value; ///< NaN where an answer was not finite although the truth is
    int checks = 0;         ///< that this is the worst of
};

/// Measures, while a candidate is judged, how far answers that are known to be right and answers that are known to be wrong by
/// how much lie beyond the rules: what thresholds are calibrated from. Nothing runs for it, as evaluations of the reference
/// are there already; an evaluation is held against the noise of the others.
///
/// Perturbations, each of the reference as shipped and rounded to the output's dtype, at 24 scales from 1e-8 to 1e-1:
/// multiplicative r (1 + scale U(-1,1)); additive r + scale rms(r) U(-1,1); spike, one element off by scale max|r|; and
/// truncation to 1 to 22 bits behind the leading one. Source: gates.md section 7.
class ExcessProbe {
public:
    ExcessProbe(std::uint64_t seed, std::string kernel);

    /// The gate whose checks come next.
    void enter(Gate gate);

    /// One floating leaf of an answer, and what was found of it under these rules.
    void look(tensor::DType dtype, const LeafTruth& truth, const ValueFinding& answered, const ValueRules& rules);

    /// Values that the reference gave with its operands rounded, for example; counts as @p kind under every calibrated gate.
    void add(tensor::DType dtype, ExcessKind kind, std::string source, double scale, const ValueFinding& found);

    std::vector<ExcessSample> samples() const;

    /// CMP-01, ORD-01, PRC-01 and PRC-02: the gates whose limit is a matter of degree.
    static bool isCalibrated(Gate gate);

private:
    using Key = std::tuple<Gate, tensor::DType, ExcessKind, std::string, double>;

    void note(Gate gate, tensor::DType dtype, ExcessKind kind, std::string source, double scale, const ValueFinding& found);
    void perturb(tensor::DType dtype, const tensor::HostTensor& shipped, const ValueMeter& meter);

    std::uint64_t m_seed;
    std::string m_kernel;
    Gate m_gate = Gate::Cmp01;
    std::map<std::pair<Gate, tensor::DType>, int> m_looked; ///< checks whose evaluations and perturbations were measured
    std::map<Key, ExcessSample> m_samples;
};

} // namespace assay::contract
