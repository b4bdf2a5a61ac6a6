// SPDX-License-Identifier: Apache-2.0
#include "core/contract/injection.h"

#include "core/contract/class_confusion.h"
#include "core/contract/gate_run.h"
#include "kernels/random/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace assay::contract {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
/// Where tiles of 32 and 128 columns end and begin.
constexpr std::array<std::int64_t, 4> kTileEdges = {31, 32, 127, 128};
constexpr int kScattered = 8;

/// Writes injections into one tensor.
class Planner {
public:
    Planner(Injection target, const random::Stream& stream)
        : m_target(std::move(target))
        , m_count(1)
        , m_random(16)
    {
        for (const std::int64_t size : m_target.shape)
            m_count *= size;
        m_row = m_target.shape.empty() ? 1 : std::max<std::int64_t>(m_target.shape.back(), 1);
        m_entry = m_target.shape.empty() || m_target.shape.front() == 0 ? 1 : m_count / m_target.shape.front();
        stream.uniform(0, m_random);
    }

    std::vector<Injection> forInput()
    {
        if (m_count == 0)
            return {};
        single(kNaN, any(0));
        scattered(kNaN);
        opposites();
        run(kNaN, row(1), m_row, "row");
        single(kInf, any(2));
        single(-kInf, any(3));
        single(kNaN, 0);
        single(kNaN, m_count - 1);
        tileEdges();
        run(-kInf, row(4), m_row, "row");
        single(kNaN, m_count / 2);
        run(-kInf, (any(5) / m_entry) * m_entry, m_entry, "entry");
        single(kNaN, any(6));
        return std::move(m_planned);
    }

    std::vector<Injection> forNativeShape()
    {
        if (m_count == 0)
            return {};
        scattered(kNaN);
        single(kInf, m_count - 1);
        return std::move(m_planned);
    }

    std::vector<Injection> forParameter()
    {
        if (m_count == 0)
            return {};
        single(kNaN, any(0));
        single(kInf, m_count - 1);
        single(-kInf, 0);
        return std::move(m_planned);
    }

private:
    std::int64_t any(std::size_t draw) const { return static_cast<std::int64_t>(m_random[draw] * static_cast<double>(m_count)); }
    std::int64_t row(std::size_t draw) const { return any(draw) / m_row * m_row; }
    std::string target() const
    {
        return m_target.isParameter() ? fmt::format("parameter {}", m_target.parameter) : fmt::format("input {}", m_target.input);
    }

    void add(std::vector<Place> places, const std::string& what)
    {
        // Small tensors make different plans coincide.
        const auto same = [&places](const Injection& known) {
            return std::ranges::equal(known.places, places, [](const Place& a, const Place& b) {
                return a.position == b.position && classOf(a.value) == classOf(b.value);
            });
        };
        if (places.empty() || std::ranges::any_of(m_planned, same))
            return;
        Injection injection = m_target;
        injection.places = std::move(places);
        injection.label = fmt::format("{} of {}", what, target());
        m_planned.push_back(std::move(injection));
    }

    void single(double value, std::int64_t position)
    {
        add({{position, value}}, fmt::format("{} at {}", name(classOf(value)), placeText(position, m_target.shape)));
    }

    /// One place in each of equal parts, so that no region of a large tensor stays clean.
    void scattered(double value)
    {
        std::set<std::int64_t> chosen;
        for (int part = 0; part < kScattered; ++part) {
            const double at = (part + m_random[static_cast<std::size_t>(8 + part)]) / kScattered;
            chosen.insert(std::min(static_cast<std::int64_t>(at * static_cast<double>(m_count)), m_count - 1));
        }
        std::vector<Place> places;
        for (const std::int64_t position : chosen)
            places.push_back({position, value});
        add(places, fmt::format("{} at {} scattered elements", name(classOf(value)), places.size()));
    }

