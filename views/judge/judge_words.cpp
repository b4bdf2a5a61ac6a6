// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/judge/judge_words.h"

#include "core/text/duration.h"
#include "views/theme/number_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace assay::views::judge_words {

using namespace Qt::StringLiterals;

namespace {

QString say(const char* text)
{
    return QCoreApplication::translate("Judge", text);
}

QString duration(double seconds)
{
    return QString::fromStdString(durationText(seconds));
}

/// "61 pass, 9 fail, 1 could not be judged"
QStringList outcomes(const runner::CampaignProgress& progress)
{
    QStringList parts;
    const auto add = [&parts](std::int64_t count, const QString& text) {
        if (count > 0)
            parts << text.arg(number_text::count(count));
    };
    add(progress.passed, say("%1 pass"));
    add(progress.failed, say("%1 fail"));
    add(progress.inapplicable, say("%1 cannot be asked"));
    add(progress.errors, say("%1 could not be judged"));
    return parts;
}

} // namespace

QString progress(const runner::CampaignProgress& progress)
{
    const std::int64_t all = progress.judged + progress.left();
    QStringList parts{say("%1 of %2").arg(number_text::count(progress.judged), number_text::count(all))};
    if (progress.failed > 0)
        parts << say("%1 fail").arg(number_text::count(progress.failed));
    if (progress.errors > 0)
        parts << say("%1 could not be judged").arg(number_text::count(progress.errors));
    if (progress.judged > 0 && progress.left() > 0)
        parts << say("%1 per hour").arg(number_text::count(std::llround(progress.perHour())))
              << say("%1 left").arg(duration(progress.remaining()));
    return parts.join(u" \u00b7 "_s);
}

QString ending(const runner::CampaignResult& result)
{
    const runner::CampaignProgress& progress = result.progress;
    QStringList more;
    if (progress.skipped > 0)
        more << say("%1 had their verdict before").arg(number_text::count(progress.skipped));
    if (progress.notJudgeable > 0)
        more << (progress.notJudgeable == 1 ? say("1 has no sources")
                                            : say("%1 have no sources").arg(number_text::count(progress.notJudgeable)));
    QString text = progress.judged == 0
        ? say("Nothing was left to judge")
        : say("Judged %1: %2, in %3")
              .arg(number_text::kernels(progress.judged), outcomes(progress).join(u", "_s), duration(progress.seconds));
    if (!more.isEmpty())
        text += u"; "_s + more.join(u", "_s);
    return text + u'.';
}

} // namespace assay::views::judge_words
