// SPDX-License-Identifier: Apache-2.0
#include "core/contract/value_judge.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

namespace assay::contract {

namespace {

constexpr double kU64 = 0x1p-53;
/// rho beyond which an error outside the bound is the candidate's own, and inside it a precision below the claim.
constexpr double kRhoBeyondBound = 4;
constexpr double kRhoInsideBound = 30;
/// Within this factor of s u N an ill-conditioned element's error says nothing; beyond it no conditioning explains it.
constexpr double kIllConditionedSlack = 16;

/// Elements of like sign, magnitude and conditioning share their noise: log2|r| and log2(s/|r|) in steps of two.
struct NoiseKey {
    int sign;
    int magnitude;
    int conditioning;

    std::int64_t packed() const
    {
        return (static_cast<std::int64_t>(sign) << 40) + (static_cast<std::int64_t>(magnitude + 2048) << 20)
            + (conditioning + 4096);
    }
};

/// floor(log2(value) / 2), clamped; far below everything for zero and NaN.
int halfLog2(double value)
{
    constexpr int kBias = 1023;
    constexpr int kFar = 1040;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52); // the sign is the twelfth bit
    if (exponent > 0 && exponent < 2 * kBias + 1)
        return (exponent - kBias) >> 1;
    if (!(value > 0))
        return -kFar;
    return std::isfinite(value) ? std::ilogb(value) >> 1 : kFar;
}

NoiseKey noiseKey(double r, double s)
{
    return {r < 0 ? -1 : (r > 0 ? 1 : 0), halfLog2(std::abs(r)), r != 0 ? std::clamp(halfLog2(s / std::abs(r)), -1040, 1040) : 0};
}

/// Largest error of the conforming evaluations among elements of like kind. Elements are asked for their kind once: a tensor has
/// few kinds and many elements.
class NoiseFloor {
public:
    using Kind = std::uint32_t;

    Kind kindOf(const NoiseKey& key)
    {
        const std::int64_t packed = key.packed();
        if (packed == m_lastKey)
            return m_last;
        const auto [it, isNew] = m_kinds.try_emplace(packed, static_cast<Kind>(m_keys.size()));
        if (isNew) {
            m_keys.push_back(key);
            m_worst.push_back(0);
        }
        m_lastKey = packed;
        return m_last = it->second;
    }

    void add(Kind kind, double error) { m_worst[kind] = std::max(m_worst[kind], error); }

    /// After the last add(): what a kind is compared with is the worst of its neighbours too.
    void settle()
    {
        m_floor.resize(m_keys.size());
        for (std::size_t kind = 0; kind < m_keys.size(); ++kind)
            m_floor[kind] = around(m_keys[kind]);
    }

    double at(Kind kind) const { return m_floor[kind]; }

private:
    double around(const NoiseKey& key) const
    {
        double worst = 0;
        for (int m = -1; m <= 1; ++m) {
            for (int c = -1; c <= 1; ++c) {
                const auto it = m_kinds.find(NoiseKey{key.sign, key.magnitude + m, key.conditioning + c}.packed());
                if (it != m_kinds.end())
                    worst = std::max(worst, m_worst[it->second]);
            }
        }
        return worst;
    }

    std::unordered_map<std::int64_t, Kind> m_kinds;
    std::vector<NoiseKey> m_keys;
    std::vector<double> m_worst;
    std::vector<double> m_floor;
    std::int64_t m_lastKey = std::numeric_limits<std::int64_t>::min();
    Kind m_last = 0;
};

/// One rounding of the operation and one of the output: the unit of E(v) = |v - r| / unit.
double errorUnit(double r, double s, const ValueRules& rules)
{
    return (rules.accumulatorRoundoff + rules.operandRoundoff) * s + rules.outputRoundoff * std::abs(r)
        + rules.outputSmallestNormal;
}

/// What rounding both operands of every product amounts to: |C^ - C| <= (2 u + u^2) |A||B|, and s stands for |A||B|. Source: the
/// mixed-precision bound of gates.md section 1.
double operandError(double s, const ValueRules& rules)
{
    const double u = rules.operandRoundoff;
    return (2 * u + u * u) * s;
}

/// The fp64 oracle rounds too (prototype lesson 3).
double noiseOfOracle(const std::vector<double>& r, const ValueRules& rules)
{
    if (!rules.oracleRounds)
        return 0;
    double largest = rules.inputLargest;
    for (const double value : r) {
        if (std::isfinite(value))
            largest = std::max(largest, std::abs(value));
    }
    return 64 * kU64 * largest;
}

/// What the accumulation over @p n terms may amount to, in units of s. Where n is so large for u that gamma_n is infinite, which
/// is no bound at all, the probabilistic one stands in for it.
double accumulation(double n, const ValueRules& rules)
{
    const double u = rules.accumulatorRoundoff;
    const double gamma = gammaBound(n, 2 * u);
    return (rules.probabilistic || !std::isfinite(gamma) ? 4 * std::sqrt(n) * u : gamma) * rules.boundFactor;
}

/// An output this far below its usual size came about by cancellation of terms of the usual size. Perturbing the inputs does not
/// show that where they cancel by symmetry (the divergence of equal distributions) or where something clips the rest (what is
/// barely negative before a ReLU), so the bound grants their rounding here: of sums, and of operands where these are rounded.
constexpr double kCancellation = 0x1p-10;

/// The terms of the bound that all elements of an output share.
struct SharedTerms {
    double extent = 1;
    double gamma = 0;        ///< of the accumulation, see accumulation()
    double oracleNoise = 0;  ///< see noiseOfOracle()
    double operandScale = 0; ///< usual size of the output under this stimulus, where operands are rounded

