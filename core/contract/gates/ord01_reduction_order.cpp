// SPDX-License-Identifier: Apache-2.0
#include "core/contract/gates/gates.h"
#include "core/contract/gates/reduction.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace assay::contract::gates {

namespace {

constexpr std::string_view kId = "ORD-01";
constexpr int kDraws = 4;

} // namespace

/// Dropped or reweighted terms: sign-mixed draws against the probabilistic bound 4 sqrt(N) u s, which any summation order keeps
/// (Higham and Mary, "A new approach to probabilistic rounding error analysis", SISC 2019). A term of one-hot size missing from a
/// sum of N is some s / (4 N sqrt(N) u) bounds, so that power falls with N; it is printed.
GateResult reductionOrder(Session& session)
{
    GateRun run(session, Gate::Ord01);
    const ShapePtr shape = session.working();
    if (!isReduction(run, "order", shape))
        return run.finish("");
    const std::int64_t extent = session.largestExtent(shape);
    run.power(fmt::format("N = {}: one missing term of {} shows as {:.3g} times the bound.", extent, extent,
                          1 / (4 * static_cast<double>(extent) * std::sqrt(static_cast<double>(extent)) * 0x1p-24)));
    for (int draw = 0; draw < kDraws && run.mayGoOn("order"); ++draw) {
        const Recipe recipe{Regime::Normal, draw, -1, Layout::Contiguous, std::string(kId), "order"};
        checkValues(run, shape, recipe, session.make(shape, recipe), {.code = "order", .probabilistic = true});
    }
    for (const Regime regime : {Regime::OneHot, Regime::Alternating}) {
        if (!run.mayGoOn("order"))
            break;
        const Recipe recipe{regime, 0, -1, Layout::Contiguous, std::string(kId), "order"};
        checkValues(run, shape, recipe, session.make(shape, recipe), {.code = "order", .probabilistic = true});
    }
    return run.finish(fmt::format("Sums over up to {} terms stay within 4 sqrt(N) u s.", extent));
}

} // namespace assay::contract::gates
