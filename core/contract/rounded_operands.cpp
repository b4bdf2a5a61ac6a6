// SPDX-License-Identifier: Apache-2.0
#include "core/contract/rounded_operands.h"

#include "core/contract/trials.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::contract {

namespace {

using tensor::DType;

struct Narrow {
    const char* name;
    int bits;   ///< of the significand behind the leading one
    DType type; ///< whose range holds; Float32 where it is fp32's own
};
constexpr std::array kNarrow = {Narrow{"tf32 operands", 10, DType::Float32}, Narrow{"float16 operands", 10, DType::Float16},
                                Narrow{"bfloat16 operands", 7, DType::BFloat16}};

double nearest(double value, int bits)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const int exponent = std::ilogb(value);
    return std::ldexp(std::nearbyint(std::ldexp(value, bits - exponent)), exponent - bits);
}

HostTensor rounded(const HostTensor& value, const Narrow& narrow)
{
    std::vector<double> values = value.toDoubles();
    if (narrow.type == DType::Float32)
        std::ranges::transform(values, values.begin(), [&](double v) { return nearest(v, narrow.bits); });
    else
        values = HostTensor::fromDoubles(narrow.type, value.shape(), values).toDoubles();
    return HostTensor::fromDoubles(value.dtype(), value.shape(), values);
}

Trial roundedTrial(Session& session, const ShapePtr& shape, const StimulusPtr& exact, const Narrow& narrow)
{
    Trial trial{exact, session.state(shape)};
    for (std::size_t i = 0; i < shape->inputs.size(); ++i) {
        if (shape->inputs[i].isFloating)
            trial.stimulus
                = session.stimuli().replaced(trial.stimulus, static_cast<int>(i), rounded(exact->leaves[i], narrow), narrow.name);
    }
    for (StateEntry& entry : trial.state) {
        if (tensor::isFloating(entry.value.dtype()))
            entry.value = rounded(entry.value, narrow);
    }
    return trial;
}

} // namespace

void measureRoundedOperands(Session& session, ExcessProbe& probe)
{
    const ShapePtr shape = session.working();
    if (shape->dtype() != DType::Float32 || session.allowsTf32())
        return;
    for (const Regime regime : {Regime::Native, Regime::Normal}) {
        const StimulusPtr exact = session.make(shape, {regime, 0, -1, Layout::Contiguous, "calibration", "operands"});
        const auto truth = session.truth(shape, exact);
        if (!truth)
            continue;
        for (const Narrow& narrow : kNarrow) {
            const std::array trials = {roundedTrial(session, shape, exact, narrow)};
            const auto answers = askReferenceAll(session, shape, trials, "r32");
            if (answers.empty() || !answers.front())
                continue;
            for (const Gate gate : {Gate::Cmp01, Gate::Ord01, Gate::Prc02}) {
                probe.enter(gate);
                for (const OutputFinding& finding :
                     session.compare(shape, *exact, **truth, *answers.front(), gate == Gate::Ord01)) {
                    if (finding.value)
                        probe.add(DType::Float32, ExcessKind::Perturbed, narrow.name, std::ldexp(1.0, -narrow.bits - 1),
                                  *finding.value);
                }
            }
        }
    }
}

} // namespace assay::contract
