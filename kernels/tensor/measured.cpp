// SPDX-License-Identifier: Apache-2.0
#include "kernels/tensor/measured.h"

#include <cmath>
#include <limits>

namespace assay::tensor {

Measured measured(double value)
{
    if (std::isnan(value))
        return {ValueClass::NaN, 0.0};
    if (std::isinf(value))
        return {value > 0 ? ValueClass::PosInf : ValueClass::NegInf, 0.0};
    return {ValueClass::Finite, value};
}

double toDouble(const Measured& m)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    switch (m.valueClass) {
    case ValueClass::Finite:
        return m.value;
    case ValueClass::PosInf:
        return kInfinity;
    case ValueClass::NegInf:
        return -kInfinity;
    case ValueClass::NaN:
    case ValueClass::Absent:
        break;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

std::string_view name(ValueClass valueClass)
{
    switch (valueClass) {
    case ValueClass::Absent:
        return "";
    case ValueClass::Finite:
        return "finite";
    case ValueClass::NaN:
        return "nan";
    case ValueClass::PosInf:
        return "+inf";
    case ValueClass::NegInf:
        return "-inf";
    }
    return "";
}

ValueClass valueClassFromName(std::string_view text)
{
    for (const auto candidate : {ValueClass::Finite, ValueClass::NaN, ValueClass::PosInf, ValueClass::NegInf}) {
        if (text == name(candidate))
            return candidate;
    }
    return ValueClass::Absent;
}

} // namespace assay::tensor