    void run(double value, std::int64_t first, std::int64_t length, std::string_view what)
    {
        std::vector<Place> places;
        for (std::int64_t i = 0; i < length; ++i)
            places.push_back({first + i, value});
        add(std::move(places),
            fmt::format("{} in the whole {} from {} on", name(classOf(value)), what, placeText(first, m_target.shape)));
    }

    void opposites()
    {
        const std::int64_t first = row(7);
        if (m_row > 1)
            add({{first, kInf}, {first + m_row - 1, -kInf}},
                fmt::format("+Inf and -Inf in the row from {} on", placeText(first, m_target.shape)));
    }

    void tileEdges()
    {
        const std::int64_t rows = m_count / m_row;
        std::vector<Place> places;
        for (const std::int64_t edge : kTileEdges) {
            const std::int64_t position = edge < m_row ? static_cast<std::int64_t>(places.size()) % rows * m_row + edge : edge;
            if (position < m_count)
                places.push_back({position, kNaN});
        }
        std::ranges::sort(places, {}, &Place::position);
        add(places, fmt::format("NaN at the edges of tiles ({} elements)", places.size()));
    }

    Injection m_target;
    std::int64_t m_count;
    std::int64_t m_row = 1;
    std::int64_t m_entry = 1;
    std::vector<double> m_random;
    std::vector<Injection> m_planned;
};

/// First of every list, then second of every list, ...
std::vector<Injection> roundRobin(const std::vector<std::vector<Injection>>& lists, int budget)
{
    std::vector<Injection> all;
    for (std::size_t rank = 0; static_cast<int>(all.size()) < budget; ++rank) {
        const std::size_t before = all.size();
        for (const auto& list : lists) {
            if (rank < list.size() && static_cast<int>(all.size()) < budget)
                all.push_back(list[rank]);
        }
        const bool exhausted = std::ranges::all_of(lists, [rank](const auto& list) { return rank + 1 >= list.size(); });
        if (all.size() == before && exhausted)
            break;
    }
    return all;
}

random::Stream streamOf(Session& session, std::string_view check, std::uint32_t index)
{
    return random::Stream({session.stimuli().runSeed(), session.stimuli().kernel(), "EXC-01", check, index});
}

std::vector<Injection> intoInputs(Session& session, const Shape& shape, int budget, std::string_view check,
                                  std::vector<Injection> (Planner::*plan)())
{
    std::vector<std::vector<Injection>> lists;
    for (std::size_t i = 0; i < shape.inputs.size(); ++i) {
        const InputSpec& spec = shape.inputs[i];
        // The finite-only fp8 has no infinity to inject.
        if (!spec.isFree() || spec.dtype == tensor::DType::Float8E4M3)
            continue;
        Injection target;
        target.input = static_cast<int>(i);
        target.shape = spec.shape;
        lists.push_back((Planner(target, streamOf(session, check, static_cast<std::uint32_t>(i))).*plan)());
        // An infinity beyond a bound is nothing that the task is about.
        std::erase_if(lists.back(), [&spec](const Injection& injection) {
            return std::ranges::any_of(injection.places, [&](const Place& place) { return !spec.domain.holds(place.value); });
        });
    }
    return roundRobin(lists, budget);
}

HostTensor changed(const HostTensor& value, const Injection& injection, const std::optional<double>& with)
{
    std::vector<double> values = value.toDoubles();
    for (const Place& place : injection.places)
        values[static_cast<std::size_t>(place.position)] = with.value_or(place.value);
    return HostTensor::fromDoubles(value.dtype(), value.shape(), values);
}

Trial makeTrial(Session& session, const ShapePtr& shape, const StimulusPtr& base, const Injection& injection,
                const std::optional<double>& with)
{
    if (!injection.isParameter()) {
        const auto leaf = static_cast<std::size_t>(injection.input);
        return {session.stimuli().replaced(base, injection.input, changed(base->leaves[leaf], injection, with), injection.label),
                {}};
    }
    const ModuleState& state = session.state(shape);
    StateEntry entry = *std::ranges::find(state, injection.parameter, &StateEntry::name);
    entry.value = changed(entry.value, injection, with);
    return {session.stimuli().wrap(base->leaves, injection.label), {std::move(entry)}};
}

