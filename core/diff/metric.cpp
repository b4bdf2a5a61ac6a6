// SPDX-License-Identifier: Apache-2.0
#include "core/diff/metric.h"

#include "kernels/tensor/clones.h"

#include <array>
#include <cmath>
#include <cstring>
#include <utility>

namespace assay::diff {

namespace {

constexpr std::array<std::pair<Metric, std::string_view>, 5> kNames = {{{Metric::Absolute, "absolute"},
                                                                        {Metric::Relative, "relative"},
                                                                        {Metric::Ulp, "ulp"},
                                                                        {Metric::UlpOfCandidate, "ulp of the candidate"},
                                                                        {Metric::OverBound, "bound"}}};

/// 0 exactly where everything is finite: x - x is 0 then, else NaN.
ASSAY_CLONES bool allFinite(const double* reference, const double* candidate, std::int64_t count)
{
    constexpr std::int64_t kLanes = 16;
    double lanes[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] += (reference[i + lane] - reference[i + lane]) + (candidate[i + lane] - candidate[i + lane]);
    }
    double sum = 0;
    for (; i < count; ++i)
        sum += (reference[i] - reference[i]) + (candidate[i] - candidate[i]);
    for (const double lane : lanes)
        sum += lane;
    return sum == 0;
}

std::uint8_t classOf(double value)
{
    if (std::isfinite(value))
        return 0;
    if (std::isnan(value))
        return kReferenceNaN;
    return value > 0 ? kReferencePosInf : kReferenceNegInf;
}

ASSAY_CLONES void absoluteErrors(const double* reference, const double* candidate, std::int64_t count, double* error)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const double difference = std::fabs(candidate[i] - reference[i]);
        // False for NaN and infinity, whose place the flags take.
        error[i] = difference <= 0x1.fffffffffffffp+1023 ? difference : 0;
    }
}

ASSAY_CLONES void divideErrors(double constant, double factor, const double* reference, std::int64_t count, double* error)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const double allowed = constant + factor * std::fabs(reference[i]);
        error[i] = error[i] > 0 ? error[i] / allowed : 0;
    }
}

} // namespace

std::string_view name(Metric metric)
{
    return kNames[static_cast<std::size_t>(metric)].second;
}

std::optional<Metric> metricFromName(std::string_view name)
{
    for (const auto& [metric, known] : kNames) {
        if (known == name)
            return metric;
    }
    return std::nullopt;
}

bool classify(const double* reference, const double* candidate, std::int64_t count, std::uint8_t* flags)
{
    std::memset(flags, 0, static_cast<std::size_t>(count));
    if (allFinite(reference, candidate, count))
        return false;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint8_t left = classOf(reference[i]);
        const std::uint8_t right = classOf(candidate[i]);
        flags[i] = static_cast<std::uint8_t>(left | (right * (kCandidateNaN / kReferenceNaN)) | (left != right ? kMismatch : 0));
    }
    return true;
}

void measureErrors(Metric metric, const Bound& bound, const double* reference, const double* candidate, std::int64_t count,
                   double* error)
{
    absoluteErrors(reference, candidate, count, error);
    if (metric == Metric::Relative)
        divideErrors(0, 1, reference, count, error);
    else if (metric == Metric::OverBound)
        divideErrors(bound.absolute, bound.relative, reference, count, error);
}

} // namespace assay::diff
