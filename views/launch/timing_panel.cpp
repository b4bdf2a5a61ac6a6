// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/launch/timing_panel.h"

#include "views/theme/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace assay::views {

using namespace Qt::StringLiterals;

namespace {
constexpr int kRow = 58; // px
constexpr int kBar = 10;
constexpr int kValueWidth = 84;
constexpr qreal kLeastBar = 2; ///< what is there shows
} // namespace

TimingPanel::TimingPanel(const Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(u"launch.timing"_s);
    setAccessibleName(tr("Times of the backward"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void TimingPanel::setRows(std::vector<TimingRow> rows)
{
    m_rows = std::move(rows);
    QStringList said;
    for (const TimingRow& row : m_rows)
        said << tr("%1: %2, %3").arg(row.label, millisecondsText(row.milliseconds), row.source);
    setAccessibleDescription(said.join(u"; "_s));
    updateGeometry();
    update();
}

QSize TimingPanel::sizeHint() const
{
    return {360, int(m_rows.size()) * kRow};
}

QSize TimingPanel::minimumSizeHint() const
{
    return {220, int(m_rows.size()) * kRow};
}

void TimingPanel::paintRow(QPainter& painter, std::size_t row, double most) const
{
    const TimingRow& one = m_rows[row];
    const qreal top = qreal(row) * kRow;
    painter.setFont(m_theme.uiFont());
    painter.setPen(m_theme.ink());
    const QRectF head(0, top, width() - kValueWidth, 20);
    painter.drawText(head, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(m_theme.uiFont()).elidedText(one.label, Qt::ElideRight, int(head.width()) - 8));
    painter.setFont(m_theme.numberFont());
    painter.drawText(QRectF(width() - kValueWidth, top, kValueWidth, 20), Qt::AlignRight | Qt::AlignVCenter,
                     millisecondsText(one.milliseconds));
    const QRectF bar(0.5, top + 22.5, std::max(kLeastBar, (width() - 1) * one.milliseconds / most), kBar);
    const QColor colour = one.kind == TimingRow::Kind::Ours ? m_theme.accent() : m_theme.mutedInk();
    painter.setPen(QPen(colour, 1));
    if (one.kind == TimingRow::Kind::Ours)
        painter.setBrush(colour);
    else if (one.kind == TimingRow::Kind::Floor)
        painter.setBrush(QBrush(colour, Qt::BDiagPattern));
    else
        painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
    painter.setFont(m_theme.smallFont());
    painter.setPen(m_theme.mutedInk());
    painter.drawText(QRectF(0, top + 34, width(), 18), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(m_theme.smallFont()).elidedText(one.source, Qt::ElideRight, width()));
}

void TimingPanel::paintEvent(QPaintEvent*)
{
    if (m_rows.empty())
        return;
    QPainter painter(this);
    const double most = std::ranges::max_element(m_rows, {}, &TimingRow::milliseconds)->milliseconds;
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        paintRow(painter, row, most);
}

bool TimingPanel::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto row = std::size_t(std::max(0, help->pos().y()) / kRow);
    if (row < m_rows.size())
        QToolTip::showText(help->globalPos(), m_rows[row].source, this);
    else
        QToolTip::hideText();
    return true;
}

} // namespace assay::views
