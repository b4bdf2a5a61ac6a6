// SPDX-License-Identifier: Apache-2.0
#include "core/contract/session.h"
#include "core/contract/session_parts.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

/// The part of a session that chooses sizes, constructs both sides at them and sets their state.
namespace assay::contract {

namespace {

using tensor::DType;

/// A task whose own call holds more is judged at smaller sizes: KernelBench's inputs are gigabytes (gates.md section 10).
constexpr std::int64_t kOwnElements = std::int64_t{1} << 20;
/// Sizes of parameters change only where a call would hold more than this otherwise: kernels may be built for one model.
constexpr std::int64_t kModelElements = std::int64_t{1} << 25;
/// Values are judged at sizes with this much at most, and with reductions over at most kWorkingExtent elements.
constexpr SizePlanner::Limit kWorking{std::int64_t{1} << 17, std::int64_t{1} << 18};
constexpr std::int64_t kWorkingExtent = std::int64_t{1} << 14;

std::string key(const SizeChoice& sizes, DType castTo)
{
    std::string text(tensor::name(castTo));
    for (const auto& [slot, value] : sizes.slots)
        text += fmt::format(",{}={}", slot, value);
    for (const auto& [use, value] : sizes.singleUses)
        text += fmt::format(",{}.{}={}", use.first, use.second, value);
    return text;
}

/// Values that differ from the native ones in every element yet keep their kind: gains stay near one, variances positive.
HostTensor redrawn(const StateEntry& entry, const random::Stream& stream)
{
    std::vector<double> values = entry.value.toDoubles();
    if (values.empty())
        return entry.value;
    const bool constant = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
    std::vector<double> random(values.size());
    if (constant) {
        stream.uniform(0, random);
        const double width = 0.25 * std::max(std::abs(values.front()), 1.0);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] += width * (2 * random[i] - 1);
    } else {
        const double rms = rootMeanSquare(values);
        stream.normal(0, random);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = rms * random[i];
    }
    return HostTensor::fromDoubles(entry.value.dtype(), entry.value.shape(), values);
}

bool isStatistic(const std::string& name)
{
    return name.ends_with("running_mean") || name.ends_with("running_var");
}

HostTensor rounded(const HostTensor& value, DType dtype)
{
    return HostTensor::fromDoubles(value.dtype(), value.shape(),
                                   HostTensor::fromDoubles(dtype, value.shape(), value.toDoubles()).toDoubles());
}

} // namespace

std::int64_t Shape::inputElements() const
{
    return std::accumulate(inputs.begin(), inputs.end(), std::int64_t{0},
                           [](std::int64_t sum, const InputSpec& spec) { return sum + spec.count(); });
}

std::int64_t Shape::elements() const
{
    return std::accumulate(reference.state.begin(), reference.state.end(), inputElements(),
                           [](std::int64_t sum, const StateEntry& entry) { return sum + entry.value.count(); });
}

/// Where a call with the task's own sizes is too large, makes smaller ones its own.
/// @param mayChangeModel  from the first step on, not only where nothing else helps
/// @return whether that was so and the reference answers at the smaller sizes
bool Session::rebind(const Footprint& own, SizePlanner::First first, bool mayChangeModel)
{
    forgetRebinding();
    if (isWithin(own, {kOwnElements, kOwnElements}))
        return false;
    SizePlanner planner(m_reference, m_ownSlots, m_options.seed);
    SizeChoice chosen = planner.within({}, {kOwnElements, kOwnElements}, first, mayChangeModel);
    const auto near = m_reference.footprint(chosen, m_options.seed);
    if (!near || !isWithin(*near, {kModelElements, kModelElements}))
        chosen = planner.within(chosen, {kOwnElements, kOwnElements}, first, true);
    if (answersAt(own, chosen))
        return true;
    return std::ranges::any_of(planner.withLessChanged(chosen, {kModelElements, kModelElements}),
                               [&](const SizeChoice& nearer) { return answersAt(own, nearer); });
}

/// Makes the sizes of @p chosen the task's own.
/// @return false where they are, or the reference does not answer at them
bool Session::answersAt(const Footprint& own, const SizeChoice& chosen)
{
    forgetRebinding();
    std::vector<std::string> changes;
    for (SizeSlot& slot : m_slots) {
        const auto at = chosen.slots.find(slot.id);
        const std::int64_t size = at == chosen.slots.end() ? slot.native : at->second;
        if (size == slot.native)
            continue;
        changes.push_back(fmt::format("{} from {} to {}", slot.describes, slot.native, size));
        m_reboundModel = m_reboundModel || slot.inParameters;
        slot.native = size;
    }
    if (changes.empty())
        return false;
    m_reboundSizes = chosen;
    m_rebound = fmt::format("The task's own call holds {:.3g} elements: it is judged with {}.", static_cast<double>(own.held()),
                            fmt::join(changes, ", "));
    const ShapePtr made = shape({});
    if (made->referenceFailure)
        return isLackOfMemory(*made->referenceFailure);
    const auto answer = askReference(made, make(made, {Regime::Native, 0, -1, Layout::Contiguous, "open", "native"}));
    return answer || isLackOfMemory(answer.failure());
}

