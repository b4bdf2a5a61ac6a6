// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/limit_words.h"

#include "views/figure/figure_canvas.h"

#include <QCoreApplication>

namespace assay::views::limit_words {

using namespace Qt::StringLiterals;
using calibration::Limit;
using calibration::LimitKind;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("LimitWords", text);
}

} // namespace

QString name(const Limit& limit, bool isByHand)
{
    return tr("limit %1, %2").arg(shortNumber(limit.value), QString::fromStdString(calibration::wordsOf(limit, isByHand)));
}

QString name(const calibration::FigureData& figure)
{
    if (figure.isDecided())
        return name(*figure.limit, figure.isByHand);
    if (!figure.threshold)
        return {};
    return (figure.isByHand ? tr("by hand %1; each family has a limit of its own")
                            : tr("midway %1; each family has a limit of its own"))
        .arg(shortNumber(*figure.threshold));
}

QString brief(const Limit& limit)
{
    switch (limit.kind) {
    case LimitKind::InGap:
        return shortNumber(limit.value);
    case LimitKind::AboveFloor:
    case LimitKind::RulesOwn:
        return tr("%1, one-sided").arg(shortNumber(limit.value));
    case LimitKind::NotCalibrated:
        return tr("%1 (not calibrated)").arg(shortNumber(limit.value));
    case LimitKind::ByFamily:
        return tr("by family");
    }
    return {};
}

QString sentence(const Limit& limit)
{
    switch (limit.kind) {
    case LimitKind::InGap:
        return tr("The threshold decides: its gap is safe");
    case LimitKind::AboveFloor:
        return tr("One-sided, a decade above the floor: nothing promises that all of what has to be seen lies beyond");
    case LimitKind::RulesOwn:
        return tr("One-sided, that of the rules, since a decade above the floor would be looser: nothing promises that all of "
                  "what has to be seen lies beyond");
    case LimitKind::NotCalibrated:
        return tr("That of the rules, not calibrated: %1").arg(QString::fromStdString(limit.reason));
    case LimitKind::ByFamily:
        return tr("No kernel is judged by a threshold over all families: each family has a limit of its own");
    }
    return {};
}

} // namespace assay::views::limit_words
