// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/evidence/measure_text.h"

#include "core/store/threshold_words.h"
#include "views/theme/number_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace assay::views::measure_text {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("measure_text", text);
}

} // namespace

QString timesAllowed(const tensor::Measured& value, const tensor::Measured& threshold)
{
    if (!value.isFinite() || !threshold.isFinite() || threshold.value <= 0)
        return {};
    return number_text::rounded(std::abs(value.value) / threshold.value) + tr("\u00d7 the allowed");
}

QString proportion(const tensor::Measured& measured, const tensor::Measured& threshold, const tensor::Measured& relative)
{
    if (!measured.isPresent())
        return tr("no number was recorded");
    QStringList parts{number_text::measured(measured)};
    if (relative.isFinite())
        parts << tr("that is ") + number_text::measured(relative) + tr(" of the output's scale");
    const QString times = timesAllowed(measured, threshold);
    if (!times.isEmpty())
        parts << times + u' ' + number_text::measured(threshold);
    else if (threshold.isPresent())
        parts << tr("allowed ") + number_text::measured(threshold);
    if (measured.isFinite() && !relative.isPresent())
        parts << tr("output's scale not recorded");
    return parts.join(u", "_s);
}

QString limit(const store::CheckRecord& check, const store::AuditRecord& audit)
{
    QString words = fromUtf8(store::thresholdWords(check, audit));
    if (words.isEmpty())
        return {};
    words[0] = words[0].toUpper();
    return words + u'.';
}

QString counted(std::int64_t count, const QString& one, const QString& many)
{
    return number_text::count(count) + u' ' + (count == 1 ? one : many);
}

QString fromUtf8(const std::string& text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

QString gateId(contract::Gate gate)
{
    const std::string_view id = contract::id(gate);
    return QString::fromLatin1(id.data(), qsizetype(id.size()));
}

QString verdict(contract::Verdict verdict, contract::Severity severity)
{
    const QString weight = severity == contract::Severity::Hard ? tr(", hard")
        : severity == contract::Severity::Soft                  ? tr(", soft")
        : severity == contract::Severity::Note                  ? tr(", with a note")
                                                                : QString();
    switch (verdict) {
    case contract::Verdict::Absent:
        return tr("not run");
    case contract::Verdict::Pass:
        return tr("passes") + (severity == contract::Severity::Note ? weight : QString());
    case contract::Verdict::Fail:
        return tr("fails") + weight;
    case contract::Verdict::Inapplicable:
        return tr("cannot be asked");
    case contract::Verdict::Unsupported:
        return tr("refused by the candidate");
    case contract::Verdict::NotExercised:
        return tr("not exercised");
    case contract::Verdict::Unknown:
        return tr("unknown");
    case contract::Verdict::Crash:
        return tr("crashes");
    case contract::Verdict::Timeout:
        return tr("hangs");
    case contract::Verdict::Error:
        return tr("could not be judged");
    }
    return {};
}

QString shape(const std::optional<std::vector<std::int64_t>>& sizes)
{
    if (!sizes)
        return tr("shape not recorded");
    QStringList parts;
    for (const std::int64_t size : *sizes)
        parts << QString::number(size);
    return u'(' + parts.join(u", "_s) + (sizes->size() == 1 ? u",)"_s : u")"_s);
}

QString speedup(const std::optional<double>& value)
{
    return value ? (*value < 100 ? QString::number(*value, 'f', 2) : QString::number(*value, 'f', 0)) + u"\u00d7"_s
                 : tr("not recorded");
}

} // namespace assay::views::measure_text