void Session::forgetRebinding()
{
    m_slots = m_ownSlots;
    m_reboundSizes = {};
    m_rebound.clear();
    m_reboundModel = false;
}

/// What a candidate refuses at sizes that are not the task's own is no failure on the task's inputs: a reference that takes them
/// makes it a matter of shapes, and a model of another size is one that a kernel need not be built for.
Session::Stop Session::refusesRebound(const Stop& stop) const
{
    if (m_rebound.empty())
        return stop;
    Stop told = stop;
    told.reason += ". " + m_rebound;
    if (stop.verdict == Verdict::Error)
        return told;
    if (m_reboundModel)
        told.verdict = Verdict::Error;
    else if (stop.verdict == Verdict::Fail && !stop.leftDevice) {
        told.gate = Gate::Cmp03;
        told.severity = Severity::Soft;
    }
    return told;
}

SizeChoice Session::completed(SizeChoice sizes) const
{
    for (const auto& [slot, size] : m_reboundSizes.slots)
        sizes.slots.try_emplace(slot, size);
    return sizes;
}

ShapePtr Session::shape(const SizeChoice& asked, DType castTo)
{
    const SizeChoice sizes = completed(asked);
    const std::string name = key(sizes, castTo);
    if (const auto it = m_shapes.find(name); it != m_shapes.end())
        return it->second;
    checkCancelled();
    auto made = std::make_shared<Shape>();
    made->sizes = sizes;
    made->castTo = castTo;
    const int instance = m_nextInstance++;
    auto reference = m_reference.build(instance, sizes, m_options.seed);
    if (!reference) {
        made->referenceFailure = reference.failure();
        if (made->referenceFailure->isGone())
            m_reference.restart();
        return m_shapes[name] = made;
    }
    made->reference = *reference;
    made->reference.id = instance;
    if (std::string outside = outsideOf(m_contract.sizes, made->reference.inputLeaves); !outside.empty()) {
        made->referenceFailure = PartyFailure{PartyFailure::Kind::Raised, "", std::move(outside), "", "build"};
        return m_shapes[name] = made;
    }
    made->inputs = describe(made->reference.inputLeaves);
    for (const InputDomain& domain : m_contract.domains) {
        if (domain.input >= 0 && static_cast<std::size_t>(domain.input) < made->inputs.size())
            made->inputs[static_cast<std::size_t>(domain.input)].domain = domain;
    }
    for (InputSpec& spec : made->inputs) {
        if (made->isCast() && spec.isFloating)
            spec.dtype = castTo;
    }
    const double since = now();
    auto candidate = m_candidate.build(instance, made->reference, m_options.seed);
    addCandidateTime(since);
    if (!candidate) {
        made->candidateFailure = candidate.failure();
        if (made->candidateFailure->isGone())
            m_candidate.restart();
        return m_shapes[name] = made;
    }
    made->alignment = align(made->reference.state, *candidate);
    m_shapes[name] = made;
    if (m_ignoresState || !made->alignment.isComplete()) {
        ModuleState values = made->reference.state;
        if (made->isCast()) {
            for (StateEntry& entry : values) {
                if (tensor::isFloating(entry.value.dtype()))
                    entry.value = rounded(entry.value, castTo);
            }
        }
        setState(made, values);
    } else {
        redrawState(made);
    }
    return made;
}

void Session::redrawState(const ShapePtr& shape)
{
    ModuleState values = shape->reference.state;
    std::uint32_t index = 0;
    for (StateEntry& entry : values) {
        const random::Stream stream({m_options.seed, m_options.kernelIdentity, "state", entry.name, index++});
        if (!tensor::isFloating(entry.value.dtype()))
            continue;
        if (entry.isParameter || isStatistic(entry.name))
            entry.value = redrawn(entry, stream);
        if (shape->isCast())
            entry.value = rounded(entry.value, shape->castTo);
    }
    setState(shape, values);
}

const ModuleState& Session::state(const ShapePtr& shape) const
{
    return m_states.at(shape->id());
}

bool Session::setState(const ShapePtr& shape, const ModuleState& values)
{
    m_truths.clear();
    m_states[shape->id()] = values;
    if (values.empty())
        return true;
    const ModuleState mine = stateForCandidate(shape->alignment, values);
    return !m_reference.setState(shape->id(), values) && (mine.empty() || !m_candidate.setState(shape->id(), mine));
}

