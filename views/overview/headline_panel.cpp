// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/headline_panel.h"

#include "views/overview/link_filters.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {

QFont scaled(QFont font, qreal factor, int weight = QFont::Normal)
{
    font.setPointSizeF(font.pointSizeF() * factor);
    font.setWeight(QFont::Weight(weight));
    return font;
}

/// "1,043 -> 1,014 (29 fewer)"
QString step(std::int64_t from, std::int64_t to)
{
    const QString moved = to < from ? u" ("_s + number_text::count(from - to) + u" fewer)"_s
        : to > from                 ? u" ("_s + number_text::count(to - from) + u" more)"_s
                                    : u" (unchanged)"_s;
    return number_text::count(from) + u" \u2192 "_s + number_text::count(to) + moved;
}

/// "8.6 hours in all.", and minutes where hours would round to nothing.
QString totalTime(double hours)
{
    return hours < 1 ? HeadlinePanel::tr("%1 minutes in all.").arg(60 * hours, 0, 'f', 1)
                     : HeadlinePanel::tr("%1 hours in all.").arg(hours, 0, 'f', 1);
}

} // namespace

HeadlinePanel::HeadlinePanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("Headline"), parent)
{
}

QVector<TextRun> HeadlinePanel::headline()
{
    const report::AuditReport& r = m_data->report;
    const LinkFilters filters(QString::fromStdString(r.ruleSet));
    const QFont large = scaled(textFont(), 2.3, QFont::DemiBold);
    const QFont sentence = scaled(textFont(), 1.65);
    const int floor = addLink({{},
                               filters.toleranceFree(),
                               number_text::countOf(r.toleranceFree) + tr(" audited kernels fail without any tolerance"),
                               u"tolerance"_s,
                               r.toleranceFree.count});
    const int of
        = addLink({{}, filters.audited(), number_text::count(r.audited) + tr(" audited kernels"), u"audited"_s, r.audited});
    return {{number_text::percent(r.toleranceFree.value()), large, theme().ink(), floor},
            {tr(" of "), sentence, theme().ink()},
            {number_text::count(r.audited), sentence, theme().ink(), of},
            {tr(" audited kernels fail without any tolerance "), sentence, theme().ink()},
            {u'(' + number_text::interval(r.toleranceFree.wilson95) + u')', sentence, theme().mutedInk()}};
}

QVector<TextRun> HeadlinePanel::second()
{
    const report::AuditReport& r = m_data->report;
    const LinkFilters filters(QString::fromStdString(r.ruleSet));
    const QFont font = scaled(textFont(), 1.1);
    const int floor = addLink({{},
                               filters.toleranceFree(),
                               number_text::countOf(r.toleranceFree) + tr(" fail without any tolerance"),
                               {},
                               r.toleranceFree.count});
    const int any = addLink({{},
                             filters.violation(),
                             number_text::countOf(r.anyViolation) + tr(" audited kernels violate at least one gate"),
                             u"violation"_s,
                             r.anyViolation.count});
    QVector<TextRun> runs{
        {number_text::count(r.toleranceFree.count), font, theme().ink(), floor},
        {tr(" need no threshold to be called wrong. "), font, theme().mutedInk()},
        {number_text::percent(r.anyViolation.value()) + u" ("_s + number_text::count(r.anyViolation.count) + u')', font,
         theme().ink(), any},
        {tr(" violate at least one gate (") + number_text::interval(r.anyViolation.wilson95)
             + tr("). Intervals: Wilson, 95\u00a0%."),
         font, theme().mutedInk()}};
    if (r.elapsedMedianSeconds)
        runs.push_back({tr(" Judging took ") + number_text::seconds(r.elapsedMedianSeconds) + tr(" a kernel at the median, ")
                            + number_text::seconds(r.elapsedP95Seconds) + tr(" at the 95th percentile")
                            + (r.elapsedTotalHours ? u", "_s + totalTime(*r.elapsedTotalHours) : u"."_s),
                        font, theme().mutedInk()});
    return runs;
}

void HeadlinePanel::setExtras(OverviewExtrasPtr extras)
{
    m_extras = std::move(extras);
    refresh();
}

