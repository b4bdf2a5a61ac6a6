// SPDX-License-Identifier: Apache-2.0
#include "core/contract/class_confusion.h"

#include <cmath>

namespace assay::contract {

NumberClass classOf(double value)
{
    if (std::isnan(value))
        return NumberClass::NaN;
    if (std::isinf(value))
        return value > 0 ? NumberClass::PositiveInfinity : NumberClass::NegativeInfinity;
    return NumberClass::Finite;
}

std::string_view name(NumberClass numberClass)
{
    switch (numberClass) {
    case NumberClass::Finite:
        return "finite";
    case NumberClass::NaN:
        return "NaN";
    case NumberClass::PositiveInfinity:
        return "+Inf";
    case NumberClass::NegativeInfinity:
        return "-Inf";
    }
    return "";
}

std::int64_t ClassConfusion::decided() const
{
    std::int64_t sum = 0;
    for (const auto& row : counts) {
        for (const std::int64_t count : row)
            sum += count;
    }
    return sum;
}

std::int64_t ClassConfusion::referenceNonFinite() const
{
    std::int64_t sum = 0;
    for (std::size_t reference = 1; reference < counts.size(); ++reference) {
        for (const std::int64_t count : counts[reference])
            sum += count;
    }
    return sum;
}

NumberClass ClassConfusion::dominantClass() const
{
    NumberClass dominant = NumberClass::NaN;
    std::int64_t most = 0;
    for (const NumberClass c : {NumberClass::NaN, NumberClass::PositiveInfinity, NumberClass::NegativeInfinity}) {
        std::int64_t sum = 0;
        for (const std::int64_t count : counts[static_cast<std::size_t>(c)])
            sum += count;
        if (sum > most) {
            most = sum;
            dominant = c;
        }
    }
    return dominant;
}

ClassConfusion confuse(const HostTensor& r64, const HostTensor& r32, const HostTensor& candidate)
{
    const std::vector<double> exact = r64.toDoubles();
    const std::vector<double> shipped = r32.toDoubles();
    const std::vector<double> got = candidate.toDoubles();
    ClassConfusion confusion;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const NumberClass want = classOf(exact[i]);
        const NumberClass is = classOf(got[i]);
        if (want != classOf(shipped[i])) {
            ++confusion.undecided;
            continue;
        }
        ++confusion.counts[static_cast<std::size_t>(want)][static_cast<std::size_t>(is)];
        const auto position = static_cast<std::int64_t>(i);
        if (want == is)
            continue;
        if (is == NumberClass::Finite)
            confusion.swallowed.push_back(position);
        else if (want == NumberClass::Finite)
            confusion.gained.push_back(position);
        else if (want == NumberClass::NaN || is == NumberClass::NaN)
            confusion.otherKind.push_back(position);
        else
            confusion.flipped.push_back(position);
    }
    return confusion;
}

bool comparable(const CallRecord& a, const CallRecord& b)
{
    if (a.outputs.size() != b.outputs.size())
        return false;
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        if (a.outputs[i].isNone != b.outputs[i].isNone || a.outputs[i].value.shape() != b.outputs[i].value.shape())
            return false;
    }
    return true;
}

} // namespace assay::contract