/// Whether the candidate is right on the task's own draw at @p shape, with the state that is set.
bool Session::isRightAt(const ShapePtr& shape)
{
    const StimulusPtr own = make(shape, {Regime::Native, 0, -1, Layout::Contiguous, "open", "state"});
    const auto known = truth(shape, own);
    const auto answer = askCandidate(shape, own);
    if (!known || !answer)
        return false;
    return std::ranges::all_of(compare(shape, *own, **known, *answer), [](const OutputFinding& finding) {
        return finding.mismatch.empty() && (!finding.value || finding.value->beyondBound == 0)
            && (!finding.exact || finding.exact->different == 0);
    });
}

/// Chooses the sizes at which values and order are judged: small ones, except for a candidate that is right at the task's own
/// alone. That is a matter of shapes (CMP-03), and no other gate's.
/// @param isNearAtOwn  its answer at the task's own sizes could be right
void Session::settleWorking(bool isNearAtOwn)
{
    m_working = chooseWorking();
    if (m_working == m_native || !isNearAtOwn || isRightAt(m_working) || !fitsMemory(m_native) || !isRightAt(m_native))
        return;
    flag(Gate::Cmp03, "one_size",
         "The candidate is right at the task's own sizes and not at smaller ones: all gates but CMP-03 judge it at its own.");
    const ShapePtr smaller = std::exchange(m_working, m_native);
    const bool isSameModel = std::ranges::all_of(m_slots, [&](const SizeSlot& slot) {
        const auto at = smaller->sizes.slots.find(slot.id);
        return !slot.inParameters || at == smaller->sizes.slots.end() || at->second == slot.native;
    });
    if (isSameModel)
        m_wrongAt = smaller;
}

void Session::checkIgnoredState()
{
    // The native state was never shown: a candidate that is right with it and wrong with another one snapshots its weights.
    if (m_working->reference.state.empty() || !m_working->alignment.isComplete())
        return;
    if (isRightAt(m_working))
        return;
    const ModuleState drawn = state(m_working);
    setState(m_working, m_working->reference.state);
    m_ignoresState = isRightAt(m_working);
    if (!m_ignoresState) {
        setState(m_working, drawn);
        return;
    }
    m_shapes.clear();
    m_shapes[key(m_working->sizes, m_working->castTo)] = m_working;
    setState(m_native, m_native->reference.state);
    m_shapes[key(m_native->sizes, m_native->castTo)] = m_native;
}

/// Sizes that a call's footprint allows, built once instead of at every halving on the way; the native ones where those do or
/// where nothing is known before building.
ShapePtr Session::plannedWorking()
{
    SizePlanner planner(m_reference, m_slots, m_options.seed);
    const SizeChoice chosen = planner.within(m_native->sizes, kWorking, SizePlanner::First::Largest, true);
    const bool changed = std::ranges::any_of(m_slots, [&](const SizeSlot& slot) {
        const auto it = chosen.slots.find(slot.id);
        return it != chosen.slots.end() && it->second != slot.native;
    });
    if (!changed)
        return m_native;
    const ShapePtr tried = shape(chosen);
    const bool works
        = tried->isReady() && askReference(tried, make(tried, {Regime::Native, 0, -1, Layout::Contiguous, "open", "working"}));
    return works ? tried : m_native;
}

ShapePtr Session::chooseWorking()
{
    ShapePtr best = plannedWorking();
    std::set<int> frozen;
    SizeChoice sizes = best->sizes;
    for (const SizeSlot& slot : m_slots)
        sizes.slots.try_emplace(slot.id, slot.native);
    // Halving keeps the divisibility that blocked code relies on; slots of parameters come last, because they change the model.
    for (int attempt = 0; attempt < 48 && (best->elements() > kWorking.given || largestExtent(best) > kWorkingExtent);
         ++attempt) {
        const SizeSlot* chosen = nullptr;
        for (const SizeSlot& slot : m_slots) {
            if (frozen.contains(slot.id) || sizes.slots[slot.id] < 16)
                continue;
            const auto rank = [&](const SizeSlot& s) { return std::pair(!s.inParameters, sizes.slots[s.id]); };
            if (chosen == nullptr || rank(slot) > rank(*chosen))
                chosen = &slot;
        }
        if (chosen == nullptr)
            break;
        SizeChoice smaller = sizes;
        smaller.slots[chosen->id] /= 2;
        const ShapePtr tried = shape(smaller);
        const bool works = tried->isReady()
            && askReference(tried, make(tried, {Regime::Native, 0, -1, Layout::Contiguous, "open", "working"}));
        if (works) {
            sizes = smaller;
            best = tried;
        } else {
            frozen.insert(chosen->id);
        }
    }
    return best;
}

} // namespace assay::contract