/// Null where nobody has labelled, and while the audit of the labels is not the one shown.
const report::PlanRate* HeadlinePanel::labels() const
{
    const bool isKnown = m_extras && m_extras->adjusted && m_extras->adjusted->rate.audited == m_data->report.audited;
    return isKnown ? &*m_extras->adjusted : nullptr;
}

QVector<TextRun> HeadlinePanel::adjusted()
{
    const report::PlanRate* found = labels();
    if (found == nullptr)
        return {};
    const QFont font = scaled(textFont(), 1.1);
    const int frame = found->filter.empty() ? -1
                                            : addLink({{},
                                                       QString::fromStdString(found->filter),
                                                       number_text::kernels(found->frame) + tr(" that labels were drawn from"),
                                                       u"labels"_s,
                                                       found->frame});
    QVector<TextRun> runs{
        {tr("Checked by hand, "), font, theme().mutedInk()},
        {number_text::percent(found->rate.adjusted), font, theme().ink()},
        {tr(" are defects (") + number_text::interval(found->rate.interval) + tr("), where "), font, theme().mutedInk()},
        {number_text::percent(found->rate.flagged), font, theme().ink()},
        {tr(" were flagged: "), font, theme().mutedInk()},
        {tr("n = %1").arg(number_text::count(found->decided)), font, theme().ink()},
        {tr(" decided of "), font, theme().mutedInk()},
        {number_text::count(found->frame), font, theme().ink(), frame},
        {tr(" in plan \u201c%1\u201d, weighted by stratum.").arg(QString::fromStdString(found->plan)), font, theme().mutedInk()}};
    if (found->isPartial)
        runs.push_back({tr(" Strata that nobody has decided on are taken to be like the others."), font, theme().mutedInk()});
    return runs;
}

QVector<TextRun> HeadlinePanel::change()
{
    const report::AuditReport& r = m_data->report;
    const report::AuditReport& p = m_data->published;
    if (r.ruleSetHash == p.ruleSetHash)
        return {};
    const QFont font = scaled(textFont(), 1.1);
    const LinkFilters filters(QString::fromStdString(r.ruleSet));
    QVector<TextRun> runs{{tr("Against the audit as published: without tolerance "), font, theme().mutedInk()},
                          {step(p.toleranceFree.count, r.toleranceFree.count), font, theme().ink()},
                          {tr(", any violation "), font, theme().mutedInk()},
                          {step(p.anyViolation.count, r.anyViolation.count), font, theme().ink()}};
    if (r.forgiven > 0) {
        const int forgiven = addLink({{},
                                      filters.forgiven(),
                                      number_text::kernels(r.forgiven) + tr(" that these rules forgive a gate"),
                                      u"forgiven"_s,
                                      r.forgiven});
        runs << TextRun{u"; "_s, font, theme().mutedInk()}
             << TextRun{number_text::count(r.forgiven), font, theme().ink(), forgiven}
             << TextRun{r.forgiven == 1 ? tr(" row is forgiven a gate") : tr(" rows are forgiven a gate"), font,
                        theme().mutedInk()};
    }
    runs << TextRun{u"."_s, font, theme().mutedInk()};
    return runs;
}

void HeadlinePanel::placeLinks(const RunLayout& layout, const QVector<TextRun>& runs)
{
    for (int i = 0; i < runs.size(); ++i) {
        if (runs[i].link >= 0)
            setLinkRect(runs[i].link, layout.rectOf(i));
    }
}

qreal HeadlinePanel::arrange(qreal width)
{
    for (auto& runs : m_runs)
        runs.clear();
    if (!m_data)
        return 110;
    m_runs[0] = headline();
    m_runs[1] = second();
    m_runs[2] = adjusted();
    m_runs[3] = change();
    qreal y = 0;
    y += m_layouts[0].set(m_runs[0], 0, y, width, 1.15) + 2;
    m_scale = QRectF(0, y, std::min(width, 720.0), 26);
    y = m_scale.bottom() + 8;
    y += m_layouts[1].set(m_runs[1], 0, y, std::min(width, 1100.0));
    // Set even when empty: the sentences of the audit and the rules before must not stay.
    for (int i = 2; i < kSentences; ++i) {
        const qreal used = m_layouts[i].set(m_runs[i], 0, y + 2, std::min(width, 1100.0));
        y += used > 0 ? used + 2 : 0;
    }
    for (int i = 0; i < kSentences; ++i)
        placeLinks(m_layouts[i], m_runs[i]);
    return y + 6;
}