void assign(ModuleState& state, const ModuleState& values)
{
    for (const StateEntry& value : values) {
        const auto it = std::ranges::find(state, value.name, &StateEntry::name);
        if (it != state.end())
            it->value = value.value;
    }
}

/// Neighbouring places of one class share an entry: [[first, last, "NaN"], ...].
std::string placesText(const std::vector<Place>& places)
{
    std::string text;
    for (std::size_t i = 0; i < places.size();) {
        std::size_t last = i;
        while (last + 1 < places.size() && places[last + 1].position == places[last].position + 1
               && classOf(places[last + 1].value) == classOf(places[i].value))
            ++last;
        text += fmt::format("{}[{},{},\"{}\"]", text.empty() ? "" : ",", places[i].position, places[last].position,
                            name(classOf(places[i].value)));
        i = last + 1;
    }
    return text;
}

} // namespace

std::vector<std::int64_t> Injection::entries() const
{
    if (isParameter() || shape.empty())
        return {};
    std::int64_t perEntry = 1;
    for (std::size_t i = 1; i < shape.size(); ++i)
        perEntry *= shape[i];
    std::set<std::int64_t> found;
    for (const Place& place : places)
        found.insert(place.position / perEntry);
    return {found.begin(), found.end()};
}

std::vector<Injection> injectionsIntoInputs(Session& session, const Shape& shape, int budget)
{
    return intoInputs(session, shape, budget, "inject", &Planner::forInput);
}

std::vector<Injection> injectionsAtNativeShape(Session& session, const Shape& shape, int budget)
{
    return intoInputs(session, shape, budget, "native_shape", &Planner::forNativeShape);
}

std::vector<Injection> injectionsIntoParameters(Session& session, const Shape& shape, int budget)
{
    std::vector<std::vector<Injection>> lists;
    for (std::size_t i = 0; i < shape.reference.state.size(); ++i) {
        const StateEntry& entry = shape.reference.state[i];
        const bool shared = std::ranges::any_of(shape.alignment.pairs,
                                                [&entry](const StatePair& pair) { return pair.reference == entry.name; });
        if (!entry.isParameter || !shared || !tensor::isFloating(entry.value.dtype())
            || entry.value.dtype() == tensor::DType::Float8E4M3)
            continue;
        Injection target;
        target.parameter = entry.name;
        target.shape = entry.value.shape();
        lists.push_back(Planner(target, streamOf(session, "parameter", static_cast<std::uint32_t>(i))).forParameter());
    }
    return roundRobin(lists, budget);
}

Trial injected(Session& session, const ShapePtr& shape, const StimulusPtr& base, const Injection& injection)
{
    return makeTrial(session, shape, base, injection, std::nullopt);
}

Trial injectedWith(Session& session, const ShapePtr& shape, const StimulusPtr& base, const Injection& injection, double value)
{
    return makeTrial(session, shape, base, injection, value);
}

StimulusRecord recordOf(const Session& session, const ShapePtr& shape, const Recipe& recipe, const Injection& injection,
                        const Trial& trial)
{
    StimulusRecord record = session.record(shape, recipe, *trial.stimulus);
    if (!trial.state.empty()) {
        auto call = std::make_shared<CallSetup>(*record.call);
        assign(call->referenceState, trial.state);
        assign(call->candidateState, stateForCandidate(shape->alignment, trial.state));
        record.call = std::move(call);
    }
    record.recipe = fmt::format(R"({{"base":{},"input":{},"parameter":"{}","places":[{}]}})", record.recipe, injection.input,
                                injection.parameter, placesText(injection.places));
    return record;
}

} // namespace assay::contract
