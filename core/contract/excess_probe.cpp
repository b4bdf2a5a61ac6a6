// SPDX-License-Identifier: Apache-2.0
#include "core/contract/excess_probe.h"

#include "kernels/random/philox.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace assay::contract {

namespace {

using tensor::DType;

/// Checks of a gate whose evaluations and perturbations are measured: the first ones, which are its strongest.
constexpr int kLooks = 6;
constexpr int kScales = 24;
constexpr double kSmallestScale = 1e-8;
constexpr double kLargestScale = 1e-1;
constexpr int kMostBits = 22;

double scaleAt(int step)
{
    return kSmallestScale * std::pow(kLargestScale / kSmallestScale, static_cast<double>(step) / (kScales - 1));
}

double largestOf(const std::vector<double>& values)
{
    double largest = 0;
    for (const double value : values) {
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    return largest;
}

/// Towards zero, to @p bits behind the leading one.
double truncated(double value, int bits)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const int exponent = std::ilogb(value);
    return std::ldexp(std::trunc(std::ldexp(value, bits - exponent)), exponent - bits);
}

std::vector<double> rounded(const std::vector<double>& values, const HostTensor& like)
{
    return HostTensor::fromDoubles(like.dtype(), like.shape(), values).toDoubles();
}

} // namespace

std::string_view name(ExcessKind kind)
{
    return kind == ExcessKind::Conforming ? "conforming" : "perturbed";
}

ExcessProbe::ExcessProbe(std::uint64_t seed, std::string kernel)
    : m_seed(seed)
    , m_kernel(std::move(kernel))
{
}

bool ExcessProbe::isCalibrated(Gate gate)
{
    return gate == Gate::Cmp01 || gate == Gate::Ord01 || gate == Gate::Prc01 || gate == Gate::Prc02;
}

void ExcessProbe::enter(Gate gate)
{
    m_gate = gate;
}

void ExcessProbe::look(DType dtype, const LeafTruth& truth, const ValueFinding& answered, const ValueRules& rules)
{
    // Where products may round their operands the unit of errors is that of the operands, and no evaluation rounds them.
    if (!isCalibrated(m_gate) || truth.conforming.empty() || rules.operandRoundoff > 0)
        return;
    note(m_gate, dtype, ExcessKind::Conforming, "candidate", 0, answered);
    if (m_looked[{m_gate, dtype}]++ >= kLooks)
        return;
    const ValueMeter all(truth, rules);
    for (std::size_t left = 0; left < truth.conforming.size(); ++left) {
        LeafTruth others = truth;
        others.conforming.erase(others.conforming.begin() + static_cast<std::ptrdiff_t>(left));
        const std::vector<double> values = truth.conforming[left].toDoubles();
        ValueFinding found = ValueMeter(others, rules).judge(values);
        found.minted = all.judge(values).minted; // where the reference as shipped overflows, nobody is charged for it
        note(m_gate, dtype, ExcessKind::Conforming, left == 0 ? "shipped" : "conforming " + std::to_string(left), 0, found);
    }
    perturb(dtype, truth.conforming.front(), all);
}

void ExcessProbe::perturb(DType dtype, const HostTensor& shipped, const ValueMeter& meter)
{
    const std::vector<double> own = shipped.toDoubles();
    if (own.empty())
        return;
    std::vector<double> random(own.size());
    random::Stream({m_seed, m_kernel, std::string(id(m_gate)), "perturbation", 0}).uniform(0, random);
    const double rms = rootMeanSquare(own);
    const double largest = largestOf(own);
    const auto spiked = static_cast<std::size_t>(random.front() * static_cast<double>(own.size()));
    const auto measure = [&](const char* source, double scale, const auto& make) {
        std::vector<double> wrong(own.size());
        for (std::size_t i = 0; i < own.size(); ++i)
            wrong[i] = make(i);
        note(m_gate, dtype, ExcessKind::Perturbed, source, scale, meter.judge(rounded(wrong, shipped)));
    };
    for (int step = 0; step < kScales; ++step) {
        const double scale = scaleAt(step);
        measure("multiplicative", scale, [&](std::size_t i) { return own[i] * (1 + scale * (2 * random[i] - 1)); });
        measure("additive", scale, [&](std::size_t i) { return own[i] + scale * rms * (2 * random[i] - 1); });
        measure("spike", scale, [&](std::size_t i) { return i == spiked ? own[i] + scale * largest : own[i]; });
    }
    for (int bits = 1; bits <= kMostBits; ++bits)
        measure("truncation", std::ldexp(1.0, -bits), [&](std::size_t i) { return truncated(own[i], bits); });
}

void ExcessProbe::add(DType dtype, ExcessKind kind, std::string source, double scale, const ValueFinding& found)
{
    note(m_gate, dtype, kind, std::move(source), scale, found);
}

void ExcessProbe::note(Gate gate, DType dtype, ExcessKind kind, std::string source, double scale, const ValueFinding& found)
{
    if (found.judged == 0 && found.minted == 0)
        return; // nothing of this answer could be judged, which says nothing about how far it is off
    double value = gate == Gate::Prc02 ? std::max(found.worstExcess, found.worstNoise) : found.worstExcess;
    if (found.minted > 0)
        value = std::numeric_limits<double>::quiet_NaN();
    ExcessSample& sample = m_samples[{gate, dtype, kind, source, scale}];
    const bool isWorse = sample.checks == 0 || std::isnan(value) || value > tensor::toDouble(sample.value);
    if (sample.checks == 0) {
        sample.gate = gate;
        sample.dtype = dtype;
        sample.kind = kind;
        sample.source = std::move(source);
        sample.scale = scale;
    }
    ++sample.checks;
    if (isWorse)
        sample.value = tensor::measured(value);
}

std::vector<ExcessSample> ExcessProbe::samples() const
{
    std::vector<ExcessSample> all;
    for (const auto& [key, sample] : m_samples)
        all.push_back(sample);
    return all;
}

} // namespace assay::contract
