// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace assay::gdn {

/// What the factors of a matrix product are rounded to before they are multiplied, as tensor cores take them.
enum class Operands { Exact, BFloat16, Float16 };

/// Rounds @p count values to nearest, ties to even, and back to fp32. Beyond the largest finite number: infinity.
void roundOperands(Operands operands, const float* in, std::int64_t count, float* out);

} // namespace assay::gdn
