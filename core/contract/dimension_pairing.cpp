// SPDX-License-Identifier: Apache-2.0
#include "core/contract/dimension_pairing.h"

#include "core/contract/same_bits.h"
#include "core/contract/script_builder.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace assay::contract {

namespace {

/// fp64 evaluations that only differ in the order of their terms agree to this many units of the largest value.
constexpr double kOrderSlack = 4096 * 0x1p-53;

bool agree(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    for (const double value : a) {
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool same
            = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) || std::abs(a[i] - b[i]) <= kOrderSlack * largest;
        if (!same)
            return false;
    }
    return true;
}

Asked<CallRecord> exactWith(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus, const ModuleState& changed)
{
    ScriptBuilder script(session, shape, "r64");
    script.input("a", stimulus);
    if (!changed.empty())
        script.state(changed, false);
    script.call("a");
    auto results = session.runReference(script.script());
    if (!results)
        return results.failure();
    if (results->back().failure)
        return *results->back().failure;
    return std::move(results->back().calls.front());
}

/// @p after equals @p before, or every output equals @p before with one dimension permuted alike.
bool invariantOrEquivariant(const CallRecord& before, const CallRecord& after, const std::vector<std::int64_t>& permutation)
{
    if (before.outputs.size() != after.outputs.size())
        return false;
    for (std::size_t i = 0; i < before.outputs.size(); ++i) {
        const HostTensor& a = before.outputs[i].value;
        const std::vector<double> b = after.outputs[i].value.toDoubles();
        if (a.shape() != after.outputs[i].value.shape())
            return false;
        bool fits = agree(a.toDoubles(), b);
        for (std::size_t d = 0; d < a.shape().size() && !fits; ++d) {
            fits = a.shape()[d] == static_cast<std::int64_t>(permutation.size())
                && agree(permuted(a, static_cast<int>(d), permutation).toDoubles(), b);
        }
        if (!fits)
            return false;
    }
    return true;
}

} // namespace

std::vector<std::int64_t> movingPermutation(std::int64_t size, std::uint64_t seed)
{
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> keys(order.size());
    random::Stream({seed, "", "", "permutation", 0}).uniform(0, keys);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
    if (size > 1 && std::ranges::is_sorted(order))
        std::swap(order[0], order[1]);
    return order;
}

HostTensor permuted(const HostTensor& value, int dimension, const std::vector<std::int64_t>& permutation)
{
    const HostTensor rows = value.contiguous();
    const std::vector<std::int64_t>& shape = rows.shape();
    std::int64_t inner = tensor::sizeOf(rows.dtype());
    for (std::size_t i = static_cast<std::size_t>(dimension) + 1; i < shape.size(); ++i)
        inner *= shape[i];
    const std::int64_t size = shape[static_cast<std::size_t>(dimension)];
    HostTensor result(rows.dtype(), shape);
    const auto from = rows.bytes();
    const auto to = result.bytes();
    for (std::int64_t outer = 0; outer < static_cast<std::int64_t>(from.size()) / std::max<std::int64_t>(1, inner * size);
         ++outer) {
        for (std::int64_t i = 0; i < size; ++i)
            std::memcpy(to.data() + (outer * size + i) * inner,
                        from.data() + (outer * size + permutation[static_cast<std::size_t>(i)]) * inner,
                        static_cast<std::size_t>(inner));
    }
    return result;
}

bool readsLastSlices(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus)
{
    ScriptBuilder script(session, shape, "r64");
    script.input("a", stimulus);
    const std::size_t before = script.call("a");
    std::vector<std::size_t> after;
    for (std::size_t i = 0; i < shape->inputs.size(); ++i) {
        const InputSpec& spec = shape->inputs[i];
        for (std::size_t d = 0; spec.isFree() && d < spec.shape.size(); ++d) {
            std::vector<double> values = stimulus->leaves[i].toDoubles();
            std::int64_t inner = 1;
            for (std::size_t k = d + 1; k < spec.shape.size(); ++k)
                inner *= spec.shape[k];
            for (std::size_t at = 0; at < values.size(); ++at) {
                if (static_cast<std::int64_t>(at) / inner % spec.shape[d] == spec.shape[d] - 1)
                    values[at] += 1;
            }
            script.input("a",
                         session.stimuli().replaced(stimulus, static_cast<int>(i),
                                                    HostTensor::fromDoubles(spec.dtype, spec.shape, values), "last slice"));
            after.push_back(script.call("a"));
        }
    }
    const auto results = session.runReference(script.script());
    if (!results || callOf(*results, before) == nullptr)
        return false;
    return std::ranges::all_of(after, [&](std::size_t index) {
        const CallRecord* call = callOf(*results, index);
        return call != nullptr && differenceInBits(*callOf(*results, before), *call);
    });
}

Pairing findPairing(Session& session, const ShapePtr& shape, InputDimension dimension)
{
    const auto input = static_cast<std::size_t>(dimension.input);
    const std::int64_t size = shape->inputs[input].shape[static_cast<std::size_t>(dimension.dimension)];
    if (size < 2)
        return {};
    const StimulusPtr base = session.make(shape, {Regime::Normal, 0, -1, Layout::Contiguous, "CMP-03", "pairing"});
    const auto before = exactWith(session, shape, base, {});
    if (!before)
        return {};
    const std::vector<std::int64_t> order = movingPermutation(size, session.stimuli().runSeed());
    const HostTensor moved = permuted(base->leaves[input], dimension.dimension, order);
    const auto test = [&](const StimulusPtr& stimulus, const ModuleState& state) {
        const auto after = exactWith(session, shape, stimulus, state);
        return after && invariantOrEquivariant(*before, *after, order);
    };
    const StimulusPtr alone = session.stimuli().replaced(base, dimension.input, moved, "permuted");
    for (const StateEntry& entry : session.state(shape)) {
        for (std::size_t d = 0; d < entry.value.shape().size(); ++d) {
            if (entry.value.shape()[d] != size || !tensor::isFloating(entry.value.dtype()))
                continue;
            StateEntry changed = entry;
            changed.value = permuted(entry.value, static_cast<int>(d), order);
            if (test(alone, {changed}))
                return {true, fmt::format("dimension {} of parameter {}", d, entry.name)};
        }
    }
    for (std::size_t other = 0; other < shape->inputs.size(); ++other) {
        for (std::size_t d = 0; d < shape->inputs[other].shape.size(); ++d) {
            if (other == input || shape->inputs[other].shape[d] != size)
                continue;
            if (test(session.stimuli().replaced(alone, static_cast<int>(other),
                                                permuted(base->leaves[other], static_cast<int>(d), order), "permuted"),
                     {}))
                return {true, fmt::format("dimension {} of input {}", d, other)};
        }
    }
    return {};
}

} // namespace assay::contract
