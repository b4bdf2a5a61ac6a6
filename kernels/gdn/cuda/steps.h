// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gdn/cuda/arguments.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// The order of the kernels, their sizes and the memory they work in. Needs no CUDA.
namespace assay::gdn::cuda {

/// Over what a token's decay varies. One for all key channels turns what pairs of tokens pass into plain products.
enum class Gate { Channels, Token };

enum class Step { Places, Prepare, ForwardScan, Output, ReverseScan, Gradients };

std::string_view name(Step step);

/// One kernel to start.
struct Launch {
    Step step = Step::Places;
    int blocksX = 1, blocksY = 1;
    int threads = 1;
    int sharedBytes = 0;
    Gate gate = Gate::Channels;
};

std::vector<Launch> forwardLaunches(const Sizes& sizes, Gate gate);
/// With the forward scan again: nothing but the inputs is kept from the forward.
std::vector<Launch> backwardLaunches(const Sizes& sizes, Gate gate);

/// The arrays of a call in one block of memory.
/// @param base  where it starts, at a multiple of 256 bytes; null: only the bytes are asked for
/// @param bytes  what all arrays take
Workspace layOut(const Sizes& sizes, bool isBackward, std::byte* base, std::int64_t& bytes);

} // namespace assay::gdn::cuda
