// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/problem.h"

#include <stop_token>

namespace assay::gdn {

enum class Precision { Float64, Float32 };

/// The recurrence token by token, as its definition reads: in fp64 the truth that every other form is measured against.
///
/// @param threads  0: one a core; the result is the same for any number
/// @return tensors of the type that was computed in
/// @throws std::invalid_argument  with mistakeIn()'s line; Stopped
ForwardResult serialForward(const Problem& problem, Precision precision = Precision::Float64, int threads = 0,
                            const std::stop_token& stop = {});

/// The adjoint of serialForward(), step by step. States are kept every 64 tokens and computed again in between.
/// @throws std::invalid_argument  with mistakeInBackward()'s line; Stopped
BackwardResult serialBackward(const Problem& problem, Precision precision = Precision::Float64, int threads = 0,
                              const std::stop_token& stop = {});

} // namespace assay::gdn
