// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/contract/party.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay::contract {

enum class NumberClass : std::uint8_t { Finite, NaN, PositiveInfinity, NegativeInfinity };

NumberClass classOf(double value);

/// "finite", "NaN", "+Inf", "-Inf".
std::string_view name(NumberClass numberClass);

/// Which of the classes each output element falls into, reference against candidate. Elements where the fp64 oracle and the
/// reference as shipped disagree on the class are undecided and counted nowhere else. Source: gates.md section 4, EXC-01.
struct ClassConfusion {
    std::array<std::array<std::int64_t, 4>, 4> counts{}; ///< [reference class][candidate class], elements
    std::int64_t undecided = 0;
    // Row-major positions, ascending.
    std::vector<std::int64_t> swallowed; ///< reference non-finite, candidate finite
    std::vector<std::int64_t> flipped;   ///< +Inf against -Inf
    std::vector<std::int64_t> otherKind; ///< NaN against Inf
    std::vector<std::int64_t> gained;    ///< reference finite, candidate non-finite

    std::int64_t decided() const;
    std::int64_t referenceNonFinite() const;
    /// The non-finite class that the reference takes most often.
    NumberClass dominantClass() const;
};

/// @param r64        fp64 oracle
/// @param r32        the reference as shipped, same shape
/// @param candidate  same shape, any dtype
ClassConfusion confuse(const HostTensor& r64, const HostTensor& r32, const HostTensor& candidate);

/// True where both answers hold equally many leaves of equal shapes, so that elements can be compared.
bool comparable(const CallRecord& a, const CallRecord& b);

} // namespace assay::contract
