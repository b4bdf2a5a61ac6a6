// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/theme/number_text.h"

#include "core/text/json.h"

#include <QLocale>

#include <cmath>

namespace assay::views::number_text {

using namespace Qt::StringLiterals;

namespace {

const QLocale& english()
{
    static const QLocale locale(QLocale::English, QLocale::UnitedStates);
    return locale;
}

QString inPercent(double share)
{
    return QString::number(std::round(share * 1000.0) / 10.0, 'f', 1);
}

} // namespace

QString count(std::int64_t value)
{
    return english().toString(qlonglong(value));
}

QString percent(double share)
{
    return inPercent(share) + u"\u00a0%"_s;
}

QString interval(const sampling::Interval& interval)
{
    return inPercent(interval.low) + u" to "_s + inPercent(interval.high);
}

QString countOf(const report::Rate& rate)
{
    return count(rate.count) + u" of "_s + count(rate.of);
}

QString difference(std::int64_t value)
{
    if (value == 0)
        return u"\u00b10"_s;
    return (value > 0 ? u"+"_s : u"\u2212"_s) + count(std::abs(value));
}

QString seconds(const std::optional<double>& value)
{
    return value ? QString::number(*value, 'f', *value < 10 ? 1 : (*value < 100 ? 1 : 0)) + u"\u00a0s"_s : u"not recorded"_s;
}

QString rounded(double value)
{
    if (value == 0.0)
        return u"0"_s;
    // A column then reads like a table in a paper.
    const double size = std::abs(value);
    if (size >= 0.01 && size < 10000)
        return QString::number(value, 'g', size >= 100 ? 4 : 2);
    QString text = QString::number(value, 'e', 1);
    const auto zero = text.size() - 2; // "8.0e-5": exponents of one digit have one digit
    if (text[zero] == u'0' && !text[zero - 1].isDigit())
        text.remove(zero, 1);
    return text;
}

QString measured(const tensor::Measured& value)
{
    switch (value.valueClass) {
    case tensor::ValueClass::Absent:
        return u"not measured"_s;
    case tensor::ValueClass::NaN:
        return u"NaN"_s;
    case tensor::ValueClass::PosInf:
        return u"+Inf"_s;
    case tensor::ValueClass::NegInf:
        return u"\u2212Inf"_s;
    case tensor::ValueClass::Finite:
        break;
    }
    return rounded(value.value);
}

QString exact(const tensor::Measured& value)
{
    return value.isFinite() ? QString::fromStdString(json::exactNumber(value.value)) : measured(value);
}

QString figure(const tensor::Measured& value)
{
    if (!value.isFinite())
        return measured(value);
    if (value.value == std::floor(value.value) && std::abs(value.value) < 1e15)
        return count(static_cast<std::int64_t>(value.value));
    return QString::number(value.value, 'g', 6);
}

QString kernels(std::int64_t value)
{
    return count(value) + (value == 1 ? u" kernel"_s : u" kernels"_s);
}

} // namespace assay::views::number_text