void HeadlinePanel::paintRuns(QPainter& painter, const RunLayout& layout, const QVector<TextRun>& runs) const
{
    for (const RunLayout::Piece& piece : layout.pieces()) {
        const TextRun& run = runs[piece.run];
        QFont font = run.font;
        font.setUnderline(isHot(run.link));
        painter.setFont(font);
        painter.setPen(run.link >= 0 ? linkColor(run.link, run.color) : run.color);
        painter.drawText(piece.baseline, piece.text);
    }
}

void HeadlinePanel::paintScale(QPainter& painter) const
{
    const report::AuditReport& r = m_data->report;
    const qreal y = m_scale.center().y();
    const auto at = [this](double share) { return m_scale.left() + share * m_scale.width(); };
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().line());
    painter.drawRoundedRect(QRectF(m_scale.left(), y - 3, m_scale.width(), 6), 3, 3);
    const auto bar = [&](const report::Rate& rate, StripCell cell, bool heavy) {
        const QColor color = theme().cell(cell);
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(QRectF(m_scale.left(), y - 3, at(rate.value()) - m_scale.left(), 6), 3, 3);
        painter.setPen(QPen(theme().ink(), heavy ? 1.6 : 1.2));
        painter.drawLine(QPointF(at(rate.wilson95.low), y), QPointF(at(rate.wilson95.high), y));
        for (const double end : {rate.wilson95.low, rate.wilson95.high})
            painter.drawLine(QPointF(at(end), y - 6), QPointF(at(end), y + 6));
    };
    bar(r.anyViolation, StripCell::FailSoft, false);
    bar(r.toleranceFree, StripCell::FailHard, true);
    if (const report::PlanRate* found = labels())
        paintMark(painter, at(found->rate.interval.low), at(found->rate.adjusted), at(found->rate.interval.high));
}

/// Below the bars, which it corrects: a diamond with its interval.
void HeadlinePanel::paintMark(QPainter& painter, qreal low, qreal middle, qreal high) const
{
    constexpr qreal kHalf = 3.5;
    const qreal y = m_scale.bottom() - kHalf;
    painter.setPen(QPen(theme().accent(), 1.6));
    painter.drawLine(QPointF(low, y), QPointF(high, y));
    for (const qreal end : {low, high})
        painter.drawLine(QPointF(end, y - kHalf), QPointF(end, y + kHalf));
    painter.setBrush(theme().surface());
    painter.drawPolygon(QPolygonF{{middle - kHalf, y}, {middle, y - kHalf}, {middle + kHalf, y}, {middle, y + kHalf}});
}

void HeadlinePanel::draw(QPainter& painter)
{
    if (!m_data) {
        painter.setFont(scaled(textFont(), 1.4));
        painter.setPen(theme().mutedInk());
        painter.drawText(rect().adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, tr("Counting\u2026"));
        return;
    }
    for (int i = 0; i < kSentences; ++i)
        paintRuns(painter, m_layouts[i], m_runs[i]);
    paintScale(painter);
}

QVector<QStringList> HeadlinePanel::table() const
{
    if (!m_data)
        return {};
    const report::AuditReport& r = m_data->report;
    const auto row = [](const QString& name, const report::Rate& rate) {
        return QStringList{name, number_text::count(rate.count), number_text::count(rate.of), number_text::percent(rate.value()),
                           number_text::interval(rate.wilson95)};
    };
    QVector<QStringList> rows{{tr("rate"), tr("kernels"), tr("of"), tr("share"), tr("Wilson 95 %")},
                              row(tr("fail without any tolerance"), r.toleranceFree),
                              row(tr("violate at least one gate"), r.anyViolation)};
    if (const report::PlanRate* found = labels())
        rows.push_back({tr("defects, by %1 labels").arg(number_text::count(found->decided)), QString(),
                        number_text::count(found->rate.audited), number_text::percent(found->rate.adjusted),
                        number_text::interval(found->rate.interval)});
    return rows;
}

QString HeadlinePanel::sentences() const
{
    QString text;
    for (const auto& runs : m_runs) {
        for (const TextRun& run : runs)
            text += run.text;
        if (!runs.isEmpty())
            text += u'\n';
    }
    return text.trimmed();
}

} // namespace assay::views
