// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

/// Accumulators of the fused backward in Blackwell's tensor memory, over the phases of a chunk.
/// Assembled on paper only: no kernel runs on this plan yet.
namespace assay::gdn::plan {

inline constexpr int kTensorColumns = 512;   ///< that a processor of sm_100 has
inline constexpr int kTensorColumnUnit = 32; ///< that columns are handed out in
inline constexpr int kPhases = 4;

/// What an accumulator does in a phase; empty where it rests.
using Duties = std::array<std::string_view, kPhases>;

/// Columns that hold one accumulator at a time.
struct ColumnSlot {
    std::string_view name;
    int first = 0;
    int columns = 0;
    Duties duties{};
    constexpr int end() const { return first + columns; }
};

template <std::size_t Count> using ColumnPlan = std::array<ColumnSlot, Count>;

template <std::size_t Count> constexpr int columnsOf(const ColumnPlan<Count>& plan)
{
    int most = 0;
    for (const ColumnSlot& slot : plan)
        most = slot.end() > most ? slot.end() : most;
    return most;
}

template <std::size_t Count> constexpr bool areDisjoint(const ColumnPlan<Count>& plan)
{
    for (std::size_t i = 0; i < Count; ++i) {
        if (plan[i].first % kTensorColumnUnit != 0 || plan[i].columns % kTensorColumnUnit != 0 || plan[i].columns <= 0)
            return false;
        for (std::size_t j = 0; j < i; ++j) {
            if (plan[i].first < plan[j].end() && plan[j].first < plan[i].end())
                return false;
        }
    }
    return true;
}

/// A plan that a kernel may allocate: instantiating it is the check.
template <const auto& Plan> struct TensorMemory {
    static_assert(columnsOf(Plan) <= kTensorColumns, "the accumulators take more than the 512 columns of tensor memory");
    static_assert(areDisjoint(Plan), "two accumulators share columns, or one does not start at a multiple of 32");
    static constexpr int kColumns = columnsOf(Plan);
};

/// K = V = 128, chunks of 64. Products of a chunk are written transposed, channels by tokens: 128 lanes and 64 columns each.
inline constexpr ColumnPlan<7> kBackwardColumns{{
    {"dH", 0, 128, {"read as an operand", "", "decayed; + q^T do - e^T P", "kept for the chunk before"}},
    {"R0", 128, 64, {"du^T = dH^T k^T + do^T Aqk", "drained to shared memory", "dAkk = P u^T", "drained"}},
    {"R1", 192, 64, {"", "P^T = du^T T", "drained to dv, dw; (P h^T)^T", "drained"}},
    {"R2", 256, 64, {"dq^T = h do^T", "kept", "drained with its decay", "X^T = dAkk k"}},
    {"R3", 320, 64, {"dAqk = do u^T", "drained, masked", "", "Y^T = dAqk^T q + dAkk^T e"}},
    {"R4", 384, 64, {"", "", "dk^T = dH u^T, dH before its decay", "drained"}},
    {"R5", 448, 64, {"", "", "dq^T = dAqk k", "added to R2's and drained"}},
}};
static_assert(TensorMemory<kBackwardColumns>::kColumns == 512);

} // namespace assay::gdn::plan
