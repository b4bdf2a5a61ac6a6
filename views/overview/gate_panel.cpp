// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/gate_panel.h"

#include "views/overview/link_filters.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;
using contract::StripCell;

namespace {

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

bool wasRun(const report::GateCounts& c)
{
    return c.fail + c.pass + c.inapplicable + c.unsupported + c.notExercised + c.unknown + c.crash + c.timeout + c.error > 0;
}

} // namespace

GatePanel::GatePanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("Gates"), parent)
{
}

void GatePanel::setExtras(OverviewExtrasPtr extras)
{
    m_extras = std::move(extras);
    refresh();
}

QVector<GatePanel::Row> GatePanel::rows() const
{
    QVector<Row> result;
    if (!m_data)
        return result;
    for (const contract::Gate gate : contract::kAllGates) {
        const auto index = std::size_t(contract::indexOf(gate));
        const report::GateCounts& counts = m_data->report.perGate[index];
        result << Row{gate, &counts, counts.fail + counts.crash + counts.timeout, m_extras ? m_extras->hardFailures[index] : -1};
    }
    return result;
}

void GatePanel::placeLinks(Row& row)
{
    const LinkFilters filters(QString::fromStdString(m_data->report.ruleSet));
    const QFontMetricsF number(numberFont());
    const QString id = text(contract::id(row.gate));
    const auto place = [&](qreal right, std::int64_t count, const QString& filter, const QString& meaning) {
        if (count == 0)
            return -1;
        const qreal width = number.horizontalAdvance(number_text::count(count));
        return addLink({QRectF(right - width, row.y + 3, width, kRow - 6), filter,
                        id + u": "_s + number_text::kernels(count) + meaning, id, count, 0, row.gate});
    };
    const bool forgiving = row.counts->fail != m_data->published.perGate[std::size_t(contract::indexOf(row.gate))].fail;
    row.failLink = place(m_failRight, row.failed, filters.gate(row.gate, u"fail"_s, {}, forgiving), tr(" fail"));
    row.inapplicableLink = place(m_inapplicableRight, row.counts->inapplicable, filters.gate(row.gate, u"inapplicable"_s),
                                 tr(" where the reference cannot be asked"));
    row.errorLink = place(m_errorRight, row.counts->error, filters.gate(row.gate, u"error"_s), tr(" that could not be judged"));
}

qreal GatePanel::arrange(qreal width)
{
    m_rows = rows();
    const QFontMetricsF number(numberFont());
    m_idWidth = number.horizontalAdvance(u"CMP-01"_s) + 12;
    const qreal column = std::max(52.0, number.horizontalAdvance(u"888,888"_s) + 8);
    m_exercisedRight = width - 4;
    m_errorRight = m_exercisedRight - 84;
    m_inapplicableRight = m_errorRight - column;
    m_failRight = m_inapplicableRight - column - 8;
    m_titleWidth = std::clamp((m_failRight - column - m_idWidth) * 0.52, 0.0, 210.0);
    m_barLeft = m_idWidth + m_titleWidth + 8;
    m_barRight = std::max(m_barLeft + 20, m_failRight - column + 4);
    m_mostFailures = 1;
    for (int i = 0; i < m_rows.size(); ++i) {
        m_rows[i].y = kTitleHeight + kHead + i * kRow;
        m_mostFailures = std::max(m_mostFailures, m_rows[i].failed);
        placeLinks(m_rows[i]);
    }
    return kTitleHeight + kHead + kRow * m_rows.size() + 4;
}

QString GatePanel::exercised(const report::GateCounts& counts) const
{
    if (counts.totalChecks == 0)
        return u"\u2013"_s;
    const double share = static_cast<double>(counts.exercisedChecks) / static_cast<double>(counts.totalChecks);
    return number_text::percent(share);
}

void GatePanel::drawHead(QPainter& painter) const
{
    painter.setFont(smallFont());
    painter.setPen(theme().mutedInk());
    const auto head = [&](qreal right, const QString& label) {
        painter.drawText(QRectF(right - 120, kTitleHeight, 120, kHead - 6), Qt::AlignRight | Qt::AlignBottom, label);
    };
    head(m_failRight, tr("fail"));
    head(m_inapplicableRight, tr("not asked"));
    head(m_errorRight, tr("error"));
    head(m_exercisedRight, tr("exercised"));
    qreal x = m_barLeft;
    const auto key = [&](StripCell cell, const QString& label) {
        theme().paintCell(painter, QRectF(x, kTitleHeight + kHead - 20, 12, 12), cell);
        painter.setPen(theme().mutedInk());
        painter.setFont(smallFont());
        painter.drawText(QPointF(x + 17, kTitleHeight + kHead - 10), label);
        x += 17 + QFontMetricsF(smallFont()).horizontalAdvance(label) + 12;
    };
    key(StripCell::FailHard, tr("hard"));
    key(StripCell::FailSoft, tr("soft"));
}

