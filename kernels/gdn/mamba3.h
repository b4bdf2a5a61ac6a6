// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/problem.h"

#include <cstdint>
#include <span>
#include <vector>

/// What Mamba-3 adds to the recurrence. Its state takes half of a token's write one step late:
///
///     h_t = a_t h_{t-1} + (1 - lambda_t) dt_t a_t k_{t-1} v_{t-1}^T + lambda_t dt_t k_t v_t^T,  a_t = e^{dt_t A_t}
///
/// which is the operator with w_t = lambda_t dt_t + n_t, n_t = (1 - lambda_{t+1}) dt_{t+1}, when -n_t (q_t . k_t) v_t is added to
/// the output: what t+1 will write is not there yet at t.
namespace assay::gdn {

/// n_t per token [B, T, H]; 0 for the last token of a sequence.
std::vector<double> nextShares(const Problem& problem, std::span<const double> step, std::span<const double> lambda);

/// @p output with the term added, of its type.
tensor::HostTensor withoutNextShare(const Problem& problem, std::span<const double> next, const tensor::HostTensor& output);

/// The gradients of the term: of n_t [B, T, H], and those of q k v with the operator's added to them, each of its type.
struct NextShareGrads {
    std::vector<double> next;
    tensor::HostTensor dq, dk, dv;
};
NextShareGrads nextShareGrads(const Problem& problem, std::span<const double> next, const BackwardResult& result);

} // namespace assay::gdn
