// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/gates/single_element.h"

#include <array>
#include <fmt/format.h>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "CMP-01";

/// Strongest first: a budget that runs out cuts the tail.
constexpr std::array kRegimes = {
    Regime::Native,      Regime::Normal,   Regime::Shifted,  Regime::Ties,         Regime::ZeroRows,
    Regime::LastSpike,   Regime::Negative, Regime::Outliers, Regime::ConstantRows, Regime::Lognormal,
    Regime::Magnitudes,  Regime::OneHot,   Regime::Wide,     Regime::Small,        Regime::Uniform,
    Regime::Alternating, Regime::Impulse,  Regime::Ramp,     Regime::Zeros,        Regime::Ones,
};
constexpr int kNormalDraws = 4;

constexpr std::array kLayouts = {Layout::Transposed, Layout::Sliced, Layout::Offset, Layout::Expanded};

int freeInputs(const Shape& shape)
{
    int count = 0;
    for (const InputSpec& spec : shape.inputs)
        count += spec.isFree();
    return count;
}

} // namespace

/// Values under input variation: |c - r64| <= B with rho, exact integers, no NaN or Inf minted on clean inputs; then views of
/// other strides; then single elements, each of which must move the output as R64 says; last the task's own size.
GateResult inputVariation(Session& session)
{
    GateRun run(session, Gate::Cmp01);
    const ShapePtr shape = session.working();
    for (const Regime regime : kRegimes) {
        const int draws = regime == Regime::Normal ? kNormalDraws : 1;
        for (int draw = 0; draw < draws && run.mayGoOn("value"); ++draw) {
            const Recipe recipe{regime, draw, -1, Layout::Contiguous, std::string(kId), "value"};
            checkValues(run, shape, recipe, session.make(shape, recipe));
            if (regime == Regime::Native)
                checkSingleElements(run, shape);
        }
        if (run.hasHardFailure())
            break;
    }
    // One extreme input beside ordinary ones: regimes that cancel out when all inputs share them.
    if (freeInputs(*shape) > 1) {
        for (std::size_t input = 0; input < shape->inputs.size(); ++input) {
            for (const Regime regime : {Regime::Outliers, Regime::Zeros}) {
                if (!shape->inputs[input].isFree() || run.hasHardFailure() || !run.mayGoOn("value"))
                    continue;
                const Recipe recipe{regime, 0, static_cast<int>(input), Layout::Contiguous, std::string(kId), "value"};
                checkValues(run, shape, recipe, session.make(shape, recipe));
            }
        }
    }
    for (const Layout layout : kLayouts) {
        if (shape->inputs.empty() || !run.mayGoOn("layout"))
            break;
        const Recipe recipe{Regime::Normal, 0, -1, layout, std::string(kId), "layout"};
        checkValues(run, shape, recipe, session.make(shape, recipe), {.code = "layout"});
    }
    if (session.native() != shape && run.fits("native_shape", session.native()) && run.mayGoOn("native_shape")) {
        const Recipe recipe{Regime::Native, 0, -1, Layout::Contiguous, std::string(kId), "native_shape"};
        checkValues(run, session.native(), recipe, session.make(session.native(), recipe), {.code = "native_shape"});
    }
    if (!session.rebound().empty())
        run.other("own_sizes", Verdict::NotExercised, "memory", session.rebound());
    return run.finish("Values agree with the fp64 truth within the rounding bound under every regime and layout.");
}

} // namespace assay::contract::gates
