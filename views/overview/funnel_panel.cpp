// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/funnel_panel.h"

#include "views/overview/link_filters.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kRow = 40;
constexpr qreal kBar = 14;

bool isFinding(const QString& key)
{
    return key == u"any_violation"_s || key == u"tolerance_free"_s;
}

} // namespace

FunnelPanel::FunnelPanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("From rows to findings"), parent)
{
}

QString FunnelPanel::remark(const report::FunnelStep& step, std::int64_t before) const
{
    const QString key = QString::fromStdString(step.key);
    if (key == u"any_violation"_s)
        return number_text::percent(m_data->report.anyViolation.value()) + tr(" of the audited");
    if (key == u"tolerance_free"_s)
        return number_text::percent(m_data->report.toleranceFree.value()) + tr(" of the audited");
    return before > step.count ? number_text::count(before - step.count) + tr(" left out") : QString();
}

QVector<FunnelPanel::Step> FunnelPanel::steps() const
{
    QVector<Step> result;
    if (!m_data)
        return result;
    std::int64_t before = 0;
    const double rows = std::max<double>(1.0, static_cast<double>(m_data->report.rows));
    for (const report::FunnelStep& step : m_data->report.funnel) {
        Step shown;
        shown.key = QString::fromStdString(step.key);
        shown.label = QString::fromStdString(step.label);
        shown.count = step.count;
        shown.share = static_cast<double>(step.count) / rows;
        shown.remark = remark(step, before);
        before = step.count;
        result << shown;
    }
    return result;
}

qreal FunnelPanel::arrange(qreal width)
{
    m_steps = steps();
    const QFontMetricsF text(textFont());
    const QFontMetricsF number(numberFont());
    m_labelWidth = 0;
    qreal numbers = 0;
    for (const Step& step : m_steps) {
        m_labelWidth = std::max(m_labelWidth, text.horizontalAdvance(step.label));
        numbers = std::max(numbers, number.horizontalAdvance(number_text::count(step.count)));
    }
    m_labelWidth = std::min(m_labelWidth + 16, width * 0.6);
    numbers += 16;
    const qreal full = std::max(40.0, width - m_labelWidth - numbers - 8);
    for (int i = 0; i < m_steps.size(); ++i) {
        Step& step = m_steps[i];
        const qreal y = kTitleHeight + i * kRow;
        step.track = QRectF(m_labelWidth, y + 3, full * step.share, kBar);
        const std::optional<QString> filter = filterOf(m_data->report.funnel[std::size_t(i)]);
        const QRectF rect(m_labelWidth + full + 4, step.track.center().y() - 11, numbers, 22);
        step.number = rect;
        if (step.count > 0 && filter)
            step.link = addLink({rect, *filter, number_text::kernels(step.count) + u": "_s + step.label, step.label, step.count});
        else
            step.link = -1;
    }
    return kTitleHeight + kRow * m_steps.size();
}

std::optional<QString> FunnelPanel::filterOf(const report::FunnelStep& step) const
{
    if (!step.filter.empty() || step.key == "rows")
        return QString::fromStdString(step.filter);
    // Under other rules the report leaves to the window how their outcomes are listed.
    const LinkFilters filters(QString::fromStdString(m_data->report.ruleSet));
    if (step.key == "audited")
        return filters.audited();
    if (step.key == "any_violation")
        return filters.violation();
    if (step.key == "tolerance_free")
        return filters.toleranceFree();
    for (const report::FunnelStep& published : m_data->published.funnel) {
        if (published.key == step.key && published.count == step.count)
            return QString::fromStdString(published.filter);
    }
    return std::nullopt;
}

QColor FunnelPanel::barColor(const QString& key) const
{
    if (key == u"tolerance_free"_s)
        return theme().cell(contract::StripCell::FailHard);
    if (key == u"any_violation"_s)
        return theme().cell(contract::StripCell::FailSoft);
    QColor color = theme().accent();
    color.setAlphaF(key == u"audited"_s ? 0.9f : 0.45f);
    return color;
}

void FunnelPanel::draw(QPainter& painter)
{
    drawTitle(painter);
    for (int i = 0; i < m_steps.size(); ++i) {
        const Step& step = m_steps[i];
        const QRectF row(0, step.track.top() - 5, m_labelWidth - 12, kBar + 10);
        painter.setFont(textFont());
        painter.setPen(isFinding(step.key) || step.key == u"audited"_s ? theme().ink() : theme().mutedInk());
        painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(textFont()).elidedText(step.label, Qt::ElideRight, row.width()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(barColor(step.key));
        painter.drawRoundedRect(step.track, 2, 2);
        painter.setFont(smallFont());
        painter.setPen(theme().mutedInk());
        painter.drawText(QPointF(m_labelWidth, step.track.bottom() + 14), step.remark);
        if (step.link >= 0) {
            drawLink(painter, step.link, number_text::count(step.count), Qt::AlignRight, numberFont());
            continue;
        }
        painter.setFont(numberFont());
        painter.drawText(step.number, Qt::AlignRight | Qt::AlignVCenter, number_text::count(step.count));
    }
}

QVector<QStringList> FunnelPanel::table() const
{
    QVector<QStringList> rows{{tr("step"), tr("kernels"), tr("remark")}};
    for (const Step& step : steps())
        rows << QStringList{step.label, number_text::count(step.count), step.remark};
    return rows;
}

} // namespace assay::views
