// SPDX-License-Identifier: Apache-2.0
#include "core/contract/subnormal_stimuli.h"

#include "kernels/random/philox.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace assay::contract {

namespace {

constexpr double kLn2 = 0.693147180559945309;
constexpr std::string_view kCheck = "subnormal";
/// Inputs that get the pattern alone, where there are several.
constexpr int kSingleInputs = 3;

enum class Pattern { Cycle, OnlySubnormal, Sprinkled, NearSmallestNormal, Exponents, Products };

std::string_view name(Pattern pattern)
{
    switch (pattern) {
    case Pattern::Cycle:
        return "subnormal numbers";
    case Pattern::OnlySubnormal:
        return "nothing but subnormal numbers";
    case Pattern::Sprinkled:
        return "native draw, every third number subnormal";
    case Pattern::NearSmallestNormal:
        return "1 to 16 times the smallest normal number";
    case Pattern::Exponents:
        return "exponents of subnormal numbers";
    case Pattern::Products:
        return "factors of subnormal products";
    }
    return "";
}

/// Fills the free leaves of one stimulus.
class Writer {
public:
    Writer(const InputSpec& spec, const random::Stream& stream)
        : m_spec(spec)
        , m_range(subnormalRange(spec.dtype))
        , m_random(static_cast<std::size_t>(spec.count()))
    {
        stream.uniform(0, m_random);
    }

    HostTensor write(Pattern pattern, const HostTensor& native) const
    {
        std::vector<double> values = native.toDoubles();
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = element(pattern, i, values[i]);
        return HostTensor::fromDoubles(m_spec.dtype, m_spec.shape, values);
    }

private:
    double element(Pattern pattern, std::size_t i, double native) const
    {
        const double sign = m_random[i] < 0.5 ? -1 : 1;
        const double fraction = std::abs(2 * m_random[i] - 1);
        switch (pattern) {
        case Pattern::Cycle:
            return aroundSmallestNormal(i, 6);
        case Pattern::OnlySubnormal:
            return aroundSmallestNormal(i, 3);
        case Pattern::Sprinkled:
            return i % 3 == 1 ? aroundSmallestNormal(i / 3, 6) : native;
        case Pattern::NearSmallestNormal:
            return sign * m_range.smallestNormal * (1 + 15 * fraction);
        case Pattern::Exponents:
            return exponent(i, fraction);
        case Pattern::Products:
            return sign * rootOfSmallestNormal() * std::ldexp(0.5 + 0.5 * fraction, -static_cast<int>(i % 10));
        }
        return native;
    }

    /// @param kinds  3: subnormals alone; 6: the smallest normals and zero too
    double aroundSmallestNormal(std::size_t i, std::size_t kinds) const
    {
        const int bits = tensor::mantissaBits(m_spec.dtype);
        const std::array values = {m_range.quantum,
                                   std::ldexp(m_range.smallestNormal, -std::max(1, bits - 9)),
                                   m_range.smallestNormal - m_range.quantum,
                                   m_range.smallestNormal,
                                   m_range.smallestNormal + m_range.quantum,
                                   0.0};
        return (i / kinds % 2 == 0 ? 1 : -1) * values[i % kinds];
    }

    /// The first of every row is 0, so that a softmax has something to be small beside.
    double exponent(std::size_t i, double fraction) const
    {
        const auto row = static_cast<std::size_t>(m_spec.shape.empty() ? 1 : std::max<std::int64_t>(m_spec.shape.back(), 1));
        if (row > 1 && i % row == 0)
            return 0;
        return random::portableLog(m_range.smallestNormal) - fraction * (tensor::mantissaBits(m_spec.dtype) - 6) * kLn2;
    }

    double rootOfSmallestNormal() const { return std::ldexp(1, std::ilogb(m_range.smallestNormal) / 2); }

    const InputSpec& m_spec;
    SubnormalRange m_range;
    std::vector<double> m_random;
};

/// @param only  the one leaf that gets the pattern, or -1 for all of them
SubnormalStimulus makeStimulus(Session& session, const ShapePtr& shape, Pattern pattern, int only)
{
    const Recipe recipe{Regime::Native, 0, only, Layout::Contiguous, "EXC-02", std::string(kCheck)};
    const StimulusPtr base = session.make(shape, recipe);
    std::vector<HostTensor> leaves = base->leaves;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        const InputSpec& spec = shape->inputs[i];
        if (!spec.isFree() || (only >= 0 && only != static_cast<int>(i)))
            continue;
        const random::Stream stream(
            {session.stimuli().runSeed(), session.stimuli().kernel(), "EXC-02", kCheck, static_cast<std::uint32_t>(i)});
        leaves[i] = Writer(spec, stream).write(pattern, leaves[i]);
    }
    std::string label(name(pattern));
    if (only >= 0)
        label += fmt::format(" in input {}", only);
    SubnormalStimulus made;
    made.stimulus = session.stimuli().wrap(std::move(leaves), label);
    made.flushed = withoutSubnormals(session, shape, made.stimulus);
    made.record = session.record(shape, recipe, *made.stimulus);
    made.record.recipe = fmt::format(R"({{"base":{},"pattern":"{}"}})", made.record.recipe, name(pattern));
    return made;
}

} // namespace

StimulusPtr withoutSubnormals(Session& session, const ShapePtr& shape, const StimulusPtr& stimulus)
{
    std::vector<HostTensor> leaves = stimulus->leaves;
    bool any = false;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        if (!shape->inputs[i].isFree())
            continue;
        const double smallest = subnormalRange(leaves[i].dtype()).smallestNormal;
        std::vector<double> values = leaves[i].toDoubles();
        bool changed = false;
        for (double& value : values) {
            if (value == 0 || !(std::abs(value) < smallest))
                continue;
            value = std::copysign(0.0, value);
            changed = true;
        }
        if (!changed)
            continue;
        any = true;
        leaves[i] = HostTensor::fromDoubles(leaves[i].dtype(), leaves[i].shape(), values);
    }
    return any ? session.stimuli().wrap(std::move(leaves), stimulus->label + ", subnormals read as zero") : stimulus;
}

SubnormalRange subnormalRange(tensor::DType dtype)
{
    const double smallest = tensor::smallestNormal(dtype);
    return {smallest, std::ldexp(smallest, -tensor::mantissaBits(dtype))};
}

std::vector<SubnormalStimulus> subnormalStimuli(Session& session, const ShapePtr& shape)
{
    std::vector<int> free;
    for (std::size_t i = 0; i < shape->inputs.size(); ++i) {
        if (shape->inputs[i].isFree() && shape->inputs[i].count() > 0)
            free.push_back(static_cast<int>(i));
    }
    std::vector<SubnormalStimulus> stimuli;
    if (free.empty())
        return stimuli;
    for (const Pattern pattern : {Pattern::Cycle, Pattern::OnlySubnormal, Pattern::NearSmallestNormal, Pattern::Exponents,
                                  Pattern::Sprinkled, Pattern::Products})
        stimuli.push_back(makeStimulus(session, shape, pattern, -1));
    for (int k = 0; k < std::min(static_cast<int>(free.size()), kSingleInputs) && free.size() > 1; ++k) {
        for (const Pattern pattern : {Pattern::Cycle, Pattern::NearSmallestNormal})
            stimuli.push_back(makeStimulus(session, shape, pattern, free[static_cast<std::size_t>(k)]));
    }
    return stimuli;
}

} // namespace assay::contract