    SharedTerms(const std::vector<double>& r, double n, const ValueRules& rules)
        : extent(n)
        , gamma(accumulation(n, rules))
        , oracleNoise(noiseOfOracle(r, rules))
        , operandScale(rules.operandRoundoff > 0 ? std::max(rules.nativeScale, rootMeanSquare(r)) : 0)
    {
    }
};

double boundOf(double r, double s, const SharedTerms& shared, const ValueRules& rules)
{
    const bool cancelled = std::abs(r) < kCancellation * rules.nativeScale;
    const bool clipped = std::abs(r) < kCancellation * shared.operandScale;
    return shared.gamma * s + operandError(s, rules) + rules.boundFactor * rules.outputRoundoff * std::abs(r)
        + rules.outputSmallestNormal + shared.oracleNoise
        + (cancelled ? 4 * rules.accumulatorRoundoff * std::sqrt(shared.extent) * rules.nativeScale : 0)
        + (clipped ? operandError(shared.operandScale, rules) : 0);
}

/// Norm-wise: every element of a batch entry has the entry's largest scale. Element-wise operations keep their own.
void spreadScale(std::vector<double>& s, double extent, const ValueRules& rules)
{
    if (!rules.normWise || extent < 2 || s.empty())
        return;
    const std::size_t entries = rules.batchExtent > 0 ? static_cast<std::size_t>(rules.batchExtent) : 1;
    const std::size_t length = std::max<std::size_t>(1, s.size() / entries);
    for (std::size_t first = 0; first < s.size(); first += length) {
        const std::size_t last = std::min(s.size(), first + length);
        const double largest
            = *std::max_element(s.begin() + static_cast<std::ptrdiff_t>(first), s.begin() + static_cast<std::ptrdiff_t>(last));
        std::fill(s.begin() + static_cast<std::ptrdiff_t>(first), s.begin() + static_cast<std::ptrdiff_t>(last), largest);
    }
}

} // namespace

class ValueMeter::Private {
public:
    Private(const LeafTruth& truth, const ValueRules& rules)
        : m_rules(rules)
        , m_r(truth.r64.toDoubles())
        , m_s(truth.scale.toDoubles())
        , m_extent(static_cast<double>(std::max<std::int64_t>(truth.extent, 1)))
        , m_rootExtent(std::sqrt(m_extent))
    {
        for (const HostTensor& evaluation : truth.conforming)
            m_conforming.push_back(evaluation.toDoubles());
        for (double& s : m_s)
            s = std::isfinite(s) ? s : std::numeric_limits<double>::infinity();
        m_shared.emplace(m_r, m_extent, rules);
        spreadScale(m_s, m_extent, rules);
        findReferenceNonFiniteEntries();
        measureNoise();
    }

    ValueFinding judge(std::span<const double> answer) const
    {
        Run run;
        run.elements = static_cast<std::int64_t>(m_r.size());
        for (std::size_t i = 0; i < m_r.size(); ++i) {
            if (std::isfinite(m_r[i]) && std::isfinite(answer[i]))
                judgeFinite(run, i, answer[i]);
            else
                judgeClass(run, i, answer[i]);
        }
        return run;
    }

private:
    struct Run : ValueFinding {
        bool worstIsCharged = false;
    };

