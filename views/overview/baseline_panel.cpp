// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/overview/baseline_panel.h"

#include "views/overview/link_filters.h"
#include "views/theme/number_text.h"
#include "views/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {

constexpr qreal kTableWidth = 310;
constexpr qreal kTableHeight = 148;
constexpr qreal kRowHead = 86;
constexpr qreal kCellWidth = 100;
constexpr qreal kCellHeight = 36;
constexpr qreal kGap = 24;

} // namespace

BaselinePanel::BaselinePanel(const Theme& theme, QWidget* parent)
    : DataPanel(theme, tr("Another harness against the gates"), parent)
{
}

QString BaselinePanel::origin(const report::CrossTable& table)
{
    return table.source.empty() ? tr("recomputed from rows") : tr("published figures: ") + QString::fromStdString(table.source);
}

std::int64_t BaselinePanel::countOf(const report::CrossTable& table, int theirs, int ours)
{
    return theirs == 0 ? (ours == 0 ? table.passPass : table.passFail) : (ours == 0 ? table.failPass : table.failFail);
}

void BaselinePanel::place(Table& table, const QPointF& corner)
{
    table.rect = QRectF(corner, QSizeF(kTableWidth, kTableHeight));
    const LinkFilters filters(QString::fromStdString(m_data->report.ruleSet));
    for (int theirs = 0; theirs < 2; ++theirs) {
        for (int ours = 0; ours < 2; ++ours) {
            Cell& cell = table.cells[theirs][ours];
            cell.rect = QRectF(corner.x() + kRowHead + ours * kCellWidth, corner.y() + 66 + theirs * kCellHeight, kCellWidth - 3,
                               kCellHeight - 3);
            cell.count = countOf(*table.source, theirs, ours);
            cell.disagreement = theirs == 0 && ours == 1;
            if (table.source->source.empty() && cell.count > 0)
                cell.link = addLink({cell.rect, filters.baseline(theirs == 0, ours == 0),
                                     number_text::kernels(cell.count)
                                         + (theirs == 0 ? tr(": the other harness passes, ") : tr(": the other harness fails, "))
                                         + (ours == 0 ? tr("every gate passes") : tr("a gate is violated")),
                                     u"baseline"_s, cell.count});
        }
    }
}

qreal BaselinePanel::arrange(qreal width)
{
    m_tables.clear();
    if (!m_data || m_data->report.baselines.empty())
        return kTitleHeight + 28;
    qreal x = 0;
    qreal y = kTitleHeight;
    for (const report::CrossTable& cross : m_data->report.baselines) {
        if (x > 0 && x + kTableWidth > width) {
            x = 0;
            y += kTableHeight + kGap;
        }
        Table table;
        table.source = &cross;
        place(table, {x, y});
        m_tables << table;
        x += kTableWidth + kGap;
    }
    return y + kTableHeight + 4;
}

void BaselinePanel::drawTable(QPainter& painter, const Table& table) const
{
    const QRectF& r = table.rect;
    painter.setFont(textFont());
    painter.setPen(theme().ink());
    painter.drawText(QRectF(r.left(), r.top(), r.width(), 20), Qt::AlignLeft | Qt::AlignVCenter,
                     QString::fromStdString(table.source->mode));
    painter.setFont(smallFont());
    painter.setPen(theme().mutedInk());
    painter.drawText(QRectF(r.left(), r.top() + 20, r.width(), 16), Qt::AlignLeft | Qt::AlignVCenter, origin(*table.source));
    const QString ours[2] = {tr("gates pass"), tr("a gate fails")};
    const QString theirs[2] = {tr("they pass"), tr("they fail")};
    for (int i = 0; i < 2; ++i) {
        painter.drawText(QRectF(table.cells[0][i].rect.left(), r.top() + 46, kCellWidth - 3, 18), Qt::AlignCenter, ours[i]);
        painter.drawText(QRectF(r.left(), table.cells[i][0].rect.top(), kRowHead - 10, kCellHeight - 3),
                         Qt::AlignRight | Qt::AlignVCenter, theirs[i]);
    }
    for (const auto& row : table.cells) {
        for (const Cell& cell : row) {
            QColor fill = cell.disagreement ? theme().accent() : theme().raised();
            if (cell.disagreement)
                fill.setAlphaF(0.18f);
            painter.setPen(QPen(theme().line(), 1));
            painter.setBrush(fill);
            painter.drawRoundedRect(cell.rect, 3, 3);
            QFont font = numberFont();
            font.setPointSizeF(font.pointSizeF() * 1.1);
            if (cell.disagreement)
                font.setWeight(QFont::DemiBold);
            if (cell.link >= 0) {
                drawLink(painter, cell.link, number_text::count(cell.count), Qt::AlignHCenter, font);
            } else {
                painter.setFont(font);
                painter.setPen(theme().ink());
                painter.drawText(cell.rect, Qt::AlignCenter, number_text::count(cell.count));
            }
        }
    }
}

void BaselinePanel::draw(QPainter& painter)
{
    drawTitle(painter);
    if (m_tables.isEmpty()) {
        painter.setFont(textFont());
        painter.setPen(theme().mutedInk());
        painter.drawText(QRectF(0, kTitleHeight, width(), 24), Qt::AlignLeft | Qt::AlignVCenter,
                         m_data ? tr("No other harness' verdicts came with these rows.") : QString());
        return;
    }
    for (const Table& table : m_tables)
        drawTable(painter, table);
}

QVector<QStringList> BaselinePanel::table() const
{
    QVector<QStringList> rows{{tr("mode"), tr("origin"), tr("pass, gates pass"), tr("pass, a gate fails"), tr("fail, gates pass"),
                               tr("fail, a gate fails")}};
    for (std::size_t i = 0; m_data && i < m_data->report.baselines.size(); ++i) {
        const report::CrossTable& cross = m_data->report.baselines[i];
        rows << QStringList{QString::fromStdString(cross.mode), origin(cross),
                            number_text::count(cross.passPass), number_text::count(cross.passFail),
                            number_text::count(cross.failPass), number_text::count(cross.failFail)};
    }
    return rows;
}

} // namespace assay::views
