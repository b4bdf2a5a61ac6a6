// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/calibrate/trial_words.h"

#include "core/report/threshold_proposal.h"
#include "views/calibrate/limit_words.h"
#include "views/figure/figure_canvas.h"
#include "views/theme/number_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace assay::views::trial_words {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("TrialWords", text);
}

QString rateText(const calibration::BoundedRate& rate)
{
    return u"%1 of %2"_s.arg(number_text::count(rate.hits), number_text::count(rate.of));
}

QString errors(const calibration::ErrorRates& rates)
{
    return tr("false alarms %1, missed %2").arg(rateText(rates.falseAlarmSamples), rateText(rates.missedSamples));
}

QString upperFirst(QString text)
{
    text.front() = text.front().toUpper();
    return text;
}

/// What decides once @p threshold is written: only a safe gap makes a threshold the limit.
QString outcome(const calibration::FigureData& shown, double threshold)
{
    const calibration::Limit next = calibration::limitUnder(shown, threshold);
    if (next.kind == calibration::LimitKind::ByFamily)
        return tr("Written, it leaves each family its own limit.");
    if (next.kind == calibration::LimitKind::InGap)
        return tr("Written, it decides.");
    return tr("Written, it does not decide: that needs a safe gap. There is then the %1.").arg(limit_words::name(next));
}

/// Why there is no threshold to move.
QString unmoved(const calibration::FigureData& shown, const CellRow* row)
{
    if (row != nullptr && !row->note.isEmpty())
        return tr("Published: %1.").arg(row->note);
    if (shown.version.empty())
        return tr("Published margins; what was measured here is in the lines of the gate above.");
    return tr("There is no threshold to move: %1.").arg(QString::fromUtf8(calibration::sentence(shown.state).data()));
}

} // namespace

QString trial(const calibration::FigureData& shown, const CellRow* row, std::optional<double> ghost)
{
    if (!shown.line())
        return unmoved(shown, row);
    const double threshold = ghost.value_or(*shown.line());
    const calibration::ThresholdTrial tried = calibration::tryThreshold(shown, threshold);
    QString text = ghost ? tr("Tried %1 (now: %2)").arg(shortNumber(threshold), limit_words::name(shown))
                         : upperFirst(limit_words::name(shown));
    text += tr(": %1; held out: %2.").arg(errors(tried.onCalibration), errors(tried.onHoldOut));
    if (!ghost)
        return text + tr(" Drag the line, or [ and ], to try another.");
    const auto state = calibration::stateUnder(shown.separation, shown.rule, threshold);
    if (tried.margins)
        text += tr(" Margins %1 below, %2 above: %3.")
                    .arg(marginText(tried.margins->below), marginText(tried.margins->above),
                         QString::fromUtf8(calibration::sentence(state).data()));
    return text + u' ' + outcome(shown, threshold) + tr(" Nothing changes until it is proposed (P); Esc takes it back.");
}

QString drift(const std::vector<DeviceDrift>& drifts)
{
    QStringList lines;
    for (const DeviceDrift& one : drifts)
        lines << tr("Noise floor against %1 (%2): Kolmogorov-Smirnov distance %3, p %4")
                     .arg(one.device, one.version, QString::number(one.test.statistic, 'f', 3), shortNumber(one.test.p));
    return lines.join(u'\n');
}

QString flips(double threshold, const std::vector<report::VerdictFlip>& found)
{
    const QString number = shortNumber(threshold);
    if (found.empty())
        return tr("A threshold of %1 would flip no verdict of this database. P writes it.").arg(number);
    const auto kernels = std::ranges::count_if(found, &report::VerdictFlip::turnsKernel);
    return tr("A threshold of %1 would flip this gate for %2, and the whole verdict for %3 of them. "
              "Stored verdicts stay as they are; P writes the version.")
        .arg(number, number_text::kernels(std::int64_t(found.size())))
        .arg(kernels);
}

} // namespace assay::views::trial_words
