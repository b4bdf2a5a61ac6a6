// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/dtype.h"

#include <cmath>

namespace assay::tensor {

namespace {

struct Facts {
    std::string_view name;
    std::string_view numpy;
    int bytes;
    int mantissaBits;   // 0: not floating
    int smallestNormal; // its binary exponent
};

// Exponent ranges: IEEE 754 for binary16/32/64; bfloat16 shares binary32's; e4m3fn and e5m2: OCP 8-bit floating point, section 5.
constexpr std::array<Facts, kAllDTypes.size()> kFacts = {{
    {"float64", "f8", 8, 52, -1022},
    {"float32", "f4", 4, 23, -126},
    {"float16", "f2", 2, 10, -14},
    {"bfloat16", "", 2, 7, -126},
    {"float8_e4m3fn", "", 1, 3, -6},
    {"float8_e5m2", "", 1, 2, -14},
    {"int64", "i8", 8, 0, 0},
    {"int32", "i4", 4, 0, 0},
    {"int16", "i2", 2, 0, 0},
    {"int8", "i1", 1, 0, 0},
    {"uint8", "u1", 1, 0, 0},
    {"bool", "b1", 1, 0, 0},
}};

const Facts& facts(DType dtype)
{
    return kFacts[static_cast<std::size_t>(dtype)];
}

} // namespace

std::string_view name(DType dtype)
{
    return facts(dtype).name;
}

std::optional<DType> dtypeFromName(std::string_view text)
{
    constexpr std::string_view kTorch = "torch.";
    if (text.substr(0, kTorch.size()) == kTorch)
        text.remove_prefix(kTorch.size());
    for (const DType dtype : kAllDTypes) {
        if (text == name(dtype) || (!facts(dtype).numpy.empty() && text == facts(dtype).numpy))
            return dtype;
    }
    return std::nullopt;
}

int sizeOf(DType dtype)
{
    return facts(dtype).bytes;
}

bool isFloating(DType dtype)
{
    return facts(dtype).mantissaBits > 0;
}

int mantissaBits(DType dtype)
{
    return facts(dtype).mantissaBits;
}

double unitRoundoff(DType dtype)
{
    return std::ldexp(1.0, -(mantissaBits(dtype) + 1));
}

double smallestNormal(DType dtype)
{
    return std::ldexp(1.0, facts(dtype).smallestNormal);
}

} // namespace assay::tensor
