// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/launch_words.h"

#include "core/text/duration.h"
#include "views/theme/number_text.h"

#include <QCoreApplication>
#include <QStringList>

namespace assay::views::launch_words {

using namespace Qt::StringLiterals;
using contract::StripCell;
using contract::Verdict;

namespace {

QString say(const char* text)
{
    return QCoreApplication::translate("Launch", text);
}

QString fromView(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

QString checksText(int checks)
{
    return checks == 1 ? say("1 check") : say("%1 checks").arg(number_text::count(checks));
}

/// "CMP-03, ORD-01"
QString gatesThat(const contract::Judgement& judgement, bool (*holds)(const contract::GateResult&))
{
    QStringList ids;
    for (const contract::GateResult& gate : judgement.gates) {
        if (holds(gate))
            ids << fromView(contract::id(gate.gate));
    }
    return ids.join(u", "_s);
}

QString judged(const launch::LaunchResult& result, int checks)
{
    const contract::Judgement& judgement = result.judgement;
    const QString time = QString::fromStdString(durationText(result.seconds));
    switch (judgement.verdict) {
    case Verdict::Pass: {
        const QString asked
            = gatesThat(judgement, [](const contract::GateResult& gate) { return gate.verdict == Verdict::Inapplicable; });
        return say("Passes every gate that applies: %1 exercised in %2.").arg(checksText(checks), time)
            + (asked.isEmpty() ? QString() : u' ' + say("Not applicable: %1.").arg(asked));
    }
    case Verdict::Fail:
        return say("Fails %1. %2")
            .arg(gatesThat(judgement,
                           [](const contract::GateResult& gate) { return contract::countsAgainstCandidate(gate.verdict); }),
                 QString::fromStdString(judgement.reason));
    case Verdict::Inapplicable:
        return say("No gate applies: %1").arg(QString::fromStdString(judgement.reason));
    default:
        return say("Could not be judged: %1").arg(QString::fromStdString(judgement.reason));
    }
}

} // namespace

QString request(const launch::LaunchRequest& request)
{
    const gdn::Shape& shape = request.shape;
    QStringList parts{
        fromView(gdn::title(request.family)),
        say("B %1, T %2, H %3, K %4, V %5").arg(shape.batch).arg(shape.tokens).arg(shape.heads).arg(shape.keys).arg(shape.values),
        fromView(tensor::name(request.dtype)), QString::fromStdString(request.device)};
    if (!request.prefix.empty())
        parts << QString::fromStdString(request.prefix);
    return parts.join(u" \u00b7 "_s);
}

QString progress(int gates, int checks)
{
    return say("%1 of %2 gates, %3 so far").arg(gates).arg(contract::kGateCount).arg(checksText(checks));
}

QString ending(const LaunchOutcome& outcome, int gates, int checks)
{
    const launch::LaunchResult& result = outcome.result;
    const auto sentence = [](const std::string& text) {
        QString said = QString::fromStdString(text).trimmed();
        return said.isEmpty() || said.endsWith(u'.') ? said : said + u'.';
    };
    if (!outcome.failure.isEmpty())
        return say("The outcome could not be stored: %1").arg(outcome.failure);
    switch (result.end) {
    case launch::LaunchResult::End::Judged:
        return judged(result, checks);
    case launch::LaunchResult::End::Stopped:
        return say("Stopped after %1 of %2 gates; nothing is kept.").arg(gates).arg(contract::kGateCount);
    case launch::LaunchResult::End::CouldNotRun:
        break;
    }
    return QString(say("Could not run: %1").arg(sentence(result.reason)) + u' ' + sentence(result.remedy)).trimmed();
}

StripCell cellOf(const LaunchOutcome& outcome)
{
    if (!outcome.failure.isEmpty() || outcome.result.end == launch::LaunchResult::End::CouldNotRun)
        return StripCell::Error;
    if (outcome.result.end == launch::LaunchResult::End::Stopped)
        return StripCell::Absent;
    const contract::Judgement& judgement = outcome.result.judgement;
    return contract::stripCell(judgement.verdict,
                               judgement.verdict != Verdict::Fail ? contract::Severity::None
                                   : judgement.hardFailed         ? contract::Severity::Hard
                                                                  : contract::Severity::Soft);
}

} // namespace assay::views::launch_words
