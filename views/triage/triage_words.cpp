// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/triage/triage_words.h"

#include <QLocale>
#include <QStringList>

namespace assay::views::words {

using namespace Qt::StringLiterals;
using contract::StripCell;
using tensor::ValueClass;

QString fromUtf8(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString errorText(const tensor::Measured& value)
{
    switch (value.valueClass) {
    case ValueClass::Absent:
        return {};
    case ValueClass::NaN:
        return u"NaN"_s;
    case ValueClass::PosInf:
        return u"Inf"_s;
    case ValueClass::NegInf:
        return u"-Inf"_s;
    case ValueClass::Finite:
        break;
    }
    // Two decimals always: in a mono font the mantissas, signs and exponents of a column stand below each other.
    return value.value == 0.0 ? u"0"_s : QString::number(value.value, 'e', 2);
}

QString speedupText(const std::optional<double>& value)
{
    return value ? QString::number(*value, 'f', 2) + QChar(0x00D7) : QString();
}

QString secondsText(const std::optional<double>& value)
{
    return value ? QString::number(*value, 'f', 1) + u" s"_s : QString();
}

QString countText(std::int64_t count)
{
    static const QLocale english(QLocale::English, QLocale::UnitedStates);
    return english.toString(static_cast<qlonglong>(count));
}

StripCell cellFromName(std::string_view name)
{
    for (int i = 0; i <= static_cast<int>(StripCell::PassWithNote); ++i) {
        if (contract::name(static_cast<StripCell>(i)) == name)
            return static_cast<StripCell>(i);
    }
    return StripCell::Absent;
}

QString outcomeWord(std::string_view outcome)
{
    switch (cellFromName(outcome)) {
    case StripCell::FailHard:
        return u"fail, hard"_s;
    case StripCell::FailSoft:
        return u"fail, soft"_s;
    case StripCell::NotExercised:
        return u"not exercised"_s;
    case StripCell::Error:
        return u"not judged"_s;
    case StripCell::PassWithNote:
        return u"pass, noted"_s;
    case StripCell::Absent:
        return u"no verdict"_s;
    default:
        return fromUtf8(outcome);
    }
}

QString reasonWords(std::string_view reasonCode)
{
    QStringList words = fromUtf8(reasonCode).split(u'_', Qt::SkipEmptyParts);
    for (QString& word : words) {
        if (word == u"nan"_s)
            word = u"NaN"_s;
        else if (word == u"inf"_s)
            word = u"Inf"_s;
        else if (word == u"cuda"_s)
            word = u"CUDA"_s;
    }
    return words.join(u' ');
}

QString gateId(contract::Gate gate)
{
    return fromUtf8(contract::id(gate));
}

QString failingGates(contract::GateStrip strip)
{
    QStringList gates;
    for (const contract::Gate gate : contract::kAllGates) {
        if (contract::isFailing(strip.cell(gate)))
            gates << gateId(gate);
    }
    return gates.join(u", "_s);
}

QString rowSentence(const store::TriageRow& row)
{
    QString sentence = u"Kernel "_s + fromUtf8(row.externalId);
    if (!row.family.empty())
        sentence += u" ("_s + fromUtf8(row.family) + u")"_s;
    const QString failing = failingGates(row.strip);
    sentence += failing.isEmpty() ? u": "_s + outcomeWord(row.outcome) : u" fails "_s + failing;
    if (!row.leadReason.empty())
        sentence += u"; first reason: "_s + fromUtf8(row.leadGate) + u" "_s + reasonWords(row.leadReason);
    if (row.error.isPresent()) {
        sentence += u"; largest measured error "_s + errorText(row.error);
        if (row.relative.isFinite())
            sentence += u", "_s + errorText(row.relative) + u" of the output's scale"_s;
    }
    if (row.exercised && row.total)
        sentence += u"; "_s + QString::number(*row.exercised) + u" of "_s + QString::number(*row.total) + u" checks ran"_s;
    return sentence + u'.';
}

} // namespace assay::views::words
