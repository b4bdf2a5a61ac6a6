// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Error bound, noise ratio and class checks of one output leaf. Source of all rules: gates.md section 4, "Error bound" and
/// "Noise ratio", with the amendments of the prototype.
namespace assay::contract {

using tensor::HostTensor;

/// What the candidate's values are held against, for one output leaf under one stimulus.
struct LeafTruth {
    HostTensor r64;   ///< fp64 oracle
    HostTensor scale; ///< condition scale s without its |r| term, float64, same shape
    std::vector<HostTensor>
        conforming;          ///< evaluations that a right implementation may as well give, the shipped reference among them
    std::int64_t extent = 1; ///< N, the reduction extent
};

struct ValueRules {
    double accumulatorRoundoff = 0x1p-24; ///< u_acc
    double operandRoundoff = 0;           ///< 2^-11 where products may round their operands to TF32
    double outputRoundoff = 0x1p-24;      ///< u_out
    double outputSmallestNormal = 0x1p-126;
    double outputLargest = 0x1.fffffep127;
    bool halfRange = false;    ///< output is fp16: its range is short, see mint()
    double inputLargest = 1;   ///< largest finite |input|
    bool extrapolated = false; ///< an input exceeds 16 times its native maximum
    double limit = 1;          ///< excess beyond which an element is charged, see ValueFinding
    double boundFactor = 1;    ///< PRC-01 in a dtype foreign to the task: 16
    bool judgeNoiseRatio = true;
    bool probabilistic = false;   ///< 4 sqrt(N) u_acc s in place of gamma_N (ORD-01)
    bool normWise = false;        ///< s is the largest of the batch entry: transforms (FFT, Winograd) spread rounding over it
    double nativeScale = 0;       ///< rms of this output on the task's own draw, see kCancellation in value_judge.cpp
    bool oracleRounds = true;     ///< the bound allows for the fp64 oracle's own rounding; EXC-02 judges far below it
    std::int64_t batchExtent = 0; ///< size of dimension 0 where it is a batch: non-finite entries stay inside one
};

/// How far the candidate is from the truth.
struct ValueFinding {
    std::int64_t elements = 0;
    std::int64_t judged = 0; ///< finite on both sides and well conditioned
    std::int64_t illConditioned = 0;
    std::int64_t beyondBound = 0;  ///< |c - r| > B and rho > 4, or whatever limit stands in the rules instead of 1
    std::int64_t noisy = 0;        ///< inside the bound, rho > 30 times the limit
    std::int64_t orderLimited = 0; ///< between 4 sqrt(N) u s and B
    double worstOverBound = 0;     ///< |c - r| / B
    /// Error over what conforming evaluations make, two units and those of a random walk of N sums besides: E / (noise + 2 +
    /// sqrt(N)) of gates.md, where only sums walk; the operands' own rounding is in s once.
    double worstRho = 0;
    std::int64_t worstPosition = -1; ///< of the judged element farthest over its bound, else of the largest |c - r| / B
    double worstReference = 0;
    double worstCandidate = 0;
    double worstRelative = 0; ///< |c - r| / |r| there
    double worstExcess = 0;   ///< min(|c - r| / B, rho / 4): beyond the limit the element is charged
    double worstNoise = 0;    ///< rho / 30 inside the bound: beyond the limit the element is noisy

    std::int64_t minted = 0;      ///< finite truth, non-finite candidate: charged
    std::int64_t mintExcused = 0; ///< near the dtype's maximum or in an entry whose reference is non-finite
    std::int64_t swallowed = 0;   ///< non-finite truth, finite candidate
    std::int64_t signFlipped = 0; ///< +Inf against -Inf
    std::int64_t kindDiffers = 0; ///< NaN against Inf
    std::int64_t firstClassMismatch = -1;
    std::int64_t signedZeros = 0;    ///< -0 against +0
    std::int64_t overflowShared = 0; ///< the shipped reference is non-finite too where the truth is finite

    bool boundBroken() const { return beyondBound > 0; }
};

/// Holds several answers against one truth: what is known before anybody answers is computed once.
class ValueMeter {
public:
    ValueMeter(const LeafTruth& truth, const ValueRules& rules);
    ~ValueMeter();

    /// @param answer  row-major, as many elements as the truth has
    ValueFinding judge(std::span<const double> answer) const;

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

/// Judges a floating output leaf element by element.
/// @param candidate  same shape as truth.r64, any floating dtype
ValueFinding judgeFloat(const LeafTruth& truth, const HostTensor& candidate, const ValueRules& rules);

/// Elements of an integer or boolean leaf that differ from the reference.
struct ExactFinding {
    std::int64_t elements = 0;
    std::int64_t judged = 0;
    std::int64_t different = 0;
    std::int64_t worstPosition = -1;
    double reference = 0;
    double candidate = 0;
};

/// Judges an integer or boolean leaf where the decision is firm.
/// @param firm  elements whose value no admissible rounding changes, uint8 or bool, same shape; absent: all
ExactFinding judgeExact(const HostTensor& reference, const HostTensor& candidate, const std::optional<HostTensor>& firm);

/// B_i of every element: the error that rounding alone may cause, with 4 sqrt(N) u in place of an infinite gamma_N. Infinite
/// where the scale is.
std::vector<double> errorBounds(const LeafTruth& truth, const ValueRules& rules);

/// Over the finite values; 0 where there is none.
double rootMeanSquare(const std::vector<double>& values);

/// gamma_n(v) = n v / (1 - n v), infinite where n v >= 1. Source: Higham, Accuracy and Stability, lemma 3.1.
double gammaBound(double n, double v);

} // namespace assay::contract
