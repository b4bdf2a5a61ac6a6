// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/fail_set_panel.h"

#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kRow = 28;
constexpr std::size_t kShown = 12;
constexpr qreal kCell = 11;
constexpr qreal kCellStep = 13;
constexpr qreal kGroupGap = 5;

qreal cellLeft(contract::Gate gate)
{
    qreal x = 0;
    for (int i = 1; i <= contract::indexOf(gate); ++i)
        x += kCellStep
            + (contract::group(contract::kAllGates[std::size_t(i)]) != contract::group(contract::kAllGates[std::size_t(i - 1)])
                   ? kGroupGap
                   : 0);
    return x;
}

} // namespace

FailSetPanel::FailSetPanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("Gates that fail together"), parent)
{
}

std::size_t FailSetPanel::shown() const
{
    return m_data ? std::min(kShown, m_data->report.failSets.size()) : 0;
}

qreal FailSetPanel::arrange(qreal width)
{
    m_rowLinks.clear();
    const QFontMetricsF number(numberFont());
    m_labelLeft = cellLeft(contract::Gate::Res02) + kCell + 16;
    m_countRight = width - 4;
    for (std::size_t i = 0; i < shown(); ++i) {
        const report::FailSet& set = m_data->report.failSets[i];
        const qreal textWidth = number.horizontalAdvance(number_text::count(set.count));
        const QString label = QString::fromStdString(set.label);
        const QRectF rect(m_countRight - textWidth, kTitleHeight + qreal(i) * kRow + 3, textWidth, kRow - 6);
        // Rules that forgive gates change the sets, and no filter tells the rows of a set that is left over.
        const bool listed = !set.filter.empty();
        m_rowLinks << (listed ? addLink({rect, QString::fromStdString(set.filter),
                                         number_text::kernels(set.count) + tr(" fail exactly ") + label, label, set.count})
                              : -1);
    }
    return kTitleHeight + kRow * qreal(std::max<std::size_t>(1, shown())) + 4;
}

void FailSetPanel::drawStrip(QPainter& painter, int mask, qreal y) const
{
    for (const contract::Gate gate : contract::kAllGates) {
        const QRectF cell(cellLeft(gate), y + (kRow - kCell) / 2, kCell, kCell);
        const bool fails = (mask >> contract::indexOf(gate)) & 1;
        painter.setPen(Qt::NoPen);
        painter.setBrush(fails ? theme().ink() : theme().line());
        if (fails)
            painter.drawRoundedRect(cell, 2, 2);
        else
            painter.drawEllipse(cell.center(), 1.8, 1.8);
    }
}

void FailSetPanel::draw(QPainter& painter)
{
    drawTitle(painter);
    if (!m_data)
        return;
    if (shown() == 0) {
        painter.setFont(textFont());
        painter.setPen(theme().mutedInk());
        painter.drawText(QRectF(0, kTitleHeight, width(), kRow), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("No audited kernel fails a gate."));
        return;
    }
    const double most = static_cast<double>(m_data->report.failSets.front().count);
    for (std::size_t i = 0; i < shown(); ++i) {
        const report::FailSet& set = m_data->report.failSets[i];
        const qreal y = kTitleHeight + qreal(i) * kRow;
        drawStrip(painter, set.mask, y);
        const qreal countWidth = 64;
        const qreal room = m_countRight - countWidth - m_labelLeft;
        // The bar lies under the names: one column less, and the longest names belong to the rarest sets.
        painter.setPen(Qt::NoPen);
        QColor bar = theme().accent();
        bar.setAlphaF(0.16f);
        painter.setBrush(bar);
        painter.drawRoundedRect(
            QRectF(m_labelLeft - 4, y + 4, std::max(2.0, room * static_cast<double>(set.count) / most), kRow - 8), 2, 2);
        painter.setFont(smallFont());
        painter.setPen(theme().ink());
        painter.drawText(QRectF(m_labelLeft, y, room, kRow), Qt::AlignLeft | Qt::AlignVCenter,
                         QFontMetricsF(smallFont()).elidedText(QString::fromStdString(set.label), Qt::ElideRight, room));
        if (m_rowLinks[qsizetype(i)] >= 0) {
            drawLink(painter, m_rowLinks[qsizetype(i)], number_text::count(set.count), Qt::AlignRight, numberFont());
            continue;
        }
        painter.setFont(numberFont());
        painter.drawText(QRectF(m_countRight - 80, y, 80, kRow), Qt::AlignRight | Qt::AlignVCenter,
                         number_text::count(set.count));
    }
}

QVector<QStringList> FailSetPanel::table() const
{
    QVector<QStringList> rows{{tr("failing gates"), tr("kernels")}};
    for (std::size_t i = 0; m_data && i < m_data->report.failSets.size(); ++i)
        rows << QStringList{QString::fromStdString(m_data->report.failSets[i].label),
                            number_text::count(m_data->report.failSets[i].count)};
    return rows;
}

} // namespace assay::views
