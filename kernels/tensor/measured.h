// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay::tensor {

/// The IEEE class of a measured number. `Absent` means that nothing was measured.
enum class ValueClass : unsigned char { Absent, Finite, NaN, PosInf, NegInf };

/// A measured number with its class beside it, because SQLite binds NaN as NULL and JSON has no spelling for either.
struct Measured {
    ValueClass valueClass = ValueClass::Absent;
    double value = 0.0; ///< meaningful only where valueClass is Finite

    bool isPresent() const { return valueClass != ValueClass::Absent; }
    bool isFinite() const { return valueClass == ValueClass::Finite; }
    bool operator==(const Measured&) const = default;
};

/// Classifies @p value; finite values keep their bits.
Measured measured(double value);

/// The double that @p m stands for (NaN where absent).
double toDouble(const Measured& m);

/// How the class is written in the database and in exports: "", "finite", "nan", "+inf", "-inf".
std::string_view name(ValueClass valueClass);

/// Inverse of name(); unknown text gives Absent.
ValueClass valueClassFromName(std::string_view text);

} // namespace assay::tensor