    void findReferenceNonFiniteEntries()
    {
        const std::int64_t entries = m_rules.batchExtent > 0 ? m_rules.batchExtent : 1;
        m_perEntry = std::max<std::int64_t>(1, static_cast<std::int64_t>(m_r.size()) / entries);
        m_entryNonFinite.assign(static_cast<std::size_t>(static_cast<std::int64_t>(m_r.size()) / m_perEntry + 1), false);
        for (std::size_t i = 0; i < m_r.size(); ++i) {
            if (!std::isfinite(m_r[i]))
                m_entryNonFinite[i / static_cast<std::size_t>(m_perEntry)] = true;
        }
    }

    void measureNoise()
    {
        m_kind.assign(m_r.size(), 0);
        m_unit.assign(m_r.size(), 0);
        m_unitOfSums.assign(m_r.size(), 0);
        ValueRules sums = m_rules; // roundings of operands do not become more with the terms: s holds all of them already
        sums.operandRoundoff = 0;
        for (std::size_t i = 0; i < m_r.size(); ++i) {
            if (!std::isfinite(m_r[i]))
                continue;
            m_kind[i] = m_noise.kindOf(noiseKey(m_r[i], m_s[i]));
            const double s = m_s[i] + std::abs(m_r[i]);
            m_unit[i] = errorUnit(m_r[i], s, m_rules);
            m_unitOfSums[i] = errorUnit(m_r[i], s, sums);
        }
        for (const auto& evaluation : m_conforming) {
            for (std::size_t i = 0; i < m_r.size(); ++i) {
                if (std::isfinite(evaluation[i]) && std::isfinite(m_r[i]))
                    m_noise.add(m_kind[i], std::abs(evaluation[i] - m_r[i]) / m_unit[i]);
            }
        }
        m_noise.settle();
    }

    void judgeFinite(Run& run, std::size_t i, double c) const
    {
        const double r = m_r[i];
        const double error = std::abs(c - r);
        if (r == 0 && c == 0)
            run.signedZeros += std::signbit(r) != std::signbit(c);
        const double s = m_s[i] + std::abs(r);
        const double bound = boundOf(r, s, *m_shared, m_rules);
        const double conditioned = m_s[i] * m_rules.accumulatorRoundoff * m_extent;
        if (conditioned > std::abs(r) && error <= kIllConditionedSlack * conditioned + bound) {
            ++run.illConditioned;
            return;
        }
        if (!std::isfinite(bound)) {
            // What the fp64 truth's own neighbours overflow at is no error of the candidate, and no evidence for it either.
            ++run.illConditioned;
            return;
        }
        ++run.judged;
        const double over = error / bound;
        const double rho = error / (m_unit[i] * (m_noise.at(m_kind[i]) + 2) + m_unitOfSums[i] * m_rootExtent);
        const bool noiseJudgable = !(std::abs(r) > 4 * m_s[i] && m_extent > 4096);
        const double relative = r != 0 ? error / std::abs(r) : (error > 0 ? std::numeric_limits<double>::infinity() : 0);
        const bool grossEnough = !m_rules.extrapolated || relative > 1e-2;
        // Both the bound and the noise ratio have to be exceeded, so what is nearer to its limit decides.
        const double excess = grossEnough ? std::min(over, rho / kRhoBeyondBound) : 0;
        const bool beyond = excess > m_rules.limit;
        run.beyondBound += beyond;
        run.worstExcess = std::max(run.worstExcess, excess);
        if (over <= 1 && m_rules.judgeNoiseRatio && noiseJudgable && grossEnough && error > m_shared->oracleNoise) {
            const double noise = rho / kRhoInsideBound;
            run.noisy += noise > m_rules.limit;
            run.worstNoise = std::max(run.worstNoise, noise);
        }
        if (noiseJudgable && error > m_shared->oracleNoise)
            run.worstRho = std::max(run.worstRho, rho);
        if (over <= 1
            && error > 4 * m_rootExtent * m_rules.accumulatorRoundoff * s + operandError(s, m_rules)
                    + m_rules.outputRoundoff * std::abs(r) + m_shared->oracleNoise)
            ++run.orderLimited;
        // The element to show is one that was charged, where any was.
        if ((beyond && !run.worstIsCharged)
            || ((beyond || !run.worstIsCharged) && (over > run.worstOverBound || run.worstPosition < 0))) {
            run.worstIsCharged = run.worstIsCharged || beyond;
            run.worstOverBound = over;
            run.worstPosition = static_cast<std::int64_t>(i);
            run.worstReference = r;
            run.worstCandidate = c;
            run.worstRelative = relative;
        }
    }

