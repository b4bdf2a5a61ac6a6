// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/diff/diff_words.h"

#include "core/tensorfile/tensor_layout.h"
#include "kernels/tensor/tensor_view.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStringList>

#include <cmath>

namespace assay::views::diff_words {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("DiffWords", text);
}

} // namespace

QString index(const std::vector<std::int64_t>& index)
{
    return QString::fromStdString(tensorfile::shapeText(index));
}

std::optional<std::vector<std::int64_t>> parseIndex(const QString& text, const std::vector<std::int64_t>& shape)
{
    static const QRegularExpression separators(u"[\\s,;()\\[\\]]+"_s);
    std::vector<std::int64_t> numbers;
    for (const QString& part : text.split(separators, Qt::SkipEmptyParts)) {
        bool isNumber = false;
        numbers.push_back(part.toLongLong(&isNumber));
        if (!isNumber)
            return std::nullopt;
    }
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    if (numbers.size() == 1 && shape.size() != 1)
        return numbers[0] >= 0 && numbers[0] < count ? std::optional(tensor::unravel(numbers[0], shape)) : std::nullopt;
    if (numbers.size() != shape.size())
        return std::nullopt;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        // As numpy reads it: -1 is the last.
        if (numbers[axis] < 0)
            numbers[axis] += shape[axis];
        if (numbers[axis] < 0 || numbers[axis] >= shape[axis])
            return std::nullopt;
    }
    return numbers;
}

QString number(double value)
{
    if (std::isnan(value))
        return u"NaN"_s;
    if (std::isinf(value))
        return value > 0 ? u"+Inf"_s : u"\u2212Inf"_s;
    return QString::number(value, 'g', 4);
}

QString ulp(const std::optional<std::uint64_t>& ulp)
{
    return ulp ? QLocale(QLocale::English).toString(static_cast<qulonglong>(*ulp)) : u"\u2013"_s;
}

QString picked(const diff::ExactPair& pair)
{
    const auto side = [](const diff::ExactValue& value) -> QString {
        return QString::fromStdString(value.text) + u" "_s + QString::fromStdString(value.bits);
    };
    QStringList parts{index(pair.index), tr("ref %1").arg(side(pair.reference)), tr("cand %1").arg(side(pair.candidate))};
    if (pair.isSameBits)
        parts << tr("equal");
    else if (!pair.isFinite)
        parts << tr("not both finite");
    else
        parts << tr("abs %1").arg(number(pair.absolute)) << tr("rel %1").arg(pair.relative ? number(*pair.relative) : u"\u2013"_s)
              << tr("%1 ulp").arg(ulp(pair.ulp));
    return parts.join(u"   "_s);
}

QString metric(diff::Metric metric)
{
    switch (metric) {
    case diff::Metric::Absolute:
        return tr("absolute");
    case diff::Metric::Relative:
        return tr("relative");
    case diff::Metric::Ulp:
        return tr("ulp");
    case diff::Metric::UlpOfCandidate:
        return tr("ulp of the candidate's type");
    case diff::Metric::OverBound:
        break;
    }
    return tr("over bound");
}

} // namespace assay::views::diff_words