void GatePanel::drawRow(QPainter& painter, const Row& row) const
{
    const bool run = wasRun(*row.counts);
    painter.setFont(numberFont());
    painter.setPen(run ? theme().ink() : theme().mutedInk());
    painter.drawText(QRectF(0, row.y, m_idWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter, text(contract::id(row.gate)));
    painter.setFont(smallFont());
    painter.setPen(theme().mutedInk());
    painter.drawText(QRectF(m_idWidth, row.y, m_titleWidth, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(smallFont()).elidedText(text(contract::title(row.gate)), Qt::ElideRight, m_titleWidth));
    if (!run) {
        painter.drawText(QRectF(m_barLeft, row.y, m_exercisedRight - m_barLeft, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("not run in this audit"));
        return;
    }
    const qreal full = m_barRight - m_barLeft;
    const qreal length = full * static_cast<double>(row.failed) / static_cast<double>(m_mostFailures);
    const qreal hard = row.hard < 0 || row.failed == 0
        ? 0
        : length * std::min(1.0, static_cast<double>(row.hard) / static_cast<double>(row.failed));
    const qreal y = row.y + kRow / 2 - 5;
    painter.setPen(Qt::NoPen);
    painter.setBrush(row.hard < 0 ? theme().mutedInk() : theme().cell(StripCell::FailSoft));
    painter.drawRect(QRectF(m_barLeft + hard, y, length - hard, 10));
    painter.setBrush(theme().cell(StripCell::FailHard));
    painter.drawRect(QRectF(m_barLeft, y, hard, 10));
    const auto number = [&](int link, std::int64_t count, qreal right) {
        if (link >= 0) {
            drawLink(painter, link, number_text::count(count), Qt::AlignRight, numberFont());
            return;
        }
        painter.setFont(numberFont());
        painter.setPen(theme().mutedInk());
        painter.drawText(QRectF(right - 60, row.y, 60, kRow), Qt::AlignRight | Qt::AlignVCenter, u"0"_s);
    };
    number(row.failLink, row.failed, m_failRight);
    number(row.inapplicableLink, row.counts->inapplicable, m_inapplicableRight);
    number(row.errorLink, row.counts->error, m_errorRight);
    painter.setFont(smallFont());
    painter.setPen(theme().mutedInk());
    painter.drawText(QRectF(m_exercisedRight - 80, row.y, 80, kRow), Qt::AlignRight | Qt::AlignVCenter, exercised(*row.counts));
}

void GatePanel::draw(QPainter& painter)
{
    drawTitle(painter);
    if (m_rows.isEmpty())
        return;
    drawHead(painter);
    for (int i = 0; i < m_rows.size(); ++i) {
        if (i > 0 && contract::group(m_rows[i].gate) != contract::group(m_rows[i - 1].gate)) {
            painter.setPen(QPen(theme().line(), 1));
            painter.drawLine(QPointF(0, m_rows[i].y), QPointF(width(), m_rows[i].y));
        }
        drawRow(painter, m_rows[i]);
    }
}

QVector<QStringList> GatePanel::table() const
{
    QVector<QStringList> result{{tr("gate"), tr("judges"), tr("fail"), tr("of these hard"), tr("pass"), tr("inapplicable"),
                                 tr("unsupported"), tr("not exercised"), tr("error"), tr("checks exercised"),
                                 tr("checks in all")}};
    for (const Row& row : rows()) {
        const report::GateCounts& c = *row.counts;
        result << QStringList{text(contract::id(row.gate)),      text(contract::title(row.gate)),
                              number_text::count(row.failed),    row.hard < 0 ? QString() : number_text::count(row.hard),
                              number_text::count(c.pass),        number_text::count(c.inapplicable),
                              number_text::count(c.unsupported), number_text::count(c.notExercised),
                              number_text::count(c.error),       number_text::count(c.exercisedChecks),
                              number_text::count(c.totalChecks)};
    }
    return result;
}

} // namespace assay::views
