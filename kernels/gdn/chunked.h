// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/problem.h"

#include <stop_token>

namespace assay::gdn {

/// What is computed in. The last two multiply operands rounded to 16 bits and add up in fp32, as a tensor core does: what such a
/// kernel cannot do better than, and so the measure for its tolerance.
enum class Arithmetic { Float64, Float32, BFloat16Operands, Float16Operands };

struct ChunkOptions {
    Arithmetic arithmetic = Arithmetic::Float64;
    int chunk = 64;  ///< tokens that are taken at once: 16, 32 or 64
    int threads = 0; ///< 0: one a core; the result is the same for any number
    std::stop_token stop{};
};

/// The recurrence a chunk at a time. Inside a chunk, what the tokens write solves one triangular system,
/// (I + A) u = w v - (b k e^gamma) h, with A the erase scores of the chunk and h the state that enters it.
/// @return fp64 tensors, or fp32 in every other arithmetic
/// @throws std::invalid_argument  with mistakeIn()'s line, or for another chunk; Stopped
ForwardResult chunkedForward(const Problem& problem, const ChunkOptions& options = {});

/// Its gradients, with one transposed solve a chunk: P = (I + A)^{-T} du gives d(w v) = P, d(b k e^gamma) = -P h^T and
/// dA = -P u^T, without the inverse and its own gradient.
///
/// dg adds up what passes by each token, pair by pair, instead of the differences q dq + 2 b db - k dk, whose terms cancel where
/// little passes: it keeps its digits where all decays are strong and where the state is still empty. A NaN among the inputs
/// reaches what it reaches token by token; only in dg, whose terms stand for pairs of tokens, also the rest of its chunk.
/// @throws std::invalid_argument  with mistakeInBackward()'s line, or for another chunk; Stopped
BackwardResult chunkedBackward(const Problem& problem, const ChunkOptions& options = {});

} // namespace assay::gdn