    void judgeClass(Run& run, std::size_t i, double c) const
    {
        const double r = m_r[i];
        const bool finiteTruth = std::isfinite(r);
        const bool finiteCandidate = std::isfinite(c);
        if (!finiteTruth && !finiteCandidate) {
            if (std::isnan(r) != std::isnan(c))
                ++run.kindDiffers;
            else if (!std::isnan(r) && std::signbit(r) != std::signbit(c)) {
                ++run.signFlipped;
                noteMismatch(run, i);
            }
            return;
        }
        if (finiteCandidate) {
            ++run.swallowed;
            noteMismatch(run, i);
            return;
        }
        const double headroom = m_rules.halfRange ? 0x1p-4 : 0x1p-32;
        const bool shared
            = std::any_of(m_conforming.begin(), m_conforming.end(), [i](const auto& v) { return !std::isfinite(v[i]); });
        if (shared)
            ++run.overflowShared;
        if (shared || std::abs(r) > headroom * m_rules.outputLargest
            || m_entryNonFinite[i / static_cast<std::size_t>(m_perEntry)]) {
            ++run.mintExcused;
            return;
        }
        ++run.minted;
        noteMismatch(run, i);
    }

    static void noteMismatch(Run& run, std::size_t i)
    {
        if (run.firstClassMismatch < 0)
            run.firstClassMismatch = static_cast<std::int64_t>(i);
    }

    const ValueRules m_rules;
    std::vector<double> m_r;
    std::vector<double> m_s;
    std::vector<std::vector<double>> m_conforming;
    double m_extent;
    double m_rootExtent;
    std::vector<NoiseFloor::Kind> m_kind; ///< of every element whose truth is finite
    std::vector<double> m_unit;           ///< errorUnit() of the same
    std::vector<double> m_unitOfSums;     ///< the same where operands keep their precision
    std::optional<SharedTerms> m_shared;  ///< once everything is read
    std::int64_t m_perEntry = 1;
    std::vector<bool> m_entryNonFinite;
    NoiseFloor m_noise;
};

ValueMeter::ValueMeter(const LeafTruth& truth, const ValueRules& rules)
    : m_private(std::make_unique<Private>(truth, rules))
{
}

ValueMeter::~ValueMeter() = default;

ValueFinding ValueMeter::judge(std::span<const double> answer) const
{
    return m_private->judge(answer);
}

double rootMeanSquare(const std::vector<double>& values)
{
    double squares = 0;
    std::size_t finite = 0;
    for (const double value : values) {
        if (!std::isfinite(value))
            continue;
        squares += value * value;
        ++finite;
    }
    return finite > 0 ? std::sqrt(squares / static_cast<double>(finite)) : 0;
}

double gammaBound(double n, double v)
{
    return n * v < 1 ? n * v / (1 - n * v) : std::numeric_limits<double>::infinity();
}

std::vector<double> errorBounds(const LeafTruth& truth, const ValueRules& rules)
{
    const std::vector<double> r = truth.r64.toDoubles();
    std::vector<double> s = truth.scale.toDoubles();
    const auto extent = static_cast<double>(std::max<std::int64_t>(truth.extent, 1));
    spreadScale(s, extent, rules);
    const SharedTerms shared(r, extent, rules);
    std::vector<double> bounds(r.size());
    for (std::size_t i = 0; i < r.size(); ++i)
        bounds[i] = boundOf(r[i], s[i] + std::abs(r[i]), shared, rules);
    return bounds;
}

ValueFinding judgeFloat(const LeafTruth& truth, const HostTensor& candidate, const ValueRules& rules)
{
    return ValueMeter(truth, rules).judge(candidate.toDoubles());
}

ExactFinding judgeExact(const HostTensor& reference, const HostTensor& candidate, const std::optional<HostTensor>& firm)
{
    // Doubles hold every integer that an index or a count can be; int64 beyond 2^53 rounds alike on both sides.
    const std::vector<double> r = reference.toDoubles();
    const std::vector<double> c = candidate.toDoubles();
    const std::vector<double> f = firm ? firm->toDoubles() : std::vector<double>(r.size(), 1.0);
    ExactFinding found;
    found.elements = static_cast<std::int64_t>(r.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
        if (f[i] == 0)
            continue;
        ++found.judged;
        if (r[i] == c[i] || (std::isnan(r[i]) && std::isnan(c[i])))
            continue;
        if (found.different++ == 0) {
            found.worstPosition = static_cast<std::int64_t>(i);
            found.reference = r[i];
            found.candidate = c[i];
        }
    }
    return found;
}

} // namespace assay::contract
