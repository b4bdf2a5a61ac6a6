// SPDX-License-Identifier: Apache-2.0
#include "core/ingest/reason_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace assay::ingest {

namespace {

using contract::Gate;
using tensor::Measured;

constexpr std::string_view kMaxError = "max_abs_error";
constexpr std::string_view kDash = " \u2014 ";

// Tolerances of the published audit, gates.md section 2.
constexpr double kMinimumAtol = 1e-5;
constexpr double kFloat32Epsilon = 1.19e-7; // as the audit wrote it, not 2^-23
constexpr double kEpsilonFactor = 4.0;
constexpr double kAccumulatorAtol = 2e-2;
constexpr double kHalfAtol = 1e-3;
constexpr double kBfloat16Atol = 1e-2;

/// How the text after a stimulus begins; also what tells a second check from a "; " inside an exception's message.
constexpr std::array<std::string_view, 12> kBodies = {"max_err=",           "exception",
                                                      "shape mismatch",     "output shape mismatch",
                                                      "NaN mask mismatch",  "+Inf mask mismatch",
                                                      "-Inf mask mismatch", "not within ",
                                                      "dtype mismatch",     "output dtype mismatch",
                                                      "zero mask mismatch", "non-finite mask mismatch"};

bool startsBody(std::string_view text)
{
    return std::any_of(kBodies.begin(), kBodies.end(), [&](std::string_view body) { return text.starts_with(body); });
}

/// Phrases that hold a ": " themselves and follow no stimulus.
constexpr std::array<std::string_view, 4> kWithoutStimulus = {"exception", "not within ", "subnormal ", "gate crashed: "};

bool startsWithoutStimulus(std::string_view text)
{
    return std::any_of(kWithoutStimulus.begin(), kWithoutStimulus.end(),
                       [&](std::string_view start) { return text.starts_with(start); });
}

/// Length of the stimulus label in front of ": " and a known body, or nothing.
std::optional<std::size_t> labelLength(std::string_view text)
{
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos || colon == 0 || startsWithoutStimulus(text) || !startsBody(text.substr(colon + 2)))
        return std::nullopt;
    const std::string_view label = text.substr(0, colon);
    if (label.find('\n') != std::string_view::npos || label.find("; ") != std::string_view::npos)
        return std::nullopt;
    return colon;
}

