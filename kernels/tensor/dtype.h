// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::tensor {

/// Element types that cross between a kernel and its judge. Names follow torch without the prefix ("float32").
/// Float8E4M3 is the finite-only variant (e4m3fn: no infinity, one NaN pattern per sign); Float8E5M2 is IEEE-like.
enum class DType : std::uint8_t {
    Float64,
    Float32,
    Float16,
    BFloat16,
    Float8E4M3,
    Float8E5M2,
    Int64,
    Int32,
    Int16,
    Int8,
    UInt8,
    Bool
};

inline constexpr std::array<DType, 12> kAllDTypes
    = {DType::Float64, DType::Float32, DType::Float16, DType::BFloat16, DType::Float8E4M3, DType::Float8E5M2,
       DType::Int64,   DType::Int32,   DType::Int16,   DType::Int8,     DType::UInt8,      DType::Bool};

/// "float32", "bfloat16", "float8_e4m3fn", "int64", "bool", ...
std::string_view name(DType dtype);

/// Inverse of name(); also the spelling of torch ("torch.float32") and of numpy descriptors without byte order ("f4").
std::optional<DType> dtypeFromName(std::string_view text);

/// Bytes of one element.
int sizeOf(DType dtype);

bool isFloating(DType dtype);

/// Bits of the significand that are stored, without the implicit one; 0 for types that are not floating.
int mantissaBits(DType dtype);

/// Unit roundoff u = 2^-(mantissaBits + 1) of a floating type: the largest relative error of one rounding to nearest.
double unitRoundoff(DType dtype);

/// Smallest positive normal number of a floating type.
double smallestNormal(DType dtype);

} // namespace assay::tensor
