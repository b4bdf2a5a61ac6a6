// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/tensor/host_tensor.h"
#include "kernels/tensor/tensor_view.h"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// The gated linear recurrence, forward and backward, for one head:
///
///     S_t = (I - k_t (b_t * k_t)^T) Diag(e^{g_t}) S_{t-1} + k_t (w_t * v_t)^T      S in R^{K x V}
///     o_t = scale S_t^T q_t
///
/// with an erase gate b and a log decay g per key channel and a write gate w per value channel (Gated DeltaNet-2,
/// arXiv 2605.22791). Mamba-2, GLA, DeltaNet, Gated DeltaNet, KDA and Mamba-3 are special cases: family.h.
namespace assay::gdn {

using tensor::TensorView;

/// Sizes of a call.
struct Shape {
    std::int64_t batch = 0;  ///< B
    std::int64_t tokens = 0; ///< T
    std::int64_t heads = 0;  ///< H
    std::int64_t keys = 0;   ///< K, channels of q k b g
    std::int64_t values = 0; ///< V, channels of v w do o

    bool operator==(const Shape&) const = default;
};

/// What the operator is given. Views may have any strides, zero among them, and any floating type, each its own.
struct Problem {
    double scale = 1;
    TensorView q, k, b, g;                  ///< [B, T, H, K]; g is the natural logarithm of the decay, at most 0
    TensorView v, w;                        ///< [B, T, H, V]
    std::optional<TensorView> initialState; ///< S0 [N, H, K, V]; absent: zeros
    std::optional<TensorView> outputGrad;   ///< do [B, T, H, V]; the backward needs it
    std::optional<TensorView> finalGrad;    ///< dST [N, H, K, V]; absent: zeros
    std::vector<std::int32_t>
        sequenceStart; ///< cu_seqlens, N + 1 rising offsets from 0 to T; empty: each batch row is a sequence
};

/// A run of tokens that share a state.
struct Sequence {
    std::int64_t row = 0;   ///< batch row
    std::int64_t first = 0; ///< its first token in that row
    std::int64_t tokens = 0;
};

/// Row-major, of the type that was computed in.
struct ForwardResult {
    tensor::HostTensor o;          ///< [B, T, H, V]
    tensor::HostTensor finalState; ///< ST [N, H, K, V]
};

struct BackwardResult {
    tensor::HostTensor dq, dk, db, dg;   ///< [B, T, H, K]
    tensor::HostTensor dv, dw;           ///< [B, T, H, V]
    tensor::HostTensor initialStateGrad; ///< dS0 [N, H, K, V]
};

/// The computation ended because its std::stop_token asked for it; there is no result.
class Stopped : public std::runtime_error {
public:
    Stopped();
};

/// Sizes as q and v give them; meaningful where mistakeIn() finds nothing.
Shape shapeOf(const Problem& problem);

/// The sequences in the order of S0's first dimension.
std::vector<Sequence> sequencesOf(const Problem& problem);

/// Why the forward cannot be computed: one line that names the tensor and what was expected of it. "" where it can.
std::string mistakeIn(const Problem& problem);
/// The same for the backward, which also needs do.
std::string mistakeInBackward(const Problem& problem);

/// "[2, 64, 4, 128]"
std::string sizesText(const std::vector<std::int64_t>& sizes);

} // namespace assay::gdn