/// The number that follows @p key, or absent.
Measured numberAfter(std::string_view text, std::string_view key)
{
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return {};
    const std::string_view digits = text.substr(at + key.size());
    double value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return failure == std::errc() ? tensor::measured(value) : Measured();
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

/// What an exception's message says went wrong, and whose fault it is.
std::string_view exceptionCode(std::string_view message)
{
    if (message.starts_with("[ref-inapplicable"))
        return reason::kReferenceException;
    if (contains(message, "CUDA error") || contains(message, "Triton Error [CUDA]"))
        return reason::kCudaError;
    return reason::kException;
}

std::string_view crashCode(std::string_view message)
{
    if (contains(message, "CUDA error"))
        return reason::kCudaError;
    return contains(message, "OutOfMemoryError") ? reason::kOutOfMemory : reason::kHarnessCrash;
}

struct Phrase {
    std::string_view start;
    std::string_view code;
};

constexpr std::array<Phrase, 12> kPhrases = {{{"shape mismatch", reason::kShape},
                                              {"output shape mismatch", reason::kShape},
                                              {"NaN mask mismatch", reason::kNanMask},
                                              {"+Inf mask mismatch", reason::kPosInfMask},
                                              {"-Inf mask mismatch", reason::kNegInfMask},
                                              {"dtype mismatch", reason::kDtype},
                                              {"output dtype mismatch", reason::kDtype},
                                              {"flush-to-zero", reason::kFlush},
                                              {"zero mask mismatch", reason::kFlush},
                                              {"run ", reason::kDiffersBetweenRuns},
                                              {"output aliases", reason::kAliasing},
                                              {"output shares storage", reason::kAliasing}}};

/// Reads the part of a check after its stimulus.
void readBody(std::string_view body, ReasonFact& fact)
{
    fact.detail = body;
    if (body.starts_with("subnormal non-zero values disagree") || body.starts_with("max_err=")
        || body.starts_with("not within ")) {
        fact.code = body.starts_with("subnormal") ? reason::kSubnormalValue : reason::kValue;
        fact.metric = kMaxError;
        fact.value = numberAfter(body, "max_err=");
        fact.threshold = numberAfter(body, "atol=");
        return;
    }
    if (body.starts_with("exception")) {
        // "exception - MESSAGE" with a long dash, "exception during execution: MESSAGE", "exception during run: MESSAGE"
        const std::string_view separator = body.starts_with("exception during ") ? std::string_view(": ") : kDash;
        const std::size_t at = body.find(separator);
        fact.detail = at == std::string_view::npos ? body : body.substr(at + separator.size());
        fact.code = exceptionCode(fact.detail);
    } else if (body.starts_with("gate crashed: ")) {
        fact.detail = body.substr(std::string_view("gate crashed: ").size());
        fact.code = crashCode(fact.detail);
    } else if (body.starts_with("input device=")) {
        fact.code = reason::kDevice;
    } else {
        for (const Phrase& phrase : kPhrases) {
            if (body.starts_with(phrase.start)) {
                fact.code = phrase.code;
                break;
            }
        }
        // "shape mismatch A vs B": the shapes are the detail
        if (fact.code == reason::kShape)
            fact.detail = body.substr(body.find("mismatch") + std::string_view("mismatch").size());
    }
    fact.metric = fact.code;
}

/// What the printed tolerance is a multiple of the output's scale by; 0 where the gate does not scale.
double scaleFreeTolerance(Gate gate, const ReasonFact& fact, std::int64_t nativeElements)
{
    const double rounding = kEpsilonFactor * kFloat32Epsilon * std::sqrt(static_cast<double>(nativeElements));
    switch (gate) {
    case Gate::Cmp01:
    case Gate::Cmp03:
        return nativeElements > 0 ? std::max(kMinimumAtol, rounding) : 0.0;
    case Gate::Ord01:
        return rounding;
    case Gate::Prc01:
        if (fact.stimulus == "torch.float16")
            return kHalfAtol;
        if (fact.stimulus == "torch.bfloat16")
            return kBfloat16Atol;
        return fact.stimulus == "torch.float32" ? kMinimumAtol : 0.0;
    case Gate::Prc02:
        return kAccumulatorAtol;
    default:
        return 0.0;
    }
}

Measured relativeError(Gate gate, const ReasonFact& fact, std::int64_t nativeElements)
{
    const double tolerance = scaleFreeTolerance(gate, fact, nativeElements);
    if (fact.code != reason::kValue || tolerance <= 0 || !fact.value.isPresent() || !fact.threshold.isFinite())
        return {};
    // The scale is at least 1 by definition; the printed tolerance has four digits and may say 0.9998.
    const double scale = std::max(1.0, fact.threshold.value / tolerance);
    return tensor::measured(tensor::toDouble(fact.value) / scale);
}

/// Sorts facts by how far they are beyond their tolerance.
double excess(const ReasonFact& fact)
{
    constexpr double kMax = std::numeric_limits<double>::max();
    if (fact.value.valueClass == tensor::ValueClass::NaN)
        return std::numeric_limits<double>::infinity();
    if (!fact.value.isFinite())
        return kMax;
    if (!fact.threshold.isFinite() || fact.threshold.value <= 0)
        return fact.value.value;
    return std::min(fact.value.value / fact.threshold.value, kMax);
}

} // namespace

std::vector<ReasonFact> parseReason(std::string_view text, Gate gate, std::int64_t nativeElements)
{
    std::vector<ReasonFact> facts;
    while (!text.empty()) {
        ReasonFact fact;
        const std::optional<std::size_t> label = labelLength(text);
        if (label)
            fact.stimulus = text.substr(0, *label);
        const std::size_t bodyAt = label ? *label + 2 : 0;
        std::size_t end = text.find("; ", bodyAt);
        // A "; " inside a message does not start a check.
        while (end != std::string_view::npos && !labelLength(text.substr(end + 2)))
            end = text.find("; ", end + 2);
        readBody(text.substr(bodyAt, end == std::string_view::npos ? end : end - bodyAt), fact);
        if (fact.code == reason::kDevice)
            fact.stimulus = "device move";
        fact.relative = relativeError(gate, fact, nativeElements);
        facts.push_back(fact);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 2);
    }
    return facts;
}

const ReasonFact& leadingFact(const std::vector<ReasonFact>& facts)
{
    const ReasonFact* lead = &facts.front();
    double most = -1;
    for (const ReasonFact& fact : facts) {
        if (fact.value.isPresent() && excess(fact) > most) {
            lead = &fact;
            most = excess(fact);
        }
    }
    return *lead;
}

} // namespace assay::ingest
